import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What a library says, and does by itself, when its disk does not take what is written.
struct UnsavedTests {
    /// A library whose directory is moved away and back.
    private final class Moved: Sendable {
        let directory: URL
        let library: RecordLibrary
        let clock = SteppedClock()
        private var here: URL { directory.appending(path: "Here.bookdb") }
        private var away: URL { directory.appending(path: "Away.bookdb") }

        init() throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "UnsavedTests.\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            var settings = LibrarySettings()
            settings.clock = AnyClock(clock)
            library = RecordLibrary(
                try RecordLibrary.open(directory.appending(path: "Here.bookdb").path, settings))
        }

        func moveAway() throws { try FileManager.default.moveItem(at: here, to: away) }
        func moveBack() throws { try FileManager.default.moveItem(at: away, to: here) }
        deinit { try? FileManager.default.removeItem(at: directory) }
    }

    private static func insert(_ name: String, into library: RecordLibrary, _ durability: Durability) async throws {
        try await library.write(durability) { _ = try $0.insert(LedgerAccount(name: name)) }
    }

    @Test func `changes that wait in memory are told, and saved by themselves as soon as the disk takes them`()
        async throws
    {
        let moved = try Moved()
        let library = moved.library
        try await Self.insert("before", into: library, .flushed)
        try moved.moveAway()
        try await Self.insert("first", into: library, .memory)
        try await Self.insert("second", into: library, .memory)
        await library.database.settle()
        guard case .unsaved(.displaced, waitingCommitCount: 2) = library.health else {
            Issue.record("\(library.health)")
            return
        }
        #expect(library.health.description.hasPrefix("2 changes wait in memory to be saved."))
        #expect(library.health.name == "unsaved" && !library.health.isOpen && library.health.nextStep != nil)
        // Ever more rarely.
        await moved.clock.sleeper(until: .seconds(1))
        moved.clock.pass(.seconds(1))
        await moved.clock.sleeper(until: .seconds(3))
        #expect(!library.health.isOpen)
        try moved.moveBack()
        moved.clock.pass(.seconds(2))
        while !library.health.isOpen { await pause() }
        let path = library.database.path
        let held = library.snapshot
        #expect(try held.records(LedgerAccount.self).all.count == 3)
        try await library.close()
        let again = try RecordLibrary(at: path)
        #expect(try again.snapshot.records(LedgerAccount.self).all.count == 3)
        try await again.close()
    }

    @Test func `a change that was thrown back is told until the disk takes one, and a retry finds that out`()
        async throws
    {
        let moved = try Moved()
        let library = moved.library
        try moved.moveAway()
        await #expect(throws: LibraryError.self) { try await Self.insert("lost", into: library, .flushed) }
        guard case .unsaved(.displaced, waitingCommitCount: 0) = library.health else {
            Issue.record("\(library.health)")
            return
        }
        #expect(library.health.description.hasPrefix("The last change could not be saved."))
        guard case .failure(let words, offersRetry: true)? = await library.statuses().first(where: { _ in true }) else {
            Issue.record("nothing is shown")
            return
        }
        #expect(words.title == "The last change could not be saved")
        try moved.moveBack()
        library.retry()
        while !library.health.isOpen { await pause() }
        try await Self.insert("kept", into: library, .flushed)
        try await library.close()
    }

    /// It was behind until somebody wrote, or the app asked.
    @Test(arguments: [RecordLibrary.Access.readOnly, .shared])
    func `what others have written is shown by itself as soon as it can be`(access: RecordLibrary.Access) async throws {
        let (disk, clock, log) = (GatedDisk(isWatched: false), SteppedClock(), HealthTests.HeardEvents())
        let writer = RecordLibrary(
            try RecordLibrary.open("A.bookdb", .patient(.shared, disk.base)))
        try await Self.insert("first", into: writer, .flushed)
        var settings = LibrarySettings(access, fileSystem: disk, log: log)
        settings.clock = AnyClock(clock)
        let reader = RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
        await reader.database.follow()
        disk.fail { name, _ in
            name.hasPrefix("snapshot-") ? .inputOutput(operation: "open", path: String(name), code: 24) : nil
        }
        try await Self.insert("second", into: writer, .flushed)
        try await writer.compact()
        await reader.database.follow()
        guard case .behind = reader.health else { Issue.record("\(reader.health)"); return }
        await clock.sleeper(until: .seconds(1))
        clock.pass(.seconds(1))
        await clock.sleeper(until: .seconds(3))
        #expect(reader.health.name == "behind")
        #expect(log.all.count { $0.kind == .followingFailed } == 1, "told once, however often it is tried")
        disk.fail(nil)
        clock.pass(.seconds(2))
        while reader.health.name != "ready" { await pause() }
        #expect(try reader.snapshot.records(LedgerAccount.self).count == 2)
        try await reader.close()
        try await writer.close()
    }

    @Test func `a closed library takes no changes, and shows nothing of that`() async throws {
        let library = try RecordLibrary.inMemory()
        try await library.close()
        guard case .readOnly(.closed) = library.health else {
            Issue.record("\(library.health)")
            return
        }
        var schedule = LibraryStatusSchedule()
        #expect(schedule.status(of: library.health, at: .zero, .english).status == .nothing)
    }
}
