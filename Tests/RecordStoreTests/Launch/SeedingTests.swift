import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Sample data comes into a library that nobody ever used, once.
struct SeedingTests {
    private struct Failure: Error {}

    private static func seed(_ library: inout LibraryTransaction) throws {
        for name in ["Savings", "Cash"] { _ = try library.insert(LedgerAccount(name: name)) }
    }

    private static func open(_ disk: any FileSystem, _ access: RecordLibrary.Access = .exclusive) throws
        -> RecordLibrary
    {
        RecordLibrary(try RecordLibrary.open("A.bookdb", .patient(access, disk)))
    }

    private static func count(_ store: RecordLibrary) throws -> Int {
        try store.snapshot.records(LedgerAccount.self).count
    }

    @Test func `an empty library is filled once, and stays empty when its user has emptied it`() async throws {
        let disk = GatedDisk()
        var store = try Self.open(disk)
        #expect(try await store.seedIfEmpty(Self.seed) && Self.count(store) == 2)
        #expect(try await !store.seedIfEmpty(Self.seed))
        let commit = store.snapshot.commitNumber
        #expect(try await !store.seedIfEmpty(Self.seed) && store.snapshot.commitNumber == commit, "no commit")
        try await store.write { library in
            for account in try library.records(LedgerAccount.self).all.page(limit: 100_000) {
                try library.delete(account.id)
            }
        }
        #expect(try await !store.seedIfEmpty(Self.seed))
        try await store.compact()
        try await store.close()
        store = try Self.open(disk)
        #expect(try await !store.seedIfEmpty(Self.seed) && Self.count(store) == 0)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a library that was used and emptied before is not filled, whoever made its records`() async throws {
        for isOwn in [true, false] {
            let store = try RecordLibrary.inMemory(device: 3)
            if isOwn {
                let id = try await store.write { try $0.insert(LedgerAccount(name: "Own")) }
                try await store.write { library in _ = try library.delete(id) }
            } else {
                // As a line of another library's does.
                try await store.write { $0.noteGiven(ID<LedgerAccount>(device: 77, counter: 5)) }
            }
            #expect(try await !store.seedIfEmpty(Self.seed) && Self.count(store) == 0)
            expectSound(store.snapshot)
            try await store.close()
        }
    }

    @Test func `a filling that fails leaves nothing, and the next one fills`() async throws {
        let store = try RecordLibrary.inMemory()
        await #expect(throws: Failure.self) {
            try await store.seedIfEmpty { library in
                try Self.seed(&library)
                throw Failure()
            }
        }
        #expect(try Self.count(store) == 0)
        #expect(try await store.seedIfEmpty(Self.seed) && Self.count(store) == 2)
        try await store.close()
    }

    @Test func `of several who open a new library one fills it`() async throws {
        let disk = GatedDisk()
        let stores = try (0..<3).map { _ in try Self.open(disk, .shared) }
        let filled = try await withThrowingTaskGroup(of: Bool.self) { group in
            for store in stores { group.addTask { try await store.seedIfEmpty(Self.seed) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(filled == 1)
        for store in stores {
            await store.database.follow()
            #expect(try Self.count(store) == 2)
            try await store.close()
        }
    }

    @Test func `filling is a job of the launch, at once or after the first frame, and waits for the log`() async throws
    {
        let disk = GatedDisk()
        let used = try Self.open(disk)
        try await used.write { library in _ = try library.insert(LedgerAccount(name: "Own")) }
        try await used.close()
        // Its records are in the log alone, which takes its time.
        disk.close("log-")
        let opened = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk))
        opened.seedIfEmpty(.whenOpened, Self.seed)
        disk.open("log-")
        while opened.launch.jobs.first(where: { $0.name == "sample data" })?.state != .succeeded { await pause() }
        #expect(opened.launch.jobs.first { $0.name == "sample data" }?.outcome == "not needed")
        #expect(try Self.count(opened) == 1)
        try await opened.close()

        let store = try RecordLibrary.inMemory()
        store.seedIfEmpty(.afterFirstFrame, as: "accounts", Self.seed)
        for _ in 0..<20 { await Task.yield() }
        #expect(try Self.count(store) == 0)
        store.launch.firstFrame()
        await store.launch.finished()
        #expect(try Self.count(store) == 2 && store.launch.jobs.contains { $0.outcome == "put in" })
        try await store.close()
    }

    @Test func `a filling that met a library in use is tried again when that can be written to`() async throws {
        let disk = GatedDisk()
        let used = try Self.open(disk)
        let opened = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk))
        opened.seedIfEmpty(.whenOpened, Self.seed)
        func hasFailed() -> Bool {
            if case .failed = opened.launch.jobs.first(where: { $0.name == "sample data" })?.state {
                true
            } else {
                false
            }
        }
        while !hasFailed() { await pause() }
        try await used.close()
        opened.retry()
        while opened.launch.jobs.first(where: { $0.name == "sample data" })?.state != .succeeded { await pause() }
        #expect(try Self.count(opened) == 2)
        try await opened.close()
    }

    @Test func `who can only read fills nothing`() async throws {
        let disk = GatedDisk()
        try await Self.open(disk).close()
        let reader = try Self.open(disk, .readOnly)
        await #expect(throws: LibraryError.self) { try await reader.seedIfEmpty(Self.seed) }
        try await reader.close()
    }
}
