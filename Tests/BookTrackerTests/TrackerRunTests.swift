import BookDB
import Foundation
import Testing

@testable import BookTracker

@Suite struct TrackerRunTests {
    @Test func `a first run makes the library, and shows what it holds`() async throws {
        let fixture = TrackerFixture()
        let run = try await TrackerRun(fixture.size, in: fixture.folder)
        #expect(run.makingTime != nil && fixture.names == ["Library-60.bookdb"])
        #expect(run.health == HealthWords(.ready))
        #expect(run.statesHold, "\(run.states)")
        #expect(run.states.map(\.found) == ["yes", "50", "60", "60", "yes", "80", "50", "20", "20"])
        #expect(run.limits.count == 7 && run.limits.allSatisfy { $0.measured.map { $0.number >= 0 } ?? true })
        #expect(run.times.stepsBeforeFirstFrame.count == 3 && run.times.firstFrameNanoseconds != nil)
        #expect(try await BookStore.open(at: fixture.path, access: .readOnly).snapshot.works.count == 60)
    }

    @Test func `the shop is asked after the first frame, and its answer is there at the next launch`() async throws {
        let fixture = TrackerFixture()
        let first = try await TrackerRun(fixture.size, in: fixture.folder)
        #expect(first.isPremium == nil)
        #expect(first.notes["verify premium"] == "the shop says yes, nothing was kept")
        let second = try await TrackerRun(fixture.size, in: fixture.folder)
        #expect(second.makingTime == nil && second.health.isOpen)
        #expect(second.notes["verify premium"] == "the shop says yes, as was kept")
    }

    @Test func `jobs run once the first frame is shown, and what recurs is not due at the next launch`() async throws {
        let fixture = TrackerFixture()
        func states(_ run: TrackerRun) -> [String: LaunchJob.State] {
            Dictionary(uniqueKeysWithValues: run.jobs.map { ($0.name, $0.state) })
        }
        let first = states(try await TrackerRun(fixture.size, in: fixture.folder))
        #expect(
            Set(first.keys) == [
                "verify premium", "suggestions", "remove old copies", "mending orders", "compaction",
                "verification sample",
            ])
        #expect(Set(first.values) == [.succeeded])
        let second = states(try await TrackerRun(fixture.size, in: fixture.folder))
        #expect(second["remove old copies"] == .notDue && second["verification sample"] == .notDue)
        #expect(second["verify premium"] == .succeeded)
        #expect(try BookStore.launches(at: fixture.path).launches.count == 2)
    }

    @Test @MainActor func `a title is typed letter by letter, and of one that cannot be read nothing`() {
        #expect(Measurements.typedTexts(for: "Dune") == ["D", "Du", "Dun", "Dune", "Dnue"])
        #expect(Measurements.typedTexts(for: "").isEmpty)
    }

    @Test func `a library that was left half made is made again`() async throws {
        let fixture = TrackerFixture()
        let unfinished = fixture.path + ".unfinished"
        try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(filePath: unfinished + "/snapshot-0000000000000001"))
        #expect(try await fixture.folder.makeLibrary(fixture.size) != nil)
        #expect(fixture.names == ["Library-60.bookdb"])
        #expect(try await fixture.folder.makeLibrary(fixture.size) == nil)
    }

    @Test func `a launch that fails throws why, and what is there stays`() async throws {
        let fixture = TrackerFixture()
        try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: true)
        let notes = URL(filePath: fixture.path + "/notes.txt")
        try Data("diary".utf8).write(to: notes)
        await #expect(throws: LibraryError.self) { try await TrackerRun(fixture.size, in: fixture.folder) }
        #expect(try Data(contentsOf: notes) == Data("diary".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path)
        #expect(names == ["notes.txt"])
    }

    @Test func `copies of runs that were broken off go when they are old`() throws {
        let fixture = TrackerFixture()
        let old = ["Copy-0123abcd.bookdb", "Copy-0123ABCD.bookdb.backup", "Copy-of-thesis", "Copy-12345678.txt"]
        for name in old + ["Copy-fedcba98.bookdb", "Mine"] {
            try FileManager.default.createDirectory(
                atPath: fixture.folder.path + "/" + name, withIntermediateDirectories: true)
        }
        for name in old {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                ofItemAtPath: fixture.folder.path + "/" + name)
        }
        #expect(try fixture.folder.removeCopies(olderThan: .seconds(3_600)) == 2)
        #expect(fixture.names == ["Copy-12345678.txt", "Copy-fedcba98.bookdb", "Copy-of-thesis", "Mine"])
    }

    @Test func `a limit holds below what is allowed, and says nothing where nothing was measured`() {
        func holds(_ measured: Limit.Amount?) -> Bool? {
            Limit(name: "", allowed: .milliseconds(3), measured: measured, work: "").holds
        }
        #expect(holds(.nanoseconds(2_999_999)) == true)
        #expect(holds(.nanoseconds(3_000_000)) == false)
        #expect(holds(nil) == nil)
    }
}
