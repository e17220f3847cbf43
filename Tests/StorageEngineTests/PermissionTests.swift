import StorageEngine
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Who may read and write a store.
@Suite struct PermissionTests {
    private let fileSystem = PosixFileSystem()

    /// Fills, compacts and closes a store, so that every kind of file was created, and gives the permissions of each.
    private func permissions(of path: String, _ options: Options = Options()) async throws -> Set<UInt16> {
        let database = try Database.open(at: path, trees: numberTrees, options: options)
        try await database.put(0..<10)
        try await database.compact()
        try await database.put(10..<20)
        try await database.close()
        let names = try fileSystem.names(inDirectory: path)
        #expect(names.count == 4, "snapshot, log, lock and history")
        return Set(try names.map { try #require(try fileSystem.permissions(of: path + "/" + $0)) })
    }

    @Test func `a new store is its owner's alone`() async throws {
        try await withTemporaryDirectory { folder in
            let files = try await permissions(of: folder + "/A")
            #expect(files == [0o600])
            #expect(try fileSystem.permissions(of: folder + "/A") == 0o700)
            #expect(try StoreInspection(at: folder + "/A").readers == .owner)
        }
    }

    /// The usual umask takes writing from the group.
    @Test func `a store that is shared is its group's too, whatever the umask`() async throws {
        try await withTemporaryDirectory { folder in
            var options = Options()
            options.sharing = .group
            let files = try await permissions(of: folder + "/A", options)
            #expect(files == [0o660])
            #expect(try fileSystem.permissions(of: folder + "/A") == 0o2770)
            let inspection = try StoreInspection(at: folder + "/A")
            #expect(inspection.readers == .group && inspection.isSharedWithGroup)
        }
    }

    @Test func `an existing store keeps its permissions, and new files take those of its directory`() async throws {
        try await withTemporaryDirectory { folder in
            for (directory, files) in [(0o755, 0o644), (0o750, 0o640), (0o2770, 0o660), (0o700, 0o600)] {
                let path = folder + "/\(directory)"
                #expect(mkdir(path, 0o700) == 0 && chmod(path, mode_t(directory)) == 0)
                let (created, later) = (try await permissions(of: path), try await permissions(of: path))
                #expect(created == [UInt16(files)] && later == created)
                #expect(try fileSystem.permissions(of: path) == UInt16(directory))
            }
            #expect(try StoreInspection(at: folder + "/\(0o755)").readers == .everyone)
            #expect(try StoreInspection(at: folder + "/\(0o750)").readers == .group)
        }
    }

    @Test func `files that others may read in a directory that they may not enter are read by nobody else`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            _ = try await permissions(of: path)
            for name in try fileSystem.names(inDirectory: path) { #expect(chmod(path + "/" + name, 0o644) == 0) }
            #expect(try StoreInspection(at: path).readers == .owner)
            #expect(chmod(path, 0o711) == 0)
            #expect(try StoreInspection(at: path).readers == .everyone, "names can be guessed")
        }
    }

    @Test func `a store in memory has no readers but the process`() async throws {
        let memory = MemoryFileSystem()
        try await Database.open(at: "A", trees: numberTrees, fileSystem: memory).close()
        #expect(try StoreInspection(at: "A", fileSystem: memory).readers == nil)
    }
}
