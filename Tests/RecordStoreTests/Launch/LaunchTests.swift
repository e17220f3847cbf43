import Foundation
import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// What an app does around its first frame.
struct LaunchTests {
    private static let path = "A.bookdb"

    /// A time of day that a test sets. Pauses end when the test lets them.
    private final class Clock: LaunchClock {
        private struct State {
            var date = Date(timeIntervalSince1970: 1_000_000)
            var lookCount = 0
            var pauses: [Duration] = []
        }

        private let state = Mutex(State())
        /// While it is set no pause ends.
        let holdsPauses = Flag()

        var date: Date {
            get {
                state.withLock { state in
                    state.lookCount += 1
                    return state.date
                }
            }
            set { state.withLock { $0.date = newValue } }
        }
        /// How often somebody asked for the date.
        var lookCount: Int { state.withLock { $0.lookCount } }
        var pauses: [Duration] { state.withLock { $0.pauses } }

        func sleep(for duration: Duration) async throws {
            state.withLock { $0.pauses.append(duration) }
            await Task.yield()
            while holdsPauses.isSet { await pause() }
        }
    }

    private static func launch(_ disk: any FileSystem, _ clock: Clock = Clock()) -> Launch {
        Launch(file: LaunchFile(path: "launches", fileSystem: disk), clock: clock)
    }

    /// What was done, in order.
    private final class Notes: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ word: String) { list.withLock { $0.append(word) } }
    }

    private struct Failure: Error {}

    private func states(_ launch: Launch) -> [String: LaunchJob.State] {
        Dictionary(uniqueKeysWithValues: launch.jobs.map { ($0.name, $0.state) })
    }

    @Test func `who waits for the end of the jobs and is cancelled does not wait on`() async throws {
        let launch = Self.launch(MemoryFileSystem())
        let (isRunning, mayEnd) = (Flag(), Flag())
        launch.afterFirstFrame("slow") {
            isRunning.set()
            while !mayEnd.isSet { await pause() }
        }
        launch.firstFrame()
        while !isRunning.isSet { await pause() }
        let waiting = Task { await launch.finished() }
        waiting.cancel()
        await waiting.value
        #expect(states(launch) == ["slow": .running])
        mayEnd.set()
        await launch.finished()
        #expect(states(launch) == ["slow": .succeeded])
    }

    // MARK: Before the first frame

    @Test func `what comes before the first frame runs at once, and is told when it takes too long`() throws {
        let told = Notes()
        let launch = Launch(file: nil, exceeded: { told.add($0.stepsBeforeFirstFrame.last?.name ?? "") })
        #expect(launch.budget == .milliseconds(300))
        #expect(launch.beforeFirstFrame("theme") { 7 } == 7)
        #expect(throws: Failure.self) { try launch.beforeFirstFrame("broken") { throw Failure() } }
        #expect(told.all.isEmpty && !launch.times.isOverBudget)
        launch.budget = .zero
        launch.beforeFirstFrame("accounts") {}
        launch.beforeFirstFrame("more") {}
        #expect(told.all == ["accounts"] && launch.times.isOverBudget, "once")
        #expect(launch.times.stepsBeforeFirstFrame.map(\.name) == ["theme", "broken", "accounts", "more"])
    }

    // MARK: Jobs

    @Test func `jobs wait for the first frame and run once`() async throws {
        let launch = Self.launch(MemoryFileSystem())
        let notes = Notes()
        #expect(launch.afterFirstFrame("tidy") { notes.add("tidy") })
        #expect(!launch.afterFirstFrame("tidy") { notes.add("again") })
        await launch.finished()
        #expect(notes.all.isEmpty && states(launch) == ["tidy": .waiting])
        launch.firstFrame()
        launch.firstFrame()
        launch.afterFirstFrame("late") { notes.add("late") }
        await launch.finished()
        launch.becameActive()
        await launch.finished()
        #expect(Set(notes.all) == ["tidy", "late"] && notes.all.count == 2)
        #expect(launch.jobs.allSatisfy { $0.state == .succeeded && $0.attemptCount == 1 && $0.lastSuccess != nil })
    }

    @Test func `jobs of a higher priority begin first, four at a time, and after those they wait for`() async throws {
        let launch = Self.launch(MemoryFileSystem())
        let (notes, gate) = (Notes(), Gate())
        for number in 0..<6 {
            launch.afterFirstFrame("low \(number)", priority: .low) {
                notes.add("low")
                await gate.pass()
            }
        }
        for number in 0..<3 {
            launch.afterFirstFrame("high \(number)", priority: .high) {
                notes.add("high")
                await gate.pass()
            }
        }
        launch.afterFirstFrame("last", priority: .high, after: ["low 5", "failing"]) { notes.add("last") }
        launch.afterFirstFrame("failing", priority: .low) { throw Failure() }
        launch.firstFrame()
        while notes.all.count < 4 { await pause() }
        #expect(launch.jobs.count { $0.state == .running } == 4)
        #expect(notes.all.count { $0 == "high" } == 3)
        gate.open()
        await launch.finished()
        #expect(notes.all.last == "last" && notes.all.count == 10)
        #expect(states(launch)["failing"] == .failed("Failure()"))
    }

    @Test func `a job that fails is tried again by its rule`() async throws {
        let clock = Clock()
        let launch = Self.launch(MemoryFileSystem(), clock)
        let notes = Notes()
        func fail(_ name: String, until count: Int) -> @Sendable () async throws -> Void {
            {
                notes.add(name)
                if notes.all.count(where: { $0 == name }) < count { throw Failure() }
            }
        }
        launch.afterFirstFrame("never", fail("never", until: 2))
        launch.afterFirstFrame("four", retry: .upTo(4, pause: .seconds(1)), fail("four", until: 4))
        launch.afterFirstFrame("three", retry: .upTo(3, pause: .seconds(10)), fail("three", until: 9))
        launch.afterFirstFrame("active", retry: .whenActive, fail("active", until: 2))
        launch.firstFrame()
        await launch.finished()
        #expect(
            states(launch) == [
                "never": .failed("Failure()"), "four": .succeeded, "three": .failed("Failure()"),
                "active": .failed("Failure()"),
            ])
        #expect(clock.pauses.sorted() == [1, 2, 4, 10, 20].map { .seconds($0) })
        launch.becameActive()
        await launch.finished()
        #expect(states(launch)["active"] == .succeeded && states(launch)["never"] == .failed("Failure()"))
        #expect(notes.all.count { $0 == "never" } == 1)
    }

    @Test func `jobs that pause between two attempts leave their places to others`() async throws {
        let clock = Clock()
        let launch = Self.launch(MemoryFileSystem(), clock)
        clock.holdsPauses.set()
        for number in 0..<4 {
            launch.afterFirstFrame("failing \(number)", priority: .high, retry: .upTo(2, pause: .seconds(3_600))) {
                throw Failure()
            }
        }
        launch.afterFirstFrame("sound", priority: .low) {}
        launch.firstFrame()
        await pause { states(launch)["sound"] == .succeeded }
        #expect(states(launch)["sound"] == .succeeded)
        await pause { clock.pauses.count == 4 }
        #expect(launch.jobs.count { $0.state == .running } == 4 && clock.pauses.count == 4)
        clock.holdsPauses.set(false)
        await launch.finished()
        #expect(launch.jobs.map(\.attemptCount) == [2, 2, 2, 2, 1])
    }

    /// It was asked of all that waited whenever one was declared or ended.
    @Test func `whether a job is due is looked up once while it waits`() async throws {
        let (disk, clock) = (MemoryFileSystem(), Clock())
        var contents = LaunchFile.Contents()
        for number in 0..<100 {
            contents.noteSuccess(of: "sync \(number)", recurs: true, Date(timeIntervalSince1970: 1))
        }
        #expect(LaunchFile(path: "launches", fileSystem: disk).write(contents, since: LaunchFile.Contents()) != nil)
        let launch = Self.launch(disk, clock)
        for number in 0..<100 { launch.afterFirstFrame("sync \(number)", every: .seconds(60)) {} }
        launch.firstFrame()
        await launch.finished()
        #expect(launch.jobs.allSatisfy { $0.state == .succeeded })
        // Once of each, and twice when it has ended.
        #expect(clock.lookCount < 400)
    }

    /// What recurs was done again in each launch of an app that names a job for each of its uploads.
    @Test func `jobs that are done once do not push out when those that recur were done`() async throws {
        let (disk, clock, notes) = (MemoryFileSystem(), Clock(), Notes())
        let file = LaunchFile(path: "launches", fileSystem: disk)
        for _ in 0..<2 {
            let launch = Self.launch(disk, clock)
            launch.afterFirstFrame("weekly", every: .seconds(604_800)) { notes.add("weekly") }
            launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
            launch.firstFrame()
            await launch.finished()
            let former = file.read()
            var contents = former
            for number in 0..<250 { contents.noteSuccess(of: "upload \(number)", clock.date) }
            #expect(file.write(contents, since: former)?.jobs.count == LaunchFile.Contents.jobCount)
            clock.date += 86_400
        }
        #expect(notes.all == ["weekly"])
    }

    @Test func `what recurs is left out until it is due, in this launch and the next ones`() async throws {
        let (disk, clock, notes) = (MemoryFileSystem(), Clock(), Notes())
        func launched() async -> Launch {
            let launch = Self.launch(disk, clock)
            launch.afterFirstFrame("daily", every: .seconds(86_400)) { notes.add("daily") }
            launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
            launch.firstFrame()
            await launch.finished()
            return launch
        }
        _ = await launched()
        #expect(notes.all.count == 1)
        clock.date += 3_600
        let second = await launched()
        #expect(notes.all.count == 1 && states(second) == ["daily": .notDue])
        #expect(second.jobs.first?.lastSuccess == Date(timeIntervalSince1970: 1_000_000))
        clock.date += 86_400
        second.becameActive()
        await second.finished()
        #expect(notes.all.count == 2 && states(second) == ["daily": .succeeded])
        // A clock that is set back does not put it off.
        clock.date -= 40 * 86_400
        _ = await launched()
        #expect(notes.all.count == 3)
    }

    @Test func `a job that recurs is due by its own time, and not by that of the library's job of its name`()
        async throws
    {
        let (disk, clock, notes) = (MemoryFileSystem(), Clock(), Notes())
        for day in 0..<4 {
            let launch = Self.launch(disk, clock)
            launch.declareOwn("compaction") { "done" }
            if day > 0 { launch.afterFirstFrame("compaction", every: .seconds(86_400)) { notes.add("day \(day)") } }
            launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
            launch.firstFrame()
            await launch.finished()
            clock.date += 50_000
        }
        #expect(notes.all == ["day 1", "day 3"])
        #expect(LaunchFile(path: "launches", fileSystem: disk).read().jobs.count == 2)
    }

    @Test func `a job that would close a circle of those that wait for each other is not taken`() async throws {
        let launch = Self.launch(MemoryFileSystem())
        let notes = Notes()
        #expect(launch.afterFirstFrame("a", after: ["b"]) { notes.add("a") })
        #expect(launch.afterFirstFrame("b", after: ["c", "d"]) { notes.add("b") })
        #expect(!launch.afterFirstFrame("c", after: ["a"]) { notes.add("c") })
        #expect(!launch.afterFirstFrame("d", after: ["d"]) { notes.add("d") })
        #expect(launch.afterFirstFrame("d", after: ["e"]) { notes.add("d") })
        #expect(!launch.afterFirstFrame("e", after: ["nobody", "a"]) { notes.add("e") })
        // Those of the library's own are waited for by nobody.
        launch.declareOwn("c") { nil }
        launch.firstFrame()
        await pause { notes.all.count == 3 }
        #expect(notes.all == ["d", "b", "a"])
        launch.end()
    }

    /// It was refused for the whole launch, though nothing would ever have waited.
    @Test func `a job may be named by one that has ended and never runs again, and not by one that recurs`()
        async throws
    {
        let launch = Self.launch(MemoryFileSystem())
        let notes = Notes()
        #expect(launch.afterFirstFrame("a", after: ["b"]) { notes.add("a") })
        #expect(launch.afterFirstFrame("recurring", after: ["c"], every: .seconds(3_600)) { notes.add("recurring") })
        launch.firstFrame()
        await launch.finished()
        while notes.all.count < 2 { await pause() }
        #expect(launch.afterFirstFrame("b", after: ["a"]) { notes.add("b") })
        #expect(!launch.afterFirstFrame("c", after: ["recurring"]) { notes.add("c") })
        #expect(!launch.afterFirstFrame("a") { notes.add("again") }, "a name is taken once")
        await launch.finished()
        #expect(notes.all.last == "b" && launch.jobs.map(\.name) == ["a", "recurring", "b"])
        #expect(launch.jobs.allSatisfy { $0.state == .succeeded })
        launch.end()
    }

    /// Each declaration and each end sorted all that had ended.
    @Test func `thousands of jobs that have ended are answered for, and not looked through`() async throws {
        let launch = Self.launch(MemoryFileSystem())
        launch.firstFrame()
        for number in 0..<2_000 {
            #expect(launch.afterFirstFrame("upload \(number)", after: ["upload \(number - 1)"]) { "\(number)" })
            if number % 100 == 99 { await launch.finished() }
        }
        await launch.finished()
        #expect(launch.waitingJobCount == 0)
        #expect(launch.jobs.map(\.outcome) == (0..<2_000).map { "\($0)" })
        launch.end()
    }

    @Test func `what recurs and has failed is due when the app is active again, with all of its attempts`() async throws
    {
        let (clock, notes) = (Clock(), Notes())
        let launch = Self.launch(MemoryFileSystem(), clock)
        let fails = Mutex(false)
        launch.afterFirstFrame("sync", retry: .upTo(3, pause: .seconds(1)), every: .seconds(3_600)) {
            notes.add("sync")
            if fails.withLock({ $0 }) { throw Failure() }
        }
        launch.afterFirstFrame("once", every: .seconds(3_600)) {
            notes.add("once")
            throw Failure()
        }
        launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
        launch.firstFrame()
        await launch.finished()
        for _ in 0..<4 {
            clock.date += 4_000
            launch.becameActive()
            await launch.finished()
        }
        #expect(notes.all.count { $0 == "sync" } == 5 && notes.all.count { $0 == "once" } == 5)
        fails.withLock { $0 = true }
        for round in 1...2 {
            clock.date += 4_000
            launch.becameActive()
            await launch.finished()
            #expect(notes.all.count { $0 == "sync" } == 5 + 3 * round && states(launch)["sync"] == .failed("Failure()"))
        }
        #expect(clock.pauses == [1, 2, 1, 2].map { .seconds($0) })
    }

    @Test func `a launch with figures that none has is left out, and nothing is added up from it`() async throws {
        let disk = MemoryFileSystem()
        try await RecordLibrary(at: Self.path, fileSystem: disk).close()
        let file = LaunchFile(path: Self.path + "/launches", fileSystem: disk)
        var contents = LaunchFile.Contents()
        var sound = LaunchTimes(date: Date(timeIntervalSince1970: 7))
        sound.generation = 1
        contents.note(sound)
        for number in 1...5 {
            var times = LaunchTimes(date: Date(timeIntervalSince1970: Double(number)))
            times.generation = 1
            switch number {
            case 1, 2: times.replayNanoseconds = .max
            case 3:
                times.stepsBeforeFirstFrame = [.init(name: "a", nanoseconds: .max), .init(name: "b", nanoseconds: 1)]
            case 4: times.readPageCount = -1
            default: times.date = Date(timeIntervalSince1970: 1e300)
            }
            contents.note(times)
        }
        #expect(file.write(contents, since: LaunchFile.Contents()) != nil)
        #expect(file.read().launches == [sound])
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        store.launch.firstFrame()
        await store.launch.finished()
        #expect(store.launch.jobs.allSatisfy { $0.state == .succeeded || $0.state == .notDue })
        #expect(store.launch.history.map(\.nanosecondsBeforeFirstFrame).allSatisfy { $0 >= 0 })
        try await store.close()
    }

    @Test func `closing cancels jobs and waits for their end`() async throws {
        let disk = GatedDisk()
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        let (notes, gate) = (Notes(), Gate())
        store.launch.afterFirstFrame("long") {
            notes.add("begun")
            while !Task.isCancelled { await pause() }
            notes.add("ended")
            throw CancellationError()
        }
        store.launch.afterFirstFrame("later", after: ["long"]) { notes.add("later") }
        store.launch.firstFrame()
        while notes.all.isEmpty { await pause() }
        gate.open()
        try await store.close()
        #expect(notes.all == ["begun", "ended"])
        #expect(states(store.launch)["long"] == .cancelled && states(store.launch)["later"] == .cancelled)
        #expect(!store.launch.afterFirstFrame("too late") {})
    }

    /// Those that had failed waited for ever, and the next closing wrote that they were cancelled.
    @Test func `what comes behind the closing changes nothing of how the jobs went`() async throws {
        let disk = MemoryFileSystem()
        let launch = Self.launch(disk)
        launch.afterFirstFrame("failing", retry: .whenActive) { throw Failure() }
        launch.afterFirstFrame("recurring", every: .seconds(60)) {}
        #expect(launch.declareSeeding("sample data", isAtOnce: false) { throw Failure() })
        launch.declareOwn("compaction", recursOnLeaving: true) { "done" }
        launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
        launch.firstFrame()
        await launch.finished()
        await launch.close()
        launch.becameActive()
        launch.resignedActive()
        launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
        await launch.close()
        #expect(launch.jobs.map(\.state.name) == ["failed", "succeeded", "failed", "succeeded"])
        let noted = LaunchFile(path: "launches", fileSystem: disk).read().launches.last?.jobs
        #expect(noted?.map(\.state) == ["failed", "succeeded", "failed", "succeeded"])
    }

    // MARK: The file

    @Test func `of a launch with very many steps fifty are kept, which take together what all took`() async throws {
        let disk = MemoryFileSystem()
        let launch = Self.launch(disk)
        for number in 0..<300 { launch.beforeFirstFrame("row \(number)") {} }
        launch.noteOpened(OpeningReport(), isWritable: true, readable: nil)
        launch.firstFrame()
        await launch.finished()
        let noted = try #require(LaunchFile(path: "launches", fileSystem: disk).read().launches.last)
        #expect(noted.stepsBeforeFirstFrame.count == 50 && noted.stepsBeforeFirstFrame.last?.name == "251 more")
        #expect(noted.nanosecondsBeforeFirstFrame == launch.times.nanosecondsBeforeFirstFrame)
    }

    /// Nothing was written any more.
    @Test func `of launches that do not fit the file the oldest are left out`() throws {
        let file = LaunchFile(path: "launches", fileSystem: MemoryFileSystem())
        let step = LaunchTimes.Step(name: String(repeating: "x", count: 2_000), nanoseconds: 1)
        var contents = LaunchFile.Contents()
        for number in 1...20 {
            var times = LaunchTimes(date: Date(timeIntervalSince1970: Double(number)))
            times.stepsBeforeFirstFrame = Array(repeating: step, count: 50)
            contents.note(times)
        }
        let written = try #require(file.write(contents, since: LaunchFile.Contents()))
        #expect((2..<20).contains(written.launches.count) && file.read() == written)
        #expect(written.launches.last?.date == Date(timeIntervalSince1970: 20))
    }

    @Test func `a library keeps its last twenty launches, and what is written beside it is no part of it`() async throws
    {
        let disk = GatedDisk()
        let begin = try RecordLibrary(at: Self.path, fileSystem: disk)
        try await begin.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await begin.close()
        for _ in 0..<23 {
            let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: disk))
            try await store.ready()
            _ = store.launch.beforeFirstFrame("accounts") { try? store.snapshot.records(LedgerAccount.self).count }
            store.launch.firstFrame()
            await store.launch.finished()
            try await store.close()
        }
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        let launches = store.launch.history
        #expect(launches.count == 20)
        for launch in launches {
            #expect(launch.readyNanoseconds != nil && launch.firstFrameNanoseconds != nil)
            #expect(launch.stepsBeforeFirstFrame.map(\.name) == ["accounts"])
        }
        #expect(launches.map(\.date) == launches.map(\.date).sorted())
        try await store.close()
        #expect(try RecordLibrary.verify(at: Self.path, fileSystem: disk).isSound)
        try disk.remove(Self.path + "/launches")
        let again = try RecordLibrary(at: Self.path, fileSystem: disk)
        #expect(again.launch.history.isEmpty)
        try await again.close()
    }

    @Test func `a directory that is no library gets no file of a launch`() async throws {
        let disk = GatedDisk()
        disk.createDirectory(Self.path, sharing: .owner)
        try disk.openFile(Self.path + "/notes.txt", .creating).write(Array("a diary".utf8), at: 0)
        let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: disk))
        try Verified(store, "premium", Bool.self).set(true)
        store.launch.afterFirstFrame("job") {}
        store.launch.firstFrame()
        await #expect(throws: LibraryError.self) { try await store.ready() }
        await store.launch.finished()
        await store.answers.settle()
        try await store.close()
        #expect(try disk.names(inDirectory: Self.path) == ["notes.txt"])
    }

    @Test func `a library that is never told of a first frame writes nothing beside it`() async throws {
        let disk = GatedDisk()
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        store.launch.afterFirstFrame("job") {}
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await store.close()
        #expect(try !disk.names(inDirectory: Self.path).contains("launches"))
    }

    @Test func `a launch is written when its library is closed at once, and nothing is behind that`() async throws {
        let disk = GatedDisk()
        let file = LaunchFile(path: Self.path + "/launches", fileSystem: disk)
        for count in 1...20 {
            weak var launch: Launch?
            do {
                let store = try RecordLibrary(at: Self.path, fileSystem: disk)
                launch = store.launch
                store.launch.firstFrame()
                try await store.close()
            }
            let contents = file.read()
            #expect(contents.launches.count == count)
            // What has to be done after the first frame holds the launch until then.
            try disk.remove(Self.path + "/launches")
            while launch != nil { await pause() }
            #expect(try !disk.names(inDirectory: Self.path).contains("launches"))
            _ = file.write(contents, since: LaunchFile.Contents())
        }
    }

    @Test func `beside a library that was let go nothing is written any more`() async throws {
        let disk = GatedDisk()
        var launch: Launch?
        do {
            let store = try RecordLibrary(at: Self.path, fileSystem: disk)
            launch = store.launch
        }
        weak let last = launch
        launch?.afterFirstFrame("job") {}
        launch?.firstFrame()
        launch = nil
        while last != nil { await pause() }
        #expect(try !disk.names(inDirectory: Self.path).contains("launches"))
    }

    @Test func `the example of the page is a file of no launch`() throws {
        let page = try #require(FormatPage("LAUNCHES.md"))
        let example = page.lines.drop { $0 != "## Example" }.filter { $0.hasPrefix("    ") }
        let bytes = example.joined(separator: " ").split(separator: " ").map { UInt8($0, radix: 16) ?? 0 }
        #expect(bytes == SideFileFormat.bytes(around: Array(#"{"launches":[],"jobs":[]}"#.utf8), magic: "BDLAUNCH"))
    }

    @Test func `a file of launches that is cut, changed or another's is taken for none`() throws {
        let disk = MemoryFileSystem()
        let file = LaunchFile(path: "launches", fileSystem: disk)
        var contents = LaunchFile.Contents()
        contents.note(LaunchTimes(date: Date(timeIntervalSince1970: 1)))
        contents.noteSuccess(of: "daily", Date(timeIntervalSince1970: 2))
        _ = file.write(contents, since: LaunchFile.Contents())
        #expect(file.read() == contents)
        let whole = try disk.openFile("launches", .reading).read(byteCount: 10_000, at: 0)
        func read(_ bytes: [UInt8]) throws -> LaunchFile.Contents {
            try disk.openFile("launches", .creating).write(bytes, at: 0)
            return file.read()
        }
        for count in 0..<whole.count { #expect(try read(Array(whole.prefix(count))) == LaunchFile.Contents()) }
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x10
            #expect(try read(changed) == LaunchFile.Contents())
        }
        #expect(try read(whole) == contents)
    }

    // MARK: Compaction

    @Test func `the log is folded into the snapshot when replaying it has cost what that costs`() async throws {
        let disk = GatedDisk()
        let begin = try RecordLibrary(at: Self.path, fileSystem: disk)
        try await begin.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await begin.close()
        // Launches of the same snapshot, whose replays were slow.
        func note(_ nanoseconds: Int, of generation: UInt64) {
            let file = LaunchFile(path: Self.path + "/launches", fileSystem: disk)
            var times = LaunchTimes(date: Date(timeIntervalSince1970: 5))
            (times.replayNanoseconds, times.generation) = (nanoseconds, generation)
            var contents = LaunchFile.Contents()
            contents.note(times)
            try? disk.remove(Self.path + "/launches")
            _ = file.write(contents, since: LaunchFile.Contents())
        }
        func launched() async throws -> UInt64 {
            let store = try RecordLibrary(at: Self.path, fileSystem: disk)
            store.launch.firstFrame()
            await store.launch.finished()
            #expect(store.launch.jobs.map(\.name) == ["mending orders", "compaction", "verification sample"])
            #expect(store.launch.jobs.allSatisfy { $0.state == .succeeded || $0.state == .notDue })
            try await store.close()
            let after = try RecordLibrary(at: Self.path, access: .readOnly, fileSystem: disk)
            return after.opening.generation
        }
        note(3_600_000_000_000, of: 9)
        // Of another snapshot: they do not count.
        let spent = try await launched()
        note(3_600_000_000_000, of: spent)
        #expect(try await launched() == spent + 1)
        #expect(RecordLibrary.compactionNanoseconds(1_000_000_000) == 10_005_000_000)
    }

    /// Lets everybody pass once it is open.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)
        func open() { isOpen.store(true, ordering: .releasing) }
        func pass() async { while !isOpen.load(ordering: .acquiring) { await pause() } }
    }
}

struct LaunchHistoryTests {
    private func history(_ pages: [Int], logs: [Int] = []) -> LaunchHistory {
        LaunchHistory(
            pages.enumerated().map { index, count in
                var times = LaunchTimes(date: Date(timeIntervalSince1970: Double(index)))
                times.readPageCount = count
                times.logByteCount = logs.isEmpty ? 0 : logs[index]
                return times
            })
    }

    @Test func `a launch that reads half as much again as the median of those before it stands out`() {
        #expect(!history([10]).standsOut && !history([]).standsOut)
        #expect(!history([10, 10, 10, 15]).standsOut)
        #expect(history([10, 10, 10, 16]).standsOut)
        #expect(!history([40, 10, 12, 16]).standsOut, "one of those before it was as long")
        #expect(history([10, 10, 10], logs: [1_000, 1_000, 900_000]).standsOut, "by bytes")
        #expect(!history([0, 0, 0]).standsOut)
    }

    @Test func `launches are read beside an app, and those of no library are refused`() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try RecordLibrary(at: folder + "/A.bookdb")
        #expect(try RecordLibrary.launches(at: folder + "/A.bookdb").launches.isEmpty)
        store.launch.firstFrame()
        await store.launch.finished()
        #expect(try RecordLibrary.launches(at: folder + "/A.bookdb").launches.count == 1)
        try await store.close()
        #expect(throws: LibraryError.notFound(path: folder + "/B.bookdb")) {
            try RecordLibrary.launches(at: folder + "/B.bookdb")
        }
    }
}
