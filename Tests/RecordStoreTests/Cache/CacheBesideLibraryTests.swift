import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

@Suite struct CacheBesideLibraryTests {
    @Test func `a library with a full cache opens, compacts and is verified as one without`() async throws {
        let library = try await DamageableLibrary.make()
        var store = try library.open()
        store.cache.byteLimit = 40 * 4096
        for number in 0..<100 { #expect(store.cache.set("\(number)", [1], for: .days(7))) }
        let cache = DamageableLibrary.path + "/cache"
        #expect(try library.fileSystem.names(inDirectory: cache).count <= 40)
        try await store.compact()
        let reader = try library.open(.readOnly)
        #expect(reader.cache.value(for: "99") == [1] && !reader.cache.set("99", [2], for: .days(7)))
        try await store.close()
        #expect(try library.verify().isSound)
        let inspection = try RecordLibrary.inspect(at: DamageableLibrary.path, fileSystem: library.fileSystem)
        #expect(inspection.cacheFileCount > 30 && inspection.damage.isEmpty)
        #expect(!inspection.files.contains { $0.name == "cache" })
        for name in try library.fileSystem.names(inDirectory: cache) { library.fileSystem.remove(cache + "/" + name) }
        library.fileSystem.removeDirectory(cache)
        store = try library.open()
        #expect(store.cache.value(for: "99") == nil && store.cache.set("99", [3], for: .days(7)))
        try await store.close()
        #expect(try library.verify().isSound)
    }

    /// The cache was taken for one that may only be read, and gave what had been removed when the library was open.
    @Test func `what is removed while a library is being opened is gone, and what is set once it is known is there`()
        async throws
    {
        let library = try await DamageableLibrary.make()
        let disk = GatedDisk(library.fileSystem)
        let before = try RecordLibrary(at: DamageableLibrary.path, fileSystem: disk)
        for key in ["a", "b", "c"] { #expect(before.cache.set(key, [1], for: .days(7))) }
        try await before.write { try $0.insert(LedgerAccount(name: "Savings")) }
        try await before.compact()
        try await before.write { try $0.insert(LedgerAccount(name: "Cash")) }
        try await before.close()
        disk.close("snapshot-")
        let store = RecordLibrary(
            .file(DamageableLibrary.path), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        store.cache.remove("a")
        #expect(!store.cache.set("b", [2], for: .days(7)))
        guard case .opening = store.cache.lastError else { return #expect(store.cache.lastError == nil, "another") }
        await disk.visitors(1)
        disk.close("log-")
        disk.open("snapshot-")
        await store.database.mapped()
        #expect(store.cache.value(for: "a") == nil && store.cache.value(for: "b") == nil)
        #expect(store.cache.value(for: "c") == [1])
        store.cache.remove("c")
        #expect(store.cache.set("d", [3], for: .days(7)))
        disk.open("log-")
        try await store.ready()
        #expect(store.cache.value(for: "c") == nil && store.cache.value(for: "d") == [3])
        try await store.close()
    }

    @Test func `a library in memory caches in memory, and gives that back when it is asked to`() async throws {
        try await withLibrary { store in
            #expect(store.cache.set("a", [1], for: .days(7)) && store.cache.value(for: "a") == [1])
            store.releaseMemory()
            #expect(store.cache.value(for: "a") == nil)
        }
    }
}
