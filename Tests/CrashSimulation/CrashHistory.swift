import StorageEngine
import TestSupport

/// A random history of a small store on a recording disk, and what it promised at each moment.
public struct CrashHistory {
    typealias Contents = Promise.Contents

    /// What does not hold after a crash.
    public struct Violation: Error, CustomStringConvertible {
        public let description: String

        package init(description: String) { self.description = description }

        /// The same with the operations before the crash.
        func behind(_ trail: String) -> Violation {
            Violation(description: description + "\nThe crash came behind\n" + trail)
        }
    }

    public let seed: UInt64
    public let disk: RecordingDisk
    private(set) var promise = Promise.nothing
    /// What the open store holds, worked out without it.
    private var contents: Contents = [:]
    private var commit: UInt64 = 0
    private var random: SeededGenerator
    private let hasFaults: Bool

    /// Plays the history: `steps` of commits, durable or not, some at once; loads; compactions; closings; kills; and, with
    /// `hasFaults`, calls to the disk that fail once or for ever.
    public static func play(seed: UInt64, steps: Int, hasFaults: Bool = false) async throws -> CrashHistory {
        var history = CrashHistory(seed: seed, hasFaults: hasFaults)
        try await history.run(steps: steps)
        return history
    }

    private init(seed: UInt64, hasFaults: Bool) {
        self.seed = seed
        self.hasFaults = hasFaults
        disk = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        random = SeededGenerator(seed: seed)
    }

    private mutating func run(steps: Int) async throws {
        var database = try reopen()
        for _ in 0..<steps {
            if hasFaults, random.next() % 4 == 0 { disk.fail(randomFault()) }
            switch random.next() % 13 {
            case 0:
                _ = try? await database.compact()
                // One that failed may have left the log to a rescue.
                await database.settle()
            case 1:
                if (try? await database.close()) != nil { acknowledge() }
                database = try reopen()
            case 2:
                // Killed: what was not flushed is still there for the next process to see.
                database = try reopen()
            case 3:
                // Several at once share a flush.
                let batch = (0..<3).map { _ in SimulatedStore.Change.some(using: &random) }
                try await write(batch, .flushed, to: &database)
            case 4: try await load(SimulatedStore.Change.load(using: &random), to: &database)
            default:
                let durability = [Durability.flushed, .flushed, .ordered, .memory].randomElement(using: &random)!
                try await write([SimulatedStore.Change.some(using: &random)], durability, to: &database)
            }
        }
        disk.fail(nil)
        if (try? await database.close()) != nil { acknowledge() }
    }

    private mutating func randomFault() -> DiskFault {
        let call = DiskFault.Call.allCases.randomElement(using: &random)!
        return DiskFault(call, after: Int(random.next() % 3), times: [1, 1, 2, nil].randomElement(using: &random)!)
    }

    private mutating func acknowledge() { promise.acknowledge(commit, contents, at: disk.operationCount) }

    /// What a writing opening shows is durable: it has been written again and flushed. But for a name in doubt, whose commits it
    /// moves with the first one it takes. The process before must have come to
    /// rest (it may be moving everything to new files still): on this disk nothing stops it from writing.
    private mutating func reopen() throws -> Database {
        disk.fail(nil)
        // Closed or killed: either way the process before holds no lock.
        disk.releaseLocks()
        let before = disk.operationCount
        let database = try SimulatedStore.open(disk)
        let found = try SimulatedStore.contents(of: database.version)
        if let objection = promise.kept(at: before).objection(to: database.version.commitNumber, found) {
            throw Violation(description: "after a restart, \(objection)")
        }
        (commit, contents) = (database.version.commitNumber, found)
        if !database.opening.isNameInDoubt { acknowledge() }
        return database
    }

    private mutating func write(
        _ batch: [[SimulatedStore.Change]], _ durability: Durability, to database: inout Database
    ) async throws {
        // One after the other, so that the order of the commits is known. The disk keeps the first waiting until the last is
        // there, which waits for all.
        for (index, changes) in batch.enumerated() {
            let isLast = index == batch.count - 1
            let (next, isCommit) = SimulatedStore.applying(changes, to: contents)
            if isCommit { promise.submit(commit + 1, next, at: disk.operationCount) }
            if batch.count > 1, index == 0 { disk.hold() }
            do {
                try await database.write(isLast ? durability : .memory) { [disk] transaction in
                    if isLast { disk.release() }
                    try SimulatedStore.apply(changes, in: &transaction)
                }
                // So that the same seed gives the same history.
                if isLast {
                    await database.settle()
                    try checkMemory(of: database.version)
                }
            } catch let violation as Violation {
                throw violation
            } catch {
                // Refused: not seen by anybody, and there or not after a crash.
                disk.release()
                await database.settle()
                try check(database.version)
                return try await goOn(&database)
            }
            guard isCommit else { continue }
            (commit, contents) = (commit + 1, next)
            try check(database.version)
            if isLast, durability == .flushed { acknowledge() }
        }
    }

    private mutating func load(_ changes: [SimulatedStore.Change], to database: inout Database) async throws {
        // One load in four makes a tree anew. Drawn from the changes, so that a seed keeps its history.
        let anew = changes.first.flatMap { $0.key % 4 == 0 ? $0.tree : nil }
        let kept = anew.map { SimulatedStore.without($0, contents) } ?? contents
        let (next, _) = SimulatedStore.applying(changes, to: kept)
        promise.submit(commit + 1, next, at: disk.operationCount)
        do {
            try await database.load { load in
                if let anew { load.replace(anew) }
                // Two, so that there is something to merge, and some entries in both or twice in one.
                let collectors = [load.makeCollector(), load.makeCollector()]
                for (index, change) in changes.enumerated() {
                    try SimulatedStore.apply(change, in: collectors[index % 2])
                    if change.key % 3 < 2 { try SimulatedStore.apply(change, in: collectors[Int(change.key) % 3]) }
                }
                // Exports repeat themselves.
                if let first = changes.first { try SimulatedStore.apply(first, in: collectors[0]) }
                if let last = changes.last { try SimulatedStore.apply(last, in: collectors[0]) }
            }
            (commit, contents) = (commit + 1, next)
            try check(database.version)
            acknowledge()
        } catch let violation as Violation {
            throw violation
        } catch StorageError.damaged(let damage) {
            // Calls fail on this disk, and nothing rots.
            throw Violation(description: "a load met damage: \(damage)")
        } catch {
            await database.settle()
            try check(database.version)
            try await goOn(&database)
        }
    }

    /// After an error one app opens the store anew, another goes on with it, on a disk that works again or does not, and a third
    /// closes it and believes what that says.
    private mutating func goOn(_ database: inout Database) async throws {
        switch random.next() % 4 {
        case 0: database = try reopen()
        case 1:
            disk.fail(nil)
            if (try? await database.close()) != nil { acknowledge() }
            database = try reopen()
        case 2: disk.fail(nil)
        default: break
        }
    }

    private func checkMemory(of version: Version) throws {
        let findings = version.memoryFindings()
        guard findings.isEmpty else { throw Violation(description: "in memory, \(findings)") }
    }

    /// Readers see what was acknowledged, whatever the disk does.
    private func check(_ version: Version) throws {
        guard version.commitNumber == commit, try SimulatedStore.contents(of: version) == contents else {
            throw Violation(
                description:
                    "a running store at commit \(commit) shows commit \(version.commitNumber) or other contents")
        }
    }
}
