import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Systems that suspend processes: a shared store takes a lock only in time that it was granted, and loses nothing where none is.
struct SuspensionTests {
    private let activities = ScriptedActivities()
    private let faults = FaultyFileSystem()
    private let disk: WatchedLocks

    init() { disk = WatchedLocks(faults, activities) }

    private func open(limit: Duration? = nil, isAsked: Bool = true) throws -> Database {
        var options = Options.patient()
        if let limit { options.lockLimit = limit }
        if isAsked { options.lockActivities = activities }
        return try Database.open(
            at: "A", trees: numberTrees, options: options, fileSystem: isAsked ? disk : faults)
    }

    private func isSuspended(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch {
            return error as? StorageError == .suspended(path: "A")
        }
    }

    /// Nothing is held, and nothing was ever but in time that was granted.
    private func expectRest() async {
        while activities.isRunning { await pause() }
        #expect(disk.held.isEmpty && disk.untimely.isEmpty, "\(disk.held) \(disk.untimely)")
    }

    @Test func `every lock lies within time that was granted`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<100)
        try await second.put(100..<200)
        try await first.compact()
        await second.follow()
        try await second.load { load in
            load.replace(numbers)
            let collector = load.makeCollector()
            for number in 0..<5000 as Range<UInt64> {
                try collector.put(Array("loaded".utf8), forKey: .key(number), in: numbers)
            }
        }
        try await first.put(5000..<5001)
        try await first.close()
        try await second.close()
        #expect(activities.begunCount >= 8)
        await expectRest()
    }

    @Test func `a restore is staged in time that was granted, and given up when that is over`() async throws {
        let store = try open()
        try await store.put(0..<1000)
        _ = try await Database.backup(at: "A", to: "B", fileSystem: faults)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: faults))
        var options = Options.patient()
        options.lockActivities = activities
        func stage(_ progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws {
            _ = try await Database.stageRestore(
                plan, at: "A", replacing: true, options: options, fileSystem: disk, progress: progress)
        }
        let before = try faults.names(inDirectory: "A").sorted()
        activities.refuse(true)
        #expect(await isSuspended { try await stage() })
        activities.refuse(false)
        #expect(await isSuspended { try await stage { [activities] _ in activities.expire() } })
        #expect(try faults.names(inDirectory: "A").sorted() == before, "nothing was staged")
        await expectRest()
        activities.refuse(false)
        try await stage()
        await expectRest()
        try await store.close()
    }

    @Test func `what is refused time throws suspended, and is done when there is time again`() async throws {
        let store = try open()
        try await store.put(0..<10)
        await expectRest()
        activities.refuse(true)
        #expect(await isSuspended { try await store.put(10..<20) })
        #expect(await isSuspended { try await store.compact() })
        #expect(await isSuspended { try await store.load { _ in } })
        #expect(await isSuspended { _ = try open() })
        #expect(try store.version.count(in: numbers) == 10)
        activities.refuse(false)
        try await store.put(20..<30)
        try await store.compact()
        #expect(try store.version.count(in: numbers) == 20)
        try await store.close()
        await expectRest()
    }

    @Test func `when the time is over a group is ended, and what comes after it is suspended`() async throws {
        let store = try open()
        let gate = faults.gate(.flush, "log-")
        async let first: Void = store.put(0..<10)
        await gate.reached()
        activities.expire()
        async let late = isSuspended { try await store.put(10..<20) }
        try await Task.sleep(for: .milliseconds(20))
        gate.open()
        try await first
        #expect(await late)
        #expect(try store.version.count(in: numbers) == 10)
        await expectRest()
        activities.refuse(false)
        try await store.put(20..<30)
        try await store.close()
        #expect(try open().version.count(in: numbers) == 20)
    }

    @Test func `a compaction is given up when the time is over, and can be had later`() async throws {
        let (store, other) = (try open(), try open(isAsked: false))
        try await store.put(0..<100)
        let gate = faults.gate(.write, "snapshot-")
        async let isGivenUp = isSuspended { try await store.compact() }
        await gate.reached()
        // Others write meanwhile.
        try await other.put(100..<110)
        activities.expire()
        while await store.writer?.isCompactionCancelled != true { await pause() }
        gate.open()
        #expect(await isGivenUp)
        await expectRest()
        #expect(try !faults.names(inDirectory: "A").contains { $0.hasSuffix(".tmp") })
        try faults.lock("A/compacting").unlock()
        activities.refuse(false)
        try await store.put(110..<120)
        #expect(try await store.compact().generation == 2)
        #expect(try store.version.count(in: numbers) == 120)
        #expect(try Verifier.verify(at: "A", fileSystem: faults).isSound)
        try await store.close()
        try await other.close()
    }

    @Test func `a load is given up when the time is over, and nothing of it was added`() async throws {
        let store = try open()
        try await store.put(0..<10)
        let gate = faults.gate(.write, "snapshot-")
        async let isGivenUp = isSuspended {
            try await store.load { load in
                let collector = load.makeCollector()
                for number in 0..<5000 as Range<UInt64> {
                    try collector.put(Array("loaded".utf8), forKey: .key(number), in: numbers)
                }
            }
        }
        await gate.reached()
        activities.expire()
        while await store.writer?.isLoadCancelled != true { await pause() }
        gate.open()
        #expect(await isGivenUp)
        await expectRest()
        activities.refuse(false)
        try await store.put(10..<20)
        #expect(try store.version.count(in: numbers) == 20)
        try await store.close()
    }

    @Test func `a restore is given up when the time is over, and can be had later`() async throws {
        let store = try open()
        try await store.put(0..<10)
        _ = try await Database.backup(at: "A", to: "B", fileSystem: faults)
        try await store.put(10..<20)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: faults))
        await expectRest()
        activities.refuse(true)
        #expect(await isSuspended { _ = try await store.restore(plan) })
        activities.refuse(false)
        let gate = faults.gate(.write, "snapshot-")
        async let isGivenUp = isSuspended { _ = try await store.restore(plan) }
        await gate.reached()
        activities.expire()
        while await store.writer?.isRestorationCancelled != true { await pause() }
        gate.open()
        #expect(await isGivenUp)
        await expectRest()
        #expect(try !faults.names(inDirectory: "A").contains { $0.hasSuffix(".tmp") })
        activities.refuse(false)
        #expect(try store.version.count(in: numbers) == 20)
        _ = try await store.restore(plan)
        #expect(try store.version.count(in: numbers) == 10)
        try await store.close()
        await expectRest()
    }

    @Test func `who waits for another process gives up its turn when the time is over`() async throws {
        let (store, other) = (try open(), try open(isAsked: false))
        let gate = faults.gate(.flush, "log-")
        async let held: Void = other.put(0..<10)
        await gate.reached()
        async let isGivenUp = isSuspended { try await store.put(10..<20) }
        while !disk.held.contains("A/turn") { await pause() }
        activities.expire()
        #expect(await isGivenUp)
        await expectRest()
        gate.open()
        try await held
        // Without the turn of who waited nobody else could have it.
        try await other.put(20..<30)
        activities.refuse(false)
        try await store.put(30..<40)
        #expect(try store.version.count(in: numbers) == 30)
        try await store.close()
        try await other.close()
    }

    @Test func `closing without time keeps what was acknowledged`() async throws {
        let store = try open()
        try await store.put(0..<10, .memory)
        await expectRest()
        activities.refuse(true)
        try await store.close()
        #expect(disk.held.isEmpty)
        activities.refuse(false)
        #expect(try open().version.count(in: numbers) == 10)
    }

    @Test func `a store that was opened without time can be read, and is opened again later`() async throws {
        try await open().close()
        activities.refuse(true)
        var options = Options.patient()
        options.lockActivities = activities
        let store = Database.opening(at: "A", trees: numberTrees, options: options, fileSystem: disk)
        try await store.ready()
        #expect(await isSuspended { try await store.put(0..<10) })
        #expect(try store.version.count(in: numbers) == 0)
        activities.refuse(false)
        #expect(store.retry())
        try await store.ready()
        try await store.put(0..<10)
        try await store.close()
        await expectRest()
    }
}

extension Writer {
    /// Whether a compaction that runs was told to end.
    fileprivate var isCompactionCancelled: Bool { compaction?.isCancelled ?? false }
    fileprivate var isLoadCancelled: Bool { cancelLoad == nil }
    fileprivate var isRestorationCancelled: Bool { restoration?.isCancelled ?? false }
}
