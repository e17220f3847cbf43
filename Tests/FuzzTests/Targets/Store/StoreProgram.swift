import StorageEngine
import TestSupport

@testable import CrashSimulation

/// Plays an input as a program for a store on a disk that fails and forgets, and compares with what a dictionary holds and
/// with what the store has promised.
struct StoreProgram {
    private static let stepLimit = 60

    private var input: ByteReader
    /// Decides what a failed flush has brought to the medium, and other small things.
    private var random: SeededGenerator
    private var disk = FailingDisk(RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil)))
    private var database: Database?
    private var promise = Promise.nothing
    /// What the open store holds, worked out without it.
    private var commit: UInt64 = 0
    private var contents: Promise.Contents = [:]
    /// Versions that are held, with what they held at first.
    private var held: [(version: Version, contents: Promise.Contents)] = []

    init(_ input: ByteReader) {
        self.input = input
        random = SeededGenerator(seed: UInt64(self.input.byte()))
    }

    mutating func run() async throws {
        try open()
        for _ in 0..<Self.stepLimit where !input.isAtEnd { try await step() }
        try cutPower()
        disk.arm(nil)
        try open()
        try await close()
        try open()
    }

    private mutating func step() async throws {
        switch input.choice(16) {
        case 0...4: try await write(.flushed)
        case 5: try await write(.ordered)
        case 6: try await write(.memory)
        case 7: try await writeAtOnce()
        case 8: try await compact()
        case 9: try await load()
        case 10: try await close()
        case 11: try cutPower()
        case 12: try kill()
        case 13, 14:
            disk.arm(
                FailingDisk.Fault(
                    callsLeft: input.choice(24), failureCount: 1 + input.choice(3), isFull: input.oneIn(3)))
        default: hold()
        }
        if !input.oneIn(4) { try open() }
    }

    // MARK: Opening and closing

    /// Leaves the store closed when the disk fails meanwhile.
    private mutating func open() throws {
        guard database == nil else { return }
        disk.forget()
        if !disk.isArmed { try verify() }
        let before = disk.base.operationCount
        let opened: Database
        do {
            opened = try SimulatedStore.open(disk)
        } catch let error as StorageError {
            return try claim(disk.hasFailed, "a store that was not damaged does not open: \(error)")
        }
        let found = try SimulatedStore.contents(of: opened.version)
        let objection = promise.kept(at: before).objection(to: opened.version.commitNumber, found)
        try claim(objection == nil, "\(objection ?? "") behind\n\(disk.base.trail(to: before))")
        let findings = opened.version.invariantFindings()
        try claim(findings.isEmpty, "\(findings)")
        (commit, contents) = (opened.version.commitNumber, found)
        // What a writing opening shows is durable.
        acknowledge()
        database = opened
    }

    private mutating func acknowledge() { promise.acknowledge(commit, contents, at: disk.base.operationCount) }

    private func verify() throws {
        let hasSnapshot = disk.base.files.keys.contains { $0.hasPrefix("snapshot-") && !$0.contains("tmp") }
        guard hasSnapshot else { return try claim(promise.allowsNothing, "the snapshot is gone") }
        let report = try Verifier.verify(at: SimulatedStore.path, fileSystem: disk.base)
        try claim(report.isSound, "verify: \(report.damage) \(report.treeFindings)")
    }

    private mutating func close() async throws {
        guard let database else { return }
        self.database = nil
        do throws(StorageError) {
            try await database.close()
            // Behind a refused write, whether that is on the disk stays open.
            if !disk.hasFailed { acknowledge() }
        } catch {
            try claim(disk.hasFailed, "closing failed: \(error)")
        }
        try letGo()
    }

    // MARK: Crashes

    private var medium: CrashState {
        mutating get {
            var state = disk.base.start
            for operation in disk.base.operations { state.apply(operation, using: &random) }
            return state
        }
    }

    /// Of what was not flushed the input chooses what survives, and how much of the last write.
    private mutating func cutPower() throws {
        let state = medium
        let count = state.pending.count
        let survivors: [Bool]
        switch input.choice(4) {
        case 0: survivors = Array(repeating: true, count: count)
        case 1: survivors = Array(repeating: false, count: count)
        case 2:
            let kept = input.choice(count + 1)
            survivors = (0..<count).map { $0 < kept }
        default: survivors = (0..<count).map { _ in input.byte() & 1 == 1 }
        }
        var tear: (index: Int, tear: CrashState.Tear)?
        let lastWrite = survivors.indices.last { survivors[$0] && state.pending[$0].writtenByteCount != nil }
        if let lastWrite, let byteCount = state.pending[lastWrite].writtenByteCount, input.oneIn(2) {
            let cut = Int(input.number(UInt16.self)) % (byteCount + 1)
            let tears = [CrashState.Tear.kept(0..<cut), .kept(cut..<byteCount), .sizeOnly]
            tear = (lastWrite, tears[input.choice(3)])
        }
        let filler = [CrashState.Filler.zeros, .noise(random.next()), .stale][input.choice(3)]
        try crash(
            RecordingDisk(
                directory: SimulatedStore.path, image: state.image(survivors: survivors, tear: tear, filler: filler)))
    }

    /// The process ends; the next one sees all that it wrote, flushed or not.
    private mutating func kill() throws {
        try crash(disk.base.afterKill(operationCount: disk.base.operationCount, medium: medium))
    }

    private mutating func crash(_ left: RecordingDisk) throws {
        try letGo()
        database = nil
        promise = promise.kept(at: disk.base.operationCount)
        disk = FailingDisk(left)
    }

    // MARK: Writing

    private mutating func changes() -> [SimulatedStore.Change] {
        (0...input.choice(3)).map { _ in
            let kind = input.byte()
            let key = input.byte() % 32
            let value = [UInt8](repeating: kind, count: Int(input.byte()) * (kind & 2 == 2 ? 40 : 1))
            return SimulatedStore.Change(
                tree: kind & 1 == 1 ? SimulatedStore.cold : SimulatedStore.hot, key: key,
                value: kind & 12 == 12 ? nil : value)
        }
    }

    private mutating func write(_ durability: Durability) async throws {
        guard let database else { return }
        let changes = changes()
        let (next, isCommit) = SimulatedStore.applying(changes, to: contents)
        if isCommit { promise.submit(commit + 1, next, at: disk.base.operationCount) }
        do {
            try await database.write(durability) { try SimulatedStore.apply(changes, in: &$0) }
            if isCommit {
                (commit, contents) = (commit + 1, next)
                if durability == .flushed { acknowledge() }
            }
        } catch let error as StorageError {
            try claim(disk.hasFailed, "a write failed: \(error)")
        }
        try compare(database)
        // So that the same input gives the same history.
        await database.settle()
        let findings = database.version.memoryFindings()
        try claim(findings.isEmpty, "\(findings)")
    }

    /// Readers see what was acknowledged, whatever the disk does.
    private func compare(_ database: Database) throws {
        let version = database.version
        try claim(version.commitNumber == commit, "at commit \(commit) the store shows \(version.commitNumber)")
        try claim(try SimulatedStore.contents(of: version) == contents, "commit \(commit) holds something else")
    }

    /// Transactions that arrive together. Which is first is known afterwards.
    private mutating func writeAtOnce() async throws {
        guard let database, !disk.isArmed, !disk.hasFailed else { return }
        let base = input.byte()
        let numbered = try await withThrowingTaskGroup(of: (UInt64, SimulatedStore.Change).self) { group in
            for index in 0..<4 as Range<UInt8> {
                let tree = index == 3 ? SimulatedStore.cold : SimulatedStore.hot
                let change = SimulatedStore.Change(tree: tree, key: 40 + index % 2, value: [base, index])
                group.addTask {
                    let number = try await database.write { transaction in
                        try SimulatedStore.apply([change], in: &transaction)
                        return transaction.commitNumber
                    }
                    return (number, change)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, change) in numbered.sorted(by: { $0.0 < $1.0 }) {
            try claim(number == commit + 1, "commit \(number) follows \(commit)")
            (commit, contents) = (number, SimulatedStore.applying([change], to: contents).0)
            promise.submit(commit, contents, at: 0)
        }
        acknowledge()
        try compare(database)
    }

    /// A few entries, which become a transaction, or more than the store holds.
    private mutating func load() async throws {
        guard let database else { return }
        let byteCount = input.oneIn(2) ? 4_000 : 5
        let changes = Set((0...input.choice(4)).map { _ in input.byte() % 64 }).sorted().map { number in
            SimulatedStore.Change(
                tree: number < 32 ? SimulatedStore.hot : SimulatedStore.cold, key: number % 32,
                value: [UInt8](repeating: number, count: byteCount))
        }
        let (next, _) = SimulatedStore.applying(changes, to: contents)
        promise.submit(commit + 1, next, at: disk.base.operationCount)
        do {
            try await database.load { load in
                let collectors = [load.makeCollector(), load.makeCollector()]
                for change in changes {
                    // Some are in both.
                    for collector in collectors.prefix(1 + Int(change.key) % 2) {
                        try SimulatedStore.apply(change, in: collector)
                    }
                }
            }
            (commit, contents) = (commit + 1, next)
            acknowledge()
        } catch let error as StorageError {
            try claim(disk.hasFailed, "a load failed: \(error)")
        }
        try compare(database)
        await database.settle()
    }

    private mutating func compact() async throws {
        guard let database else { return }
        do {
            try await database.compact()
            acknowledge()
        } catch let error as StorageError {
            try claim(disk.hasFailed, "a compaction failed: \(error)")
        }
        try compare(database)
    }

    // MARK: Versions held

    private mutating func hold() {
        guard let database, held.count < 4 else { return }
        held.append((database.version, contents))
    }

    /// Whatever happened since, a version is what it was.
    private mutating func letGo() throws {
        for (version, contents) in held {
            try claim(try SimulatedStore.contents(of: version) == contents, "a version that was held has changed")
        }
        held = []
    }
}
