import BookDB
import Dispatch
import Foundation
import Synchronization

/// A second process with the same library, such as a share extension: it adds works, one in each commit, and says when each was acknowledged.
///
/// Its part is played by this very program, with `--other-process`.
final class OtherProcess: @unchecked Sendable {
    // Safe to share because the process is started before anybody else has this, and then only asked, killed and waited for.

    /// A commit that the process has told of.
    struct Told: Sendable {
        let commitNumber: UInt64
        /// On the clock that all processes of a machine have.
        let nanoseconds: UInt64
    }

    private let process: Process
    private let output = Pipe()

    /// - Parameter program: that of the tracker.
    init(_ program: URL, on path: String) throws {
        process = Process()
        process.executableURL = program
        process.arguments = ["--other-process", path]
        process.standardOutput = output
        try process.run()
    }

    /// What it tells of, until it ends.
    var told: AsyncStream<Told> {
        let (stream, told) = AsyncStream.makeStream(of: Told.self)
        let rest = Mutex("")
        output.fileHandleForReading.readabilityHandler = { handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            guard !text.isEmpty else {
                handle.readabilityHandler = nil
                return told.finish()
            }
            for line in rest.withLock({ Self.lines($0 + text, rest: &$0) }) {
                let numbers = line.split(separator: " ").compactMap { UInt64($0) }
                guard numbers.count == 2 else { continue }
                told.yield(Told(commitNumber: numbers[0], nanoseconds: numbers[1]))
            }
        }
        return stream
    }

    /// The whole lines of a text, and what follows the last.
    private static func lines(_ text: String, rest: inout String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(lines.removeLast())
        return lines
    }

    /// Kills it, as a system does that needs its memory.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    // MARK: The other side

    /// `false` when the app did not let the library go in time.
    private static func isWritten(_ title: String, to store: BookStore) async throws -> Bool {
        do {
            try await store.write { library in _ = try library.insert(Work(title)) }
            return true
        } catch LibraryError.inUse {
            return false
        }
    }

    /// So many works it adds at the most: an app that does not come to listen is not buried in them.
    private static let mostWorks = 5_000

    /// The part of the second process: adds works, and lives until it is killed.
    static func play(on path: String) async throws {
        let store = try await BookStore.open(at: path, access: .shared)
        for number in 1...mostWorks {
            while try await !isWritten("Shared page \(number)", to: store) {}
            let line = "\(store.snapshot.commitNumber) \(DispatchTime.now().uptimeNanoseconds)\n"
            try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
            try await Task.sleep(for: .milliseconds(2))
        }
        while true { try await Task.sleep(for: .seconds(1)) }
    }
}
