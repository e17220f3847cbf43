import Testing

@testable import StorageEngine

/// Directories in which backups into files were made, by processes that were killed.
@Suite struct AbandonedWorkshopTests {
    private func prepared(_ fileSystem: any FileSystem, _ folder: String) async throws -> Database {
        let store = try fileSystem.openStore(folder + "/A")
        try await store.put(0..<5)
        return store
    }

    private func lay(
        _ name: String, _ files: [String: [UInt8]], in folder: String, _ fileSystem: any FileSystem
    ) throws -> String {
        let path = folder + "/" + name
        try fileSystem.createDirectory(path, sharing: .owner)
        for (name, bytes) in files { try fileSystem.replace(path + "/" + name, with: bytes) }
        return path
    }

    @Test func `what a killed backup into a file has left goes with the next one beside it`() async throws {
        try await withTemporaryDirectory { folder in
            let memory = MemoryFileSystem()
            memory.createDirectory(folder)
            for fileSystem: any FileSystem in [PosixFileSystem(), memory] {
                let store = try await prepared(fileSystem, folder)
                let whole = try lay("Monday.tmp", ["lock": [], "backup": BackupFile.head], in: folder, fileSystem)
                let empty = try lay("Tuesday.tmp", ["lock": [], "backup": []], in: folder, fileSystem)
                _ = try await store.backup(to: folder + "/Wednesday", as: .file)
                #expect(try fileSystem.kind(of: whole) == .absent && fileSystem.kind(of: empty) == .absent)
                #expect(try Set(fileSystem.names(inDirectory: folder)) == ["A", "Wednesday"])
                try await store.close()
            }
        }
    }

    @Test func `what somebody is at work in stays, and what is nobody's workshop`() async throws {
        try await withTemporaryDirectory { folder in
            let fileSystem = PosixFileSystem()
            let store = try await prepared(fileSystem, folder)
            let ours: [String: [UInt8]] = ["lock": [], "backup": BackupFile.head]
            let held = try lay("held.tmp", ours, in: folder, fileSystem)
            let lock = try fileSystem.lock(held + "/lock")
            let others = [
                held, try lay("more.tmp", ours.merging(["notes": [1]]) { one, _ in one }, in: folder, fileSystem),
                try lay("other.tmp", ["lock": [], "backup": Array("something else".utf8)], in: folder, fileSystem),
                try lay("begun.tmp", ["lock": []], in: folder, fileSystem),
                try lay("bare.tmp", [:], in: folder, fileSystem),
                try lay("named", ours, in: folder, fileSystem),
            ]
            try fileSystem.replace(folder + "/file.tmp", with: BackupFile.head)
            let before = try others.map { try Set(fileSystem.names(inDirectory: $0)) }
            _ = try await store.backup(to: folder + "/Wednesday", as: .file)
            #expect(try others.map { try Set(fileSystem.names(inDirectory: $0)) } == before)
            #expect(try fileSystem.kind(of: folder + "/file.tmp") == .file)
            lock.unlock()
            _ = try await store.backup(to: folder + "/Thursday", as: .file)
            #expect(try fileSystem.kind(of: held) == .absent)
            try await store.close()
        }
    }
}
