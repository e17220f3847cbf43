import Foundation
import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Libraries that are let go without being closed: nothing keeps them, or whoever waits for what they do.
struct LettingGoTests {
    private typealias Account = LedgerAccount
    private static let path = "A.bookdb"

    private struct Unavailable: Error {}

    private final class Reference: Sendable {
        private let weakly = Mutex(WeakDatabase())

        private struct WeakDatabase {
            weak var database: Database?
        }

        func note(_ database: Database) { weakly.withLock { $0.database = database } }

        /// Whether nobody has the database any more, soon.
        func isGone() async -> Bool {
            await pause { weakly.withLock { $0.database == nil } }
            return weakly.withLock { $0.database == nil }
        }
    }

    /// What an app does with a library, and what of it lasts.
    private func leave(
        _ reference: Reference, on disk: any FileSystem, _ body: (RecordLibrary) async throws -> Void
    ) async throws {
        let library = try RecordLibrary(at: Self.path, fileSystem: disk)
        reference.note(library.database)
        try await body(library)
    }

    private func expectGone(_ reference: Reference, _ disk: any FileSystem) async throws {
        #expect(await reference.isGone())
        try await open(disk).close()
    }

    /// Its last commit may be at its end still.
    private func open(_ disk: any FileSystem) async throws -> RecordLibrary {
        for _ in 0..<5_000 {
            do { return try RecordLibrary(at: Self.path, fileSystem: disk) } catch LibraryError.inUse { await pause() }
        }
        return try RecordLibrary(at: Self.path, fileSystem: disk)
    }

    // MARK: What does not keep it

    private struct Trace: DiagnosticTrace {
        func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void { {} }
    }

    @MainActor
    @Test(arguments: [RecordLibrary.Access.exclusive, .shared, .readOnly])
    func `nothing that a library is opened with or that shows it keeps it`(_ access: RecordLibrary.Access)
        async throws
    {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        func begin() async throws {
            let library = try RecordLibrary(at: Self.path, fileSystem: disk)
            reference.note(library.database)
            try await library.insert(Account(name: "Cash"))
        }
        try await begin()
        try await expectGone(reference, disk)
        func show() async throws {
            let library = try RecordLibrary(
                at: Self.path, access: access, undo: UndoKeeping(commitCount: 10), log: HealthTests.HeardEvents(),
                trace: Trace(),
                fileSystem: disk)
            reference.note(library.database)
            if access != .readOnly {
                try await library.insert(Account(name: "Savings"))
                try await library.undo()
                try await library.compact()
            }
            let accounts = try LiveRecords(library, Account.self)
            #expect(accounts.rows.count == 1)
            var statuses = library.statuses().makeAsyncIterator()
            _ = await statuses.next()
            library.launch.firstFrame()
            await library.launch.finished()
        }
        try await show()
        try await expectGone(reference, disk)
    }

    @Test func `an answer that was asked for and not had does not keep its library`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        let kept = Mutex<Verified<Bool>?>(nil)
        try await leave(reference, on: disk) { library in
            let premium = Verified(library, "premium", Bool.self)
            premium.verify(ask: { throw Unavailable() })
            library.launch.firstFrame()
            await library.launch.finished()
            #expect(library.launch.jobs.contains { $0.name == "verify premium" && $0.state != .waiting })
            kept.withLock { $0 = premium }
        }
        try await expectGone(reference, disk)
        #expect(kept.withLock { $0 }?.value == nil)
    }

    @Test func `a job that is done no longer holds what it was made with`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        try await leave(reference, on: disk) { library in
            library.launch.afterFirstFrame("once") { library.releaseMemory() }
            library.launch.firstFrame()
            await library.launch.finished()
        }
        try await expectGone(reference, disk)
    }

    @Test func `a job that waits to be tried again ends with its library`() async throws {
        let (reference, disk, isCancelled) = (Reference(), MemoryFileSystem(), Flag())
        let tries = Atomic(0)
        try await leave(reference, on: disk) { library in
            library.launch.afterFirstFrame("failing", retry: .upTo(5, pause: .seconds(3_600))) {
                tries.add(1, ordering: .relaxed)
                throw Unavailable()
            }
            library.launch.afterFirstFrame("long") {
                while !Task.isCancelled { await pause() }
                isCancelled.set()
            }
            library.launch.firstFrame()
            while tries.load(ordering: .relaxed) == 0 || library.launch.jobs.count(where: { $0.state == .running }) < 2
            {
                await pause()
            }
        }
        try await expectGone(reference, disk)
        while !isCancelled.isSet { await pause() }
        #expect(tries.load(ordering: .relaxed) == 1)
    }

    @Test func `cached values may be kept longer than their library, and go on`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        let kept = Mutex<CachedValues<String>?>(nil)
        try await leave(reference, on: disk) { library in
            let covers = CachedValues(
                in: library.cache, for: .days(7), memoryByteLimit: 1 << 20, byteCount: { $0.utf8.count },
                decode: { String(decoding: $0, as: UTF8.self) })
            _ = try await covers.value(for: "a") { Array("A".utf8) }
            kept.withLock { $0 = covers }
        }
        try await expectGone(reference, disk)
        let covers = try #require(kept.withLock { $0 })
        #expect(try await covers.value(for: "b") { Array("B".utf8) } == "B")
        let again = try RecordLibrary(at: Self.path, fileSystem: disk)
        #expect(again.cache.value(for: "b") == Array("B".utf8), "it is the cache of the same library")
        try await again.close()
    }

    @Test func `orders in the making do not keep their library, and go on with the next`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        let plain = try RecordLibrary(at: Self.path, fileSystem: disk)
        try await plain.write { library in
            for number in 0..<20_000 { try library.insert(Plain(title: "\(number)")) }
        }
        try await plain.close()
        try await leave(reference, on: disk) { library in try await library.insert(Ordered(title: "new")) }
        #expect(await reference.isGone())
        let again = try await open(disk)
        try await again.makeOrders(of: Ordered.self)
        #expect(try again.snapshot.list(Ordered.self, "by title").count == 20_001)
        try await again.close()
    }

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

    @Test func `an opening in the background that nobody waits for is given up`() async throws {
        let disk = GatedDisk()
        try await RecordLibrary(at: Self.path, fileSystem: disk).close()
        disk.close("snapshot-")
        let reference = Reference()
        let heard = HealthTests.HeardEvents()
        func begin() {
            let settings = LibrarySettings(fileSystem: disk, log: heard)
            reference.note(RecordLibrary(.file(Self.path), settings, waitingFor: .zero).database)
        }
        begin()
        await disk.visitors(1)
        disk.open("snapshot-")
        try await expectGone(reference, disk)
        #expect(heard.all.isEmpty, "neither that it was opened nor that it could not be")
    }

    @Test func `sample data that waits for a slow disk does not keep its library`() async throws {
        let (reference, disk) = (Reference(), GatedDisk())
        try await RecordLibrary(at: Self.path, fileSystem: disk).close()
        disk.close("snapshot-")
        func begin() async -> Launch {
            let library = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: disk), waitingFor: .zero)
            reference.note(library.database)
            library.seedIfEmpty(.whenOpened) { _ in }
            // The job has begun, and comes to wait.
            for _ in 0..<20 { await pause() }
            return library.launch
        }
        let launch = await begin()
        await pause { launch.jobs.allSatisfy { $0.state == .cancelled } }
        #expect(launch.jobs.map(\.state) == [.cancelled])
        disk.open("snapshot-")
        try await expectGone(reference, disk)
    }

    // MARK: Who waits

    @Test func `sequences of commits and activations end with their library`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        let followers = Mutex<(commits: Commits, activations: Activations)?>(nil)
        try await leave(reference, on: disk) { library in
            followers.withLock { $0 = (library.commits, library.launch.activations) }
            try await library.insert(Account(name: "Cash"))
        }
        let (commits, activations) = try #require(followers.withLock { $0 })
        var numbers: [UInt64] = []
        for await commit in commits { numbers.append(commit.number) }
        for await _ in activations { Issue.record("nobody came to the front") }
        #expect(numbers.count == 1)
        try await expectGone(reference, disk)
    }

    @MainActor @Test func `who waits for a commit to be shown waits no more when the library is gone`() async throws {
        let (reference, disk) = (Reference(), MemoryFileSystem())
        var kept: LiveRecords<Account>?
        func leave() async throws {
            let library = try RecordLibrary(at: Self.path, fileSystem: disk)
            reference.note(library.database)
            try await library.insert(Account(name: "Cash"))
            kept = try LiveRecords(library, Account.self)
        }
        try await leave()
        let list = try #require(kept)
        await list.shows(1_000)
        #expect(list.rows.count == 1)
        try await expectGone(reference, disk)
    }

    @Test func `what a library that is let go has not saved is told to its log`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "LettingGoTests.\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let heard = HealthTests.HeardEvents()
        let reference = Reference()
        func leave() async throws {
            let library = try RecordLibrary(at: directory.appending(path: "Here.bookdb").path, log: heard)
            reference.note(library.database)
            try await library.insert(Account(name: "Cash"))
            try FileManager.default.moveItem(
                at: directory.appending(path: "Here.bookdb"), to: directory.appending(path: "Away.bookdb"))
            try await library.write(.memory) { _ = try $0.insert(Account(name: "Savings")) }
            await library.database.settle()
        }
        try await leave()
        #expect(await reference.isGone())
        await pause { heard.all.contains { $0.kind == .closed } }
        let event = try #require(heard.all.first { $0.kind == .closed })
        #expect(event.level == .error && event.message.contains("its last change may not be on the disk"))
    }
}
