import Foundation
import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// What a library does by itself in a launch.
struct OwnJobsTests {
    /// Before it has orders.
    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
        static let recordName = "Entry"
    }

    private struct Ordered: Record {
        var id: ID<Ordered> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
        static let recordName = "Entry"
        static let schema = Schema { Order("by title", \.title) }
    }

    private static func launch() -> Launch {
        Launch(file: LaunchFile(path: "launches", fileSystem: MemoryFileSystem()))
    }

    private func job(_ name: String, of launch: Launch) -> LaunchJob? { launch.jobs.first { $0.name == name } }

    // MARK: Launch

    @Test func `the library's own jobs run one after the other, beside four of the app's`() async {
        let launch = Self.launch()
        let running = Atomic(0)
        let most = Mutex(0)
        let gate = Flag()
        for number in 0..<4 {
            launch.afterFirstFrame("app \(number)") { while !gate.isSet { await pause() } }
        }
        for number in 0..<3 {
            launch.declareOwn("own \(number)") {
                let now = running.add(1, ordering: .acquiringAndReleasing).newValue
                most.withLock { $0 = max($0, now) }
                for _ in 0..<10 { await Task.yield() }
                running.subtract(1, ordering: .acquiringAndReleasing)
                return "\(number)"
            }
        }
        launch.firstFrame()
        while launch.jobs.count(where: { $0.isLibrarysOwn && $0.state == .succeeded }) < 3 { await pause() }
        #expect(launch.jobs.count { $0.state == .running } == 4, "the app's have their places")
        gate.set()
        await launch.finished()
        #expect(most.withLock { $0 } == 1)
        #expect(launch.jobs.filter(\.isLibrarysOwn).map(\.outcome) == ["0", "1", "2"])
    }

    @Test func `a job that need not wait for the first frame does not, and the others do`() async {
        let launch = Self.launch()
        launch.declareOwn("orders", beginsAtOnce: true) { "made" }
        launch.declareOwn("compaction") { "not due" }
        while job("orders", of: launch)?.state != .succeeded { await pause() }
        #expect(job("compaction", of: launch)?.state == .waiting)
        launch.firstFrame()
        await launch.finished()
        #expect(launch.jobs.map(\.outcome) == ["made", "not due"])
    }

    @Test func `what is done when the app leaves is done once for each time, and after the first frame`() async {
        let launch = Self.launch()
        let count = Atomic(0)
        launch.declareOwn("compaction", recursOnLeaving: true) {
            count.add(1, ordering: .relaxed)
            return launch.hasLeft ? "away" : "there"
        }
        launch.enteredBackground()
        #expect(job("compaction", of: launch)?.state == .waiting, "nothing was shown yet")
        launch.becameActive()
        launch.firstFrame()
        await launch.finished()
        #expect(job("compaction", of: launch)?.outcome == "there")
        launch.resignedActive()
        launch.enteredBackground()
        await launch.finished()
        #expect(count.load(ordering: .relaxed) == 2 && job("compaction", of: launch)?.outcome == "away")
        launch.becameActive()
        await launch.finished()
        #expect(count.load(ordering: .relaxed) == 2, "coming back is no leaving")
        launch.resignedActive()
        await launch.finished()
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func `a job may leave a word, and the history keeps it with what failed`() async throws {
        let disk = MemoryFileSystem()
        let launch = Launch(file: LaunchFile(path: "launches", fileSystem: disk))
        struct Failure: Error {}
        launch.afterFirstFrame("suggestions") { "3 works" }
        launch.afterFirstFrame("silent") {}
        launch.afterFirstFrame("broken") { throw Failure() }
        launch.noteOpened(OpeningReport(), isWritable: true, readable: .now)
        launch.firstFrame()
        await launch.finished()
        #expect(launch.jobs.map(\.outcome) == ["3 works", nil, nil])
        #expect(launch.jobs.map(\.state.description) == ["done", "done", "failed: Failure()"])
        await launch.close()
        let noted = try #require(launch.history.last)
        #expect(noted.jobs?.map(\.name) == ["suggestions", "silent", "broken"])
        #expect(noted.jobs?.map(\.state) == ["succeeded", "succeeded", "failed"])
        #expect(noted.jobs?.map(\.outcome) == ["3 works", nil, "Failure()"])
        #expect(noted.firstReadableNanoseconds != nil && noted.firstReadNanoseconds == nil)
    }

    @Test func `a file of launches from before there were these figures is read`() throws {
        let disk = MemoryFileSystem()
        let payload = """
            {"launches":[{"date":7,"blockedNanoseconds":1,"readyNanoseconds":2,"mappingNanoseconds":3,"replayNanoseconds":4,\
            "replayedCommitCount":5,"logByteCount":6,"snapshotByteCount":7,"generation":8,"stepsBeforeFirstFrame":[],\
            "firstFrameNanoseconds":9,"readPageCount":10,"isOverBudget":false}],"jobs":[{"name":"daily","lastSuccess":1}]}
            """
        try disk.openFile("launches", .creating)
            .write(SideFileFormat.bytes(around: Array(payload.utf8), magic: "BDLAUNCH"), at: 0)
        let contents = LaunchFile(path: "launches", fileSystem: disk).read()
        let launch = try #require(contents.launches.first)
        #expect(launch.readPageCount == 10 && launch.generation == 8 && contents.jobs.count == 1)
        #expect(launch.jobs == nil && launch.firstReadableNanoseconds == nil && launch.firstReadNanoseconds == nil)
    }

    // MARK: Library

    @Test func `a launch says when there was something to read, and when it was read`() async throws {
        let disk = GatedDisk()
        let begin = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        try await begin.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await begin.close()
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk))
        try await store.ready()
        #expect(store.launch.times.firstReadNanoseconds == nil, "nobody has asked")
        _ = store.snapshot
        let times = store.launch.times
        let read = try #require(times.firstReadNanoseconds)
        let (readable, ready) = (try #require(times.firstReadableNanoseconds), try #require(times.readyNanoseconds))
        #expect(readable <= ready && readable > 0 && read >= readable)
        _ = store.snapshot
        #expect(store.launch.times.firstReadNanoseconds == read, "once")
        try await store.close()
    }

    @Test func `orders that were left unfinished are made by a job, which says so, and health how far it is`()
        async throws
    {
        let disk = GatedDisk()
        let begin = try RecordLibrary(at: "A.bookdb", fileSystem: disk, buildsOrders: false)
        try await begin.write(.memory) { library in
            for number in 0..<3_000 { _ = try library.insert(Plain(title: "t\(number)")) }
        }
        try await begin.write { library in _ = try library.insert(Ordered(title: "new")) }
        #expect(try begin.snapshot.version.kindsWithUnfinishedOrders() == ["Entry"])
        _ = try await begin.write { try $0.buildOrders(ofKind: "Entry", entryCount: 500) }
        var goal = OrderGoal()
        let fraction = goal.fraction(in: begin.snapshot.version)
        #expect(fraction > 0 && fraction < 1)
        try await begin.close()

        let store = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        while job("making orders", of: store.launch)?.state != .succeeded { await pause() }
        #expect(job("making orders", of: store.launch)?.outcome == "orders of Entry")
        #expect(try store.snapshot.list(Ordered.self, "by title").count == 3_001)
        #expect(goal.fraction(in: store.snapshot.version) == 1)
        #expect(store.health.name == "ready")
        try await store.close()
    }

    @Test func `the log is folded into the snapshot when the app leaves and the next replay would pay for it`()
        async throws
    {
        let disk = GatedDisk()
        let store = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        store.launch.firstFrame()
        await store.launch.finished()
        let generation = store.opening.generation
        #expect(job("compaction", of: store.launch)?.outcome?.hasPrefix("not worth it yet") == true)
        #expect(store.database.version.snapshotGeneration == generation)
        store.launch.resignedActive()
        await store.launch.finished()
        #expect(store.database.version.snapshotGeneration == generation, "a short log is replayed faster than folded")
        store.launch.becameActive()
        // As if its replay had taken long.
        var report = store.opening
        report.replayNanoseconds = 3_600_000_000_000
        store.launch.noteOpened(report, isWritable: true, readable: nil)
        store.launch.enteredBackground()
        await store.launch.finished()
        #expect(store.database.version.snapshotGeneration == generation + 1)
        #expect(job("compaction", of: store.launch)?.outcome?.hasSuffix("of log are part of the snapshot now") == true)
        store.launch.becameActive()
        store.launch.enteredBackground()
        await store.launch.finished()
        #expect(store.database.version.snapshotGeneration == generation + 1, "once")
        try await store.close()
    }

    @Test func `a compaction is worth it when replays have cost as much, and away from the screen the next one counts`()
    {
        func isDue(_ spent: Int, hasLeft: Bool) -> Bool {
            RecordLibrary.isCompactionDue(spent: spent, log: 1_000, snapshot: 2_000, hasLeft: hasLeft)
        }
        // 5 ms, and 10 ns a byte of both.
        #expect(isDue(5_030_000, hasLeft: false) && !isDue(5_029_999, hasLeft: false))
        #expect(isDue(5_020_000, hasLeft: true) && !isDue(5_019_999, hasLeft: true))
    }

    // MARK: Samples

    @Test func `a sample of a sound library reads a bounded part of it, and says that it is sound`() async throws {
        let library = try await HealthTests.makeDamageable(30_000)
        let store = try library.open()
        let before = store.database.version.touchedPageCount
        let outcome = try await store.verifySample { _ in Issue.record("nothing is damaged") }
        let read = store.database.version.touchedPageCount - before
        #expect(outcome.hasPrefix("sound: "), "\(outcome)")
        #expect((10...VerificationSample.pageCount + 8).contains(read))
        #expect(store.health.name == "ready")
        try await store.close()
    }

    @Test func `a sample finds a damaged page sooner or later, and health and the log tell of it`() async throws {
        let library = try await HealthTests.makeDamageable()
        try library.flip("Account 1777")
        let log = HealthTests.HeardEvents()
        let store = try RecordLibrary(
            RecordLibrary.open(
                DamageableLibrary.path, LibrarySettings(fileSystem: library.fileSystem, log: log)))
        #expect(store.health.name == "ready", "nobody has read there")
        var random = SeededGenerator.forTest(fallback: 11)
        var outcome = ""
        for _ in 0..<100 where !outcome.hasPrefix("damaged") {
            outcome = try await store.verifySample({ log.log($0(store.database.path)) }, using: &random)
        }
        #expect(outcome.hasPrefix("damaged: "))
        guard case .damaged(let report) = store.health else { Issue.record("\(store.health)"); return }
        #expect(report.parts == ["the app's own records"] && report.damage.page != nil, "\(report)")
        #expect(log.all.count { $0.kind == .damaged } == 1, "once")
        try? await store.close()
    }

    @Test func `a record that is none is found though its page is sound`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        let id = try await store.write { try $0.insert(LedgerAccount(name: "Savings")) }
        let tree = try #require(store.snapshot.version.kindTree("LedgerAccount"))
        try await store.database.write { transaction in
            try transaction.put([0xFF, 0xFF, 0xFF], forKey: id.rawValue, in: tree)
        }
        var events: [DiagnosticEvent] = []
        let outcome = try await store.verifySample { events.append($0("A")) }
        #expect(outcome.hasPrefix("damaged: ") && outcome.contains("is no record"))
        #expect(events.map(\.kind) == [.damaged] && store.health.name == "damaged")
        _ = try await store.verifySample { events.append($0("A")) }
        #expect(events.count == 1, "told once")
        try await store.close()
    }

    @Test func `two jobs that close their library do not wait for each other`() async throws {
        let store = try RecordLibrary.inMemory()
        let areThere = Atomic(0)
        let closedCount = Atomic(0)
        for name in ["sign out", "move away"] {
            store.launch.afterFirstFrame(name) {
                areThere.add(1, ordering: .relaxed)
                while areThere.load(ordering: .relaxed) < 2 { await pause() }
                try await store.close()
                closedCount.add(1, ordering: .relaxed)
            }
        }
        store.launch.firstFrame()
        await pause { closedCount.load(ordering: .relaxed) == 2 }
        #expect(closedCount.load(ordering: .relaxed) == 2)
        #expect(await libraryError { try await store.insert(LedgerAccount(name: "late")) } != nil)
    }

    @Test func `a job may close its library, and is not waited for by itself`() async throws {
        let store = try RecordLibrary.inMemory()
        let (hasFinished, hasClosed) = (Flag(), Flag())
        store.launch.afterFirstFrame("close") {
            await store.launch.finished()
            hasFinished.set()
            try await store.close()
            hasClosed.set()
        }
        store.launch.firstFrame()
        while !hasClosed.isSet { await pause() }
        #expect(hasFinished.isSet)
        try await store.close()
        #expect(await libraryError { try await store.insert(LedgerAccount(name: "late")) } != nil)
    }
}
