import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What a library says that it holds in memory.
@MainActor struct FootprintTests {
    private static func makeLibrary(_ count: Int) async throws -> RecordLibrary {
        let store = try RecordLibrary.inMemory()
        try await store.write { library in
            for number in 0..<count { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        return store
    }

    @Test func `what commits add is counted as nodes, and a compaction moves it into the snapshot`() async throws {
        let store = try await Self.makeLibrary(0)
        let before = store.footprint
        try await store.write { library in
            for number in 0..<3_000 { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        let after = store.footprint
        #expect(after[.nodes] - before[.nodes] > 3_000 * 20)
        #expect(after[.nodes] == store.database.memory.nodes && after[.waitingCommits] == 0)
        #expect(after.dirtyByteCount >= after[.nodes] + after[.files])
        try await store.compact()
        #expect(store.footprint[.nodes] == 0 && store.footprint[.pageMarks] > 0)
        try await store.close()
    }

    @Test func `mapped files are clean, and no part of the dirty sum`() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try RecordLibrary(at: folder + "/A.bookdb")
        try await store.write { library in
            for number in 0..<5_000 { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        let report = try await store.compact()
        // The thread that wrote the snapshot lets go of the one before a moment after it is done.
        while store.footprint[.snapshotFiles] != report.snapshotByteCount { await pause() }
        let footprint = store.footprint
        #expect(footprint[.files] == 0)
        #expect(footprint.cleanByteCount == report.snapshotByteCount)
        #expect(footprint.dirtyByteCount < 20_000, "\(footprint)")
        #expect(footprint.description.contains("snapshot-files: \(report.snapshotByteCount) bytes, clean"))
        #expect(footprint.description.hasSuffix("dirty: \(footprint.dirtyByteCount) bytes"))
        try await store.close()
    }

    @Test func `rows that a list has chosen are counted while it shows them`() async throws {
        let store = try await Self.makeLibrary(200)
        var list: LiveRecords<LedgerAccount>? = try LiveRecords(store, LedgerAccount.self)
        #expect(store.footprint[.lists] == 0)
        list?.predicate = { try $0.name.hasSuffix("7") }
        await list?.shows(store.snapshot.commitNumber)
        #expect(list?.count == 20 && store.footprint[.lists] == 20 * 4)
        list?.predicate = nil
        #expect(store.footprint[.lists] == 0)
        list?.predicate = { try $0.name.hasSuffix("77") }
        await list?.shows(store.snapshot.commitNumber)
        #expect(store.footprint[.lists] == 2 * 4)
        list = nil
        while store.footprint[.lists] != 0 { await pause() }
        try await store.close()
    }

    @Test func `what was decoded and what was freed goes when the system asks for memory`() async throws {
        let store = try await Self.makeLibrary(20_000)
        let covers = CachedValues(
            in: store.cache, for: .days(7), memoryByteLimit: 1 << 20, byteCount: { _ in 1_000 }, decode: { $0 })
        for number in 0..<5 { _ = try await covers.value(for: "cover \(number)") { [1, 2, 3] } }
        #expect(store.footprint[.cachedValues] == 5_000 && store.footprint[.cacheTable] > 0)
        try await store.write { library in
            for account in try library.records(LedgerAccount.self).all.page(limit: 100_000) {
                try library.delete(account.id)
            }
        }
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Left")) }
        #expect(store.footprint[.freeNodes] > 200_000, "\(store.footprint)")
        store.releaseMemory()
        #expect(store.footprint[.cachedValues] == 0 && store.footprint[.cacheTable] == 0)
        while store.footprint[.freeNodes] > 100_000 { await pause() }
        #expect(try store.snapshot.records(LedgerAccount.self).count == 1)
        try await store.close()
    }
}
