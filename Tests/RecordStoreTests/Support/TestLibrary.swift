import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// A library in memory that is verified when the test is done with it.
func withLibrary(
    undo: UndoKeeping = .off, isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordLibrary) async throws -> Void
) async throws {
    let store = try RecordLibrary.inMemory(device: 0xB00C, undo: undo)
    try await body(store)
    expectSound(store.snapshot)
    try await store.close()
}

typealias DamageableLibrary = LibrarySupport.DamageableLibrary<RecordLibrary>

extension LibrarySupport.DamageableLibrary where Library == RecordLibrary {
    /// Of no record yet.
    static func make() async throws -> DamageableLibrary {
        let library = DamageableLibrary(fileSystem: MemoryFileSystem())
        let store = try RecordLibrary(at: path, fileSystem: library.fileSystem, device: 1)
        try await store.compact()
        try await store.close()
        return library
    }
}
