import Testing

@testable import StorageEngine

/// Staged restores that have filled the disk.
@Suite struct FullDiskRestoreTests {
    private func staged(_ fileSystem: any FileSystem) async throws {
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        _ = try await store.backup(to: "B")
        for number in 5..<10 { try await store.put(number..<number + 1) }
        try await store.close()
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
    }

    /// What would have freed the space came behind what needed some, at this opening and at each that followed.
    @Test func `a restore that has filled the disk is carried out, and the old store frees its space`() async throws {
        let fileSystem = FaultyFileSystem()
        try await staged(fileSystem)
        let old = try #require(try fileSystem.files("snapshot-", in: "A").first)
        // Room for the segment and no more, until the old store goes.
        fileSystem.fail { [fileSystem] call, path in
            guard call == .write, try! fileSystem.kind(of: old) == .file,
                try! fileSystem.files("snapshot-", in: "A").count == 2
            else { return nil }
            return .diskFull(path: path)
        }
        let restored = try fileSystem.openStore()
        #expect(restored.opening.restored?.commitNumber == 5 && restored.lastRestore?.commitNumber == 5)
        #expect(try fileSystem.files("snapshot-", in: "A").count == 1 && fileSystem.files("log-", in: "A").count == 1)
        #expect(try fileSystem.files("restore", in: "A") == ["A/restored"])
        try await restored.put(90..<91)
        try await restored.close()
        let again = try fileSystem.openStore()
        #expect(again.version.commitNumber == 6 && again.lastRestore?.commitNumber == 5)
        try await again.close()
    }

    @Test func `as long as the disk has no room to say that it was done, the mark says so`() async throws {
        let fileSystem = FaultyFileSystem()
        try await staged(fileSystem)
        fileSystem.fail { call, path in call == .write && path.contains("restored") ? .diskFull(path: path) : nil }
        for count in 5..<8 as Range<UInt64> {
            let store = try fileSystem.openStore()
            #expect(store.version.commitNumber == count && store.lastRestore?.commitNumber == 5)
            #expect(store.opening.restoreFailure == nil)
            try await store.put(90..<91)
            if count == 6 { try await store.compact() }
            try await store.close()
            #expect(try fileSystem.files("restore", in: "A") == ["A/restore"])
        }
        fileSystem.fail(nil)
        let store = try fileSystem.openStore()
        #expect(store.version.commitNumber == 8 && store.lastRestore?.commitNumber == 5)
        #expect(try fileSystem.files("restore", in: "A") == ["A/restored"])
        try await store.close()
    }
}
