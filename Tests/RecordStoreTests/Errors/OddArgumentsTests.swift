import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What an app passes by mistake, or to say "none" and "no limit": an answer or an error, never the end of the process.
struct OddArgumentsTests {
    private struct Failure: Error {}

    private static func launch() -> Launch {
        Launch(file: LaunchFile(path: "launches", fileSystem: MemoryFileSystem()), clock: SystemLaunchClock())
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func `a job that is to be tried so seldom runs once`(count: Int) async {
        let launch = Self.launch()
        launch.afterFirstFrame("succeeds", retry: .upTo(count, pause: .seconds(1))) {}
        launch.afterFirstFrame("fails", retry: .upTo(count, pause: .seconds(Int64.max))) { throw Failure() }
        launch.firstFrame()
        await launch.finished()
        #expect(launch.jobs.map(\.attemptCount) == [1, 1])
        #expect(launch.jobs.map(\.state) == [.succeeded, .failed("Failure()")])
    }

    @Test func `a job that is to be tried again before it failed is tried again at once`() async {
        let launch = Self.launch()
        launch.afterFirstFrame("fails", retry: .upTo(9, pause: .seconds(Int64.min))) { throw Failure() }
        launch.firstFrame()
        await launch.finished()
        #expect(launch.jobs.map(\.attemptCount) == [9])
    }

    @Test func `a budget without an end is never exceeded, and what comes behind the frame does not count`() {
        let launch = Self.launch()
        launch.budget = .seconds(Int64.max)
        launch.beforeFirstFrame("accounts") {}
        #expect(!launch.times.isOverBudget && launch.times.stepsBeforeFirstFrame.map(\.name) == ["accounts"])
        launch.firstFrame()
        launch.budget = .seconds(Int64.min)
        launch.beforeFirstFrame("late") {}
        #expect(!launch.times.isOverBudget && launch.times.stepsBeforeFirstFrame.count == 1)
    }

    @Test func `an app's job may have the name of one of the library's, and does not keep it from running`() async {
        let launch = Self.launch()
        let (apps, own) = (Flag(), Flag())
        #expect(launch.afterFirstFrame("compaction") { apps.set() })
        launch.declareOwn("compaction") {
            own.set()
            return nil
        }
        #expect(!launch.afterFirstFrame("compaction") {}, "a second one of the app's is not taken")
        #expect(!launch.afterFirstFrame("ring", after: ["ring"]) {}, "it would wait for itself")
        launch.firstFrame()
        await launch.finished()
        #expect(apps.isSet && own.isSet)
    }

    @Test func `numbers below nothing keep nothing`() {
        #expect(!UndoKeeping(commitCount: -1).isOn)
        #expect(UndoKeeping(commitCount: 5, byteCount: .min).byteCount == 0)
        for (duration, nanoseconds) in [
            (Duration.seconds(Int64.max), Int.max), (.seconds(Int64.min), .min), (.nanoseconds(7), 7),
            (.seconds(-1), -1_000_000_000),
        ] { #expect(duration.nanoseconds == nanoseconds) }
    }

    @Test func `a year has four digits, or as many as it needs`() {
        for text in ["02020-01-01", "0002020-01-01", "-02020-01-01", "09999-01-01"] { #expect(Day(text) == nil) }
        for text in ["2020-01-01", "0002-01-01", "-0002-01-01", "12020-01-01"] {
            #expect(Day(text)?.description == text)
        }
    }

    @Test func `a range of a log that has fewer commits gives those that are there`() async throws {
        let disk = MemoryFileSystem()
        let store = try RecordLibrary(at: "A", fileSystem: disk)
        for name in ["a", "b"] { try await store.insert(LedgerAccount(name: name)) }
        try await store.close()
        var log = try RecordLibrary.log(at: "A", fileSystem: disk)
        let count = log.heads.count
        #expect(try log.commits(0..<count + 5).count == count)
        #expect(try log.commits(count + 3..<count + 5).isEmpty)
    }

    @Test func `an order of another kind is refused, not left out`() async throws {
        let store = try RecordLibrary.inMemory()
        let account = try await store.insert(LedgerAccount(name: "a"))
        try await store.insert(LedgerTransfer(account: account, amount: 1))
        let kinds = try store.snapshot.kinds
        let accounts = try #require(kinds.first { $0.name == "LedgerAccount" })
        let transfers = try #require(kinds.first { $0.name == "LedgerTransfer" })
        let error = await libraryError { try store.snapshot.list(of: accounts, in: transfers.orders[0]) }
        guard case .invalidArgument(let words) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words == "“\(transfers.orders[0].name)” is an order of another kind, and LedgerAccount has not got it.")
        #expect(try store.snapshot.list(of: transfers, in: transfers.orders[0]).count == 1)
        try await store.close()
    }
}
