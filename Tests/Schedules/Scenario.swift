import CrashSimulation
import StorageEngine

/// Calls of several tasks on one store at the same time.
struct Scenario: Sendable {
    /// What a task does next.
    enum Call: Sendable {
        case write(Durability)
        /// So much that it becomes a snapshot, or so little that it becomes a transaction.
        case largeLoad, smallLoad
        case compact
        case close
        /// Takes the newest version and reads all of it.
        case read
        /// The disk is in order from now on.
        case mend
    }

    let name: String
    /// Each begins on its own, and makes its calls one after the other.
    let tasks: [[Call]]
    /// What fails, from the beginning.
    var fault: DiskFault?
    /// Whether the store gets over what fails, so that transactions are refused only by closing.
    var survivesFault = false
    /// Whether the store is one that was just made, so that the first commit needs space. Otherwise it was made, closed and opened
    /// again: there is room behind the closing mark.
    var isFresh = false
    /// Whether flushes are quick, so that a commit that is alone is written where it is made.
    var isQuick = false

    static let all: [Scenario] = [
        Scenario(
            name: "write, compaction, close",
            tasks: [[.write(.flushed), .write(.memory)], [.compact], [.write(.ordered), .close]]),
        Scenario(
            name: "quick writes, compaction, close",
            tasks: [[.write(.flushed), .write(.flushed), .write(.memory)], [.compact], [.close]], isQuick: true),
        Scenario(
            name: "compactions, writes", tasks: [[.compact], [.write(.memory), .compact], [.write(.flushed), .read]]),
        Scenario(name: "a compaction joined behind a commit", tasks: [[.compact], [.write(.memory), .compact]]),
        Scenario(
            name: "write, load, close",
            tasks: [[.write(.memory), .write(.flushed)], [.largeLoad], [.write(.ordered), .close]]),
        Scenario(name: "load, compaction", tasks: [[.compact], [.largeLoad, .write(.flushed)]]),
        Scenario(name: "loads, writes", tasks: [[.largeLoad], [.largeLoad], [.write(.flushed), .write(.memory)]]),
        // A small load is a commit at its end, behind whose flush another load can begin.
        Scenario(name: "small loads, a write", tasks: [[.smallLoad], [.smallLoad], [.write(.flushed)]]),
        Scenario(
            name: "a large load behind a small one, writes",
            tasks: [[.smallLoad], [.largeLoad], [.write(.flushed), .write(.flushed)], [.write(.memory)]]),
        Scenario(name: "loads, compaction, close", tasks: [[.largeLoad], [.smallLoad], [.compact], [.close]]),
        Scenario(
            name: "no space for the log while a load runs",
            tasks: [[.write(.memory), .mend, .write(.flushed)], [.largeLoad], [.read]],
            fault: DiskFault(.reserve, times: nil, .diskFull), isFresh: true),
        Scenario(
            name: "no space for the log while closing", tasks: [[.write(.memory)], [.close, .close], [.mend]],
            fault: DiskFault(.reserve, times: nil, .diskFull), isFresh: true),
        Scenario(
            name: "rescue, reads, writes",
            tasks: [[.write(.flushed), .read], [.write(.memory), .write(.flushed)], [.read, .read]],
            fault: DiskFault(.flush), survivesFault: true),
        Scenario(
            name: "rescue, compaction, close",
            tasks: [[.write(.flushed)], [.write(.memory), .compact], [.write(.memory), .close]],
            fault: DiskFault(.flush, after: 1), survivesFault: true),
        Scenario(
            name: "rescue, compaction, writes",
            tasks: [[.write(.flushed), .write(.memory)], [.compact], [.write(.flushed)]],
            fault: DiskFault(.flush, after: 2), survivesFault: true),
        Scenario(
            name: "rescue, load",
            tasks: [[.write(.memory), .write(.flushed)], [.largeLoad], [.write(.flushed), .read]],
            fault: DiskFault(.write), survivesFault: true),
        Scenario(
            name: "rescue that fails, close",
            tasks: [[.write(.memory), .write(.flushed)], [.close], [.close]], fault: DiskFault(.flush, times: nil)),
        Scenario(name: "close, close, write", tasks: [[.close], [.close], [.write(.memory), .write(.flushed)]]),
        Scenario(
            name: "closes that fail", tasks: [[.write(.memory), .close], [.close], [.close, .mend]],
            fault: DiskFault(.flush, times: nil)),
    ]
}
