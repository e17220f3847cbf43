import StorageEngine
import Synchronization
import TestSupport

/// A history of two processes that share a small store on a recording disk, beside one that follows it, and what was promised at each moment.
///
/// Either process may die at any of its calls to the disk. The other goes on then, and the dead one is started again. What cannot be known
/// is whether a commit is there that the dead one was about: the store says so, and has to say it for good.
public struct SharedCrashHistory {
    /// What happens next. A process is 0 or 1, and the other is the other.
    public enum Step: Sendable, Hashable {
        case write(Int, Durability)
        /// Three at once, which share what they can of one flush.
        case group(Int)
        case load(Int)
        case compact(Int)
        /// The other writes meanwhile.
        case compactBeside(Int)
        case reopen(Int)
    }

    /// Commits in groups, taking over, reading what the other appended, a compaction of one beside writes of the other.
    public static let wholeScript: [Step] = [
        .write(0, .flushed), .group(1), .write(0, .memory), .write(1, .flushed), .compactBeside(0), .group(0),
        .write(1, .ordered), .write(0, .flushed),
    ]

    /// Loads, closings and openings, and a compaction between them.
    public static let loadingScript: [Step] = [
        .load(0), .write(1, .flushed), .reopen(1), .compact(1), .write(0, .memory), .load(1), .reopen(0),
        .write(1, .flushed),
    ]

    public static let scripts = [wholeScript, loadingScript]

    /// A process that dies when it has made so many calls to the disk since the processes were opened.
    public struct Death: Sendable {
        let process: Int
        let callCount: Int

        public init(of process: Int, after callCount: Int) { (self.process, self.callCount) = (process, callCount) }
    }

    private struct Process {
        let disk: ProcessDisk
        let store: Database
        let shown: Shown
    }

    /// What one process has shown of the others' commits and of its own, in its order. Commits that share a write are shown with the
    /// version that the last of them has made.
    private final class Shown: Sendable {
        private let list = Mutex<[(commit: UInt64, version: UInt64, contents: Promise.Contents?)]>([])

        func add(_ commit: PublishedCommit) {
            let contents = try? SimulatedStore.contents(of: commit.version)
            list.withLock { $0.append((commit.commitNumber, commit.version.commitNumber, contents)) }
        }

        /// What is wrong with it.
        func objection(_ promise: Promise) -> String? {
            let list = list.withLock { $0 }
            for (before, after) in zip(list, list.dropFirst()) where after.commit <= before.commit {
                return "commit \(after.commit) was shown behind commit \(before.commit)"
            }
            for (commit, version, contents) in list {
                guard let contents else { return "commit \(commit) could not be read when it was shown" }
                if version < commit { return "commit \(commit) was shown with version \(version)" }
                if !promise.knows(version, contents) {
                    return "commit \(commit) was shown with contents that version \(version) never had"
                }
            }
            return nil
        }
    }

    public let seed: UInt64
    public let disk: RecordingDisk
    /// How often a process died.
    public private(set) var deathCount = 0
    private(set) var promise = Promise.nothing
    private var contents: Promise.Contents = [:]
    private var commit: UInt64 = 0
    /// Who made the newest commit: closing flushes what a process wrote itself.
    private var newestWriter: Int?
    private var random: SeededGenerator
    private var processes: [Process] = []
    private var follower: Database?
    private var followed: UInt64 = 0

    /// Plays random steps, and lets processes die at random calls.
    public static func play(seed: UInt64, steps: Int) async throws -> SharedCrashHistory {
        var history = SharedCrashHistory(seed: seed)
        try await history.begin()
        for _ in 0..<steps {
            if history.random.next() % 3 == 0 {
                let process = Int(history.random.next() % 2)
                history.processes[process].disk.die(after: Int(history.random.next() % 80))
            }
            let step = history.someStep()
            try await history.play(step)
        }
        try await history.end()
        return history
    }

    /// Plays these steps. With a death, nobody else dies.
    public static func play(_ steps: [Step], seed: UInt64, _ death: Death? = nil) async throws -> SharedCrashHistory {
        var history = SharedCrashHistory(seed: seed)
        try await history.begin()
        if let death { history.processes[death.process].disk.die(after: death.callCount) }
        for step in steps { try await history.play(step) }
        try await history.end()
        return history
    }

    private init(seed: UInt64) {
        self.seed = seed
        disk = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        random = SeededGenerator(seed: seed)
    }

    private mutating func someStep() -> Step {
        let process = Int(random.next() % 2)
        switch random.next() % 12 {
        case 0: return .load(process)
        case 1: return .compact(process)
        case 2: return .compactBeside(process)
        case 3: return .reopen(process)
        case 4, 5: return .group(process)
        default: return .write(process, [.flushed, .flushed, .ordered, .memory].randomElement(using: &random)!)
        }
    }

    private mutating func begin() async throws {
        processes = [try start(), try start()]
        // Whose log has no frame is created once more by whoever writes first.
        try await write(0, .flushed)
        try await write(1, .flushed)
        follower = try SimulatedStore.openToRead(disk)
    }

    private func start(dyingAfter callCount: Int? = nil) throws -> Process {
        let (view, shown) = (ProcessDisk(disk), Shown())
        view.die(after: callCount)
        let store = try SimulatedStore.open(view, access: .shared, onPublish: shown.add)
        return Process(disk: view, store: store, shown: shown)
    }

    private func violation(_ finding: String) -> CrashHistory.Violation {
        CrashHistory.Violation(description: finding).behind(disk.trail(to: disk.operationCount))
    }

    // MARK: Steps

    private mutating func play(_ step: Step) async throws {
        switch step {
        case .write(let process, let durability): try await write(process, durability)
        case .group(let process): try await group(process)
        case .load(let process): try await load(process)
        case .compact(let process): try await compact(process) { _ in }
        case .compactBeside(let process):
            try await compact(process) { history in
                for durability in [Durability.flushed, .memory, .flushed] {
                    if history.processes[1 - process].disk.isDead { break }
                    try await history.write(1 - process, durability)
                }
            }
        case .reopen(let process): try await reopen(process)
        }
        try await bury()
        try await look()
    }

    private mutating func write(_ process: Int, _ durability: Durability) async throws {
        let changes = SimulatedStore.Change.some(using: &random)
        let (next, isCommit) = SimulatedStore.applying(changes, to: contents)
        if isCommit { promise.submit(commit + 1, next, at: disk.operationCount) }
        do {
            try await processes[process].store.write(durability) { try SimulatedStore.apply(changes, in: &$0) }
        } catch {
            return try requireDead(process, error)
        }
        if isCommit { (commit, contents, newestWriter) = (commit + 1, next, process) }
        try check(process)
        if isCommit, durability == .flushed { acknowledge() }
    }

    /// Each with a key of its own, so that their order makes no difference to what all of them leave.
    private mutating func group(_ process: Int) async throws {
        let changes = (0..<3 as Range<UInt8>).map { index in
            SimulatedStore.Change(
                tree: SimulatedStore.hot, key: 100 + index, value: [UInt8.random(in: 0...255, using: &random)])
        }
        let possible = (1..<8).map { mask in (0..<3).filter { mask >> $0 & 1 == 1 } }.map { members in
            (members, SimulatedStore.applying(members.map { changes[$0] }, to: contents).0)
        }
        for (members, next) in possible {
            promise.submit(commit + UInt64(members.count), next, at: disk.operationCount)
        }
        let store = processes[process].store
        let outcomes = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, change) in changes.enumerated() {
                group.addTask {
                    do {
                        try await store.write { try SimulatedStore.apply([change], in: &$0) }
                        return (index, nil)
                    } catch { return (index, error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let kept = outcomes.filter { $0.1 == nil }.map(\.0)
        if !kept.isEmpty {
            promise.acknowledgeBefore(commit + 1, at: disk.operationCount)
            for (members, next) in possible where !Set(kept).isSubset(of: members) {
                promise.withdraw(commit + UInt64(members.count), next, at: disk.operationCount)
            }
        }
        for (_, error) in outcomes { if let error { try requireDead(process, error) } }
        guard kept.count == changes.count, let all = possible.last?.1 else { return }
        (commit, contents, newestWriter) = (commit + 3, all, process)
        try check(process)
        acknowledge()
    }

    private mutating func load(_ process: Int) async throws {
        let changes = SimulatedStore.Change.load(using: &random)
        let (next, _) = SimulatedStore.applying(changes, to: contents)
        promise.submit(commit + 1, next, at: disk.operationCount)
        do {
            try await processes[process].store.load { load in
                let collector = load.makeCollector()
                for change in changes { try SimulatedStore.apply(change, in: collector) }
            }
        } catch {
            return try requireDead(process, error)
        }
        (commit, contents, newestWriter) = (commit + 1, next, process)
        try check(process)
        acknowledge()
    }

    private mutating func compact(_ process: Int, beside: (inout SharedCrashHistory) async throws -> Void) async throws
    {
        let store = processes[process].store
        let compaction = Task { try await store.compact() }
        try await beside(&self)
        do { _ = try await compaction.value } catch { try requireDead(process, error) }
    }

    private mutating func reopen(_ process: Int) async throws {
        do { try await processes[process].store.close() } catch { try requireDead(process, error) }
        guard !processes[process].disk.isDead else { return }
        if newestWriter == process { acknowledge() }
        try settleAccounts(process)
        try restart(process)
        try check(process)
    }

    // MARK: Deaths

    private func requireDead(_ process: Int, _ error: any Error) throws {
        if !processes[process].disk.isDead { throw violation("process \(process) lives, and was told \(error)") }
    }

    /// The other takes over from one that has died, and that is started again.
    private mutating func bury() async throws {
        for process in processes.indices where processes[process].disk.isDead {
            deathCount += 1
            try settleAccounts(process)
            // The first who is alive says what there is.
            if processes[1 - process].disk.isDead {
                try settleAccounts(1 - process)
                try restart(1 - process)
            }
            processes[1 - process].disk.die(after: nil)
            do { try await processes[1 - process].store.write { _ in } } catch {
                throw violation("process \(1 - process) cannot take over: \(error)")
            }
            try adopt(processes[1 - process].store.version)
            try restart(process)
        }
    }

    private mutating func restart(_ process: Int) throws {
        let callCount = processes[process].disk.isDead ? nil : processes[process].disk.remainingCallCount
        do {
            do {
                processes[process] = try start(dyingAfter: callCount)
            } catch  where callCount != nil {
                // It has died as it opened the store.
                deathCount += 1
                processes[process] = try start()
            }
        } catch {
            throw violation("process \(process) does not start: \(error)")
        }
        try adopt(processes[process].store.version)
    }

    /// The newest that any process knows.
    private mutating func adopt(_ version: Version) throws {
        let found = try SimulatedStore.contents(of: version)
        if let objection = promise.kept(at: disk.operationCount).objection(to: version.commitNumber, found) {
            throw violation("after a death, \(objection)")
        }
        if version.commitNumber != commit { newestWriter = nil }
        (commit, contents) = (version.commitNumber, found)
    }

    // MARK: Checks

    private mutating func acknowledge() { promise.acknowledge(commit, contents, at: disk.operationCount) }

    private func check(_ process: Int) throws {
        let version = processes[process].store.version
        let found = try SimulatedStore.contents(of: version)
        guard version.commitNumber == commit, found == contents else {
            throw violation(
                "process \(process) has written commit \(commit) and shows commit \(version.commitNumber) or other contents"
            )
        }
    }

    private func settleAccounts(_ process: Int) throws {
        if let objection = processes[process].shown.objection(promise) {
            throw violation("process \(process): \(objection)")
        }
    }

    private mutating func look() async throws {
        guard let follower else { return }
        await follower.follow()
        let version = follower.version
        guard version.commitNumber >= followed else {
            throw violation("who follows goes back from commit \(followed) to \(version.commitNumber)")
        }
        followed = version.commitNumber
        guard promise.knows(followed, try SimulatedStore.contents(of: version)) else {
            throw violation("who follows shows commit \(followed) with contents that it never had")
        }
    }

    private mutating func end() async throws {
        for process in processes.indices { processes[process].disk.die(after: nil) }
        try await bury()
        for process in processes.indices {
            do { try await processes[process].store.close() } catch {
                throw violation("process \(process) does not close: \(error)")
            }
            if newestWriter == process { acknowledge() }
            try settleAccounts(process)
        }
        try await look()
        guard followed == commit else { throw violation("who follows has \(followed) of \(commit) commits") }
        try await follower?.close()
        guard !disk.isLocked else { throw violation("a lock is held when all have closed") }
        try Recovery.verify(disk, mayBeMissing: false)
    }
}

extension SharedCrashHistory {
    /// Checks every power cut and kill that the history could have met, as the explorer makes them.
    public func check(_ explorer: inout CrashExplorer) async throws -> CrashCoverage {
        var coverage = try await CrashHistory.check(disk, promise, depth: 1, &explorer)
        coverage.histories = 1
        coverage.deaths = deathCount
        return coverage
    }

    /// Plays the script once for every call of each process at which that can die, or every `stride`-th; and in each play a power cut at the
    /// end that takes all that was not flushed, and at some places before.
    public static func everyDeath(in script: [Step], stride: Int, seed: UInt64) async throws -> CrashCoverage {
        var coverage = CrashCoverage()
        for process in 0..<2 {
            var callCount = Int(seed % UInt64(stride))
            while true {
                let death = Death(of: process, after: callCount)
                do {
                    let history = try await play(script, seed: seed, death)
                    // It has ended before it could die: every call had its turn.
                    if history.deathCount == 0 { break }
                    var explorer = CrashExplorer(seed: seed + UInt64(callCount))
                    (explorer.exhaustiveCount, explorer.sampleCount, explorer.stride) = (0, 0, 31)
                    coverage += try await history.check(&explorer)
                } catch let violation as CrashHistory.Violation {
                    throw CrashHistory.Violation(
                        description: "death of process \(process) at call \(callCount), seed \(seed): \(violation)")
                }
                callCount += stride
            }
        }
        return coverage
    }
}
