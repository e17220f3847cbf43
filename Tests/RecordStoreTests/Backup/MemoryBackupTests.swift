import Foundation
import StorageEngine
import Testing

@testable import RecordStore

/// Backups of libraries that lie on no disk, and restores of them.
struct MemoryBackupTests {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func add(_ name: String, to store: RecordLibrary) async throws {
        try await store.write { library in _ = try library.insert(LedgerAccount(name: name)) }
    }

    private func names(_ store: RecordLibrary) throws -> [String] {
        try store.snapshot.records(LedgerAccount.self).all.page(limit: 9).map(\.name)
    }

    @Test func `a library in memory is backed up to the disk, and restored from there`() async throws {
        try await withFolder { folder in
            let store = try RecordLibrary.inMemory()
            try await add("Savings", to: store)
            _ = try await store.backup(to: folder + "/B")
            _ = try await store.backup(to: folder + "/File", as: .file)
            #expect(try RecordLibrary.planRestore(from: folder + "/B").commitNumber == store.snapshot.commitNumber)
            try await store.close()

            let other = RecordLibrary(.memory)
            try await other.ready()
            try await add("Current", to: other)
            try await other.restore(from: folder + "/File", saving: folder + "/Saved")
            #expect(try names(other) == ["Savings"])
            try await other.restore(from: folder + "/Saved")
            #expect(try names(other) == ["Current"])
            try await other.close()

            // It becomes one on the disk.
            try await RecordLibrary.stageRestore(from: folder + "/B", at: folder + "/A.bookdb")
            let saved = try RecordLibrary(at: folder + "/A.bookdb")
            #expect(try names(saved) == ["Savings"])
            try await saved.close()
        }
    }

    @Test func `no restore is staged for a library in memory, which nobody opens again`() async throws {
        try await withFolder { folder in
            let store = try RecordLibrary.inMemory()
            try await add("Savings", to: store)
            _ = try await store.backup(to: folder + "/B")
            let error = await #expect(throws: LibraryError.self) {
                try await store.stageRestore(from: folder + "/B")
            }
            if case .backupRefused(_, let reason, let next)? = error {
                #expect(reason.contains("in memory") && next.contains("restore(from:)"))
            } else {
                Issue.record("it was refused for another reason")
            }
            #expect(!FileManager.default.fileExists(atPath: store.database.path), "where the process is")
            try await store.close()
        }
    }

    @Test func `a restore of a library on another file system is staged there, from a backup there`() async throws {
        let disk = MemoryFileSystem()
        let store = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        try await add("Savings", to: store)
        _ = try await store.backup(to: "B")
        try await add("Current", to: store)
        _ = try await store.stageRestore(from: "B")
        #expect(try names(store).count == 2)
        try await store.close()
        let restored = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        #expect(try names(restored) == ["Savings"] && restored.lastRestore?.backup == "B")
        try await restored.close()
    }
}
