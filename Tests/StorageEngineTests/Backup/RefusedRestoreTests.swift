import Synchronization
import Testing

@testable import StorageEngine

/// Restores that cannot be carried out, and what is left of the store that they were to replace.
struct RefusedRestoreTests {
    private func prepared(_ fileSystem: any FileSystem) async throws {
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        _ = try await store.backup(to: "B")
        for number in 5..<10 { try await store.put(number..<number + 1) }
        try await store.close()
    }
    private func stage(_ fileSystem: any FileSystem) async throws {
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
    }

    @Test func `a restored store that the layer above refuses leaves the old one`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        var options = Options(compaction: .manual)
        options.admission = { version, _ throws(StorageError) in
            version.commitNumber == 5 ? .refuse(.outdated(path: "A")) : .show
        }
        for _ in 0..<2 {
            let store = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
            #expect(store.version.commitNumber == 10)
            try await store.close()
        }
    }

    /// What is written until then would go when the later version carries the restore out.
    @Test(arguments: ["mark", "snapshot", "library"])
    func `a restore that a later version has staged waits for it, and nothing is written meanwhile`(
        what: String
    ) async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        var options = Options(compaction: .manual)
        switch what {
        case "mark":
            var mark = try fileSystem.bytes(of: "A/restore")
            mark[RestoreMarkField.formatVersion.offset] = 2
            let path = Array(mark.dropFirst(RestoreMarkField.checksum.end))
            let checksum = CRC32C.checksum(path, seed: CRC32C.checksum(mark, before: RestoreMarkField.checksum))
            mark.store(checksum, in: RestoreMarkField.checksum)
            try fileSystem.replace("A/restore", with: mark)
        case "snapshot":
            let name = try #require(
                try fileSystem.names(inDirectory: "A").first { $0.hasPrefix("staged-") })
            var forged = ForgedSnapshot(try fileSystem.bytes(of: "A/" + name))
            forged.changeSuperblocks { $0.store(UInt32(2), at: 112) }
            try fileSystem.replace("A/" + name, with: forged.bytes)
        default:
            options.admission = { version, _ throws(StorageError) in
                version.commitNumber == 5 ? .refuse(.newerFormat(path: "A", found: 9, supported: 1)) : .show
            }
        }
        let before = try fileSystem.contents()
        for _ in 0..<2 {
            do {
                _ = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
                Issue.record("it was opened")
            } catch {
                switch error {
                case .newerFormat, .unknownFeatures: break
                default: Issue.record("\(error)")
                }
            }
        }
        #expect(try fileSystem.contents() == before)
        #expect(try fileSystem.openStore("A", .readOnly).version.commitNumber == 10)
    }

    @Test func `a restore changes nothing in a store that only a later version may write to`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        let path = "A/snapshot-0000000000000001"
        var forged = ForgedSnapshot(try fileSystem.bytes(of: path))
        forged.changeSuperblocks { $0.store(UInt32(2), at: 108) }
        try fileSystem.replace(path, with: forged.bytes)
        let before = try fileSystem.contents()
        #expect(throws: StorageError.unknownFeatures(path: path, bits: 2, canBeRead: true)) {
            try fileSystem.openStore()
        }
        #expect(try fileSystem.contents() == before)
    }

    /// It was staged, no opening here carried it out, and the later version's next one replaced the store.
    @Test func `no restore is staged over a store that only a later version may write to`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        let path = "A/snapshot-0000000000000001"
        let bytes = try fileSystem.bytes(of: path)
        var forged = ForgedSnapshot(bytes)
        forged.changeSuperblocks { $0.store(UInt32(2), at: 108) }
        try fileSystem.replace(path, with: forged.bytes)
        let before = try fileSystem.contents()
        await #expect(throws: StorageError.unknownFeatures(path: path, bits: 2, canBeRead: true)) {
            try await stage(fileSystem)
        }
        #expect(try fileSystem.contents() == before)
        // Damage is what a restore is for.
        try fileSystem.replace(path, with: [UInt8](repeating: 0, count: bytes.count))
        try await stage(fileSystem)
        let store = try fileSystem.openStore()
        #expect(store.version.commitNumber == 5 && store.opening.restoreFailure == nil)
        try await store.close()
    }

    @Test func `a mark whose version number has rotted is a mark that cannot be read`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        var mark = try fileSystem.bytes(of: "A/restore")
        mark[RestoreMarkField.formatVersion.offset] = 2
        try fileSystem.replace("A/restore", with: mark)
        let store = try fileSystem.openStore()
        #expect(store.version.commitNumber == 10 && store.opening.restoreFailure != nil)
        try await store.close()
    }

    @Test func `a restored store whose trees are declared otherwise leaves the old one`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem)
        let other = try Database.open(
            at: "O", trees: [TreeDeclaration(numbers, "numbers", facetCount: 1)],
            options: Options(compaction: .manual), fileSystem: fileSystem)
        try await other.write { try $0.put([1], forKey: UInt64(1), in: numbers) }
        _ = try await other.backup(to: "OB")
        try await other.close()
        let plan = try RestorePlan(.newest, from: Backup(at: "OB", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
        let store = try fileSystem.openStore()
        #expect(store.version.commitNumber == 10 && store.opening.restoreFailure != nil)
        try await store.close()
        #expect(try fileSystem.openStore("A", .readOnly).version.commitNumber == 10)
    }

    @Test func `a staging that throws has staged nothing`() async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem)
        fileSystem.fail { [fileSystem] call, path in
            call == .flushDirectory && path == "A" && (try? fileSystem.kind(of: "A/restore")) == .file
                ? .inputOutput(operation: "fsync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await stage(fileSystem) }
        fileSystem.fail(nil)
        let store = try fileSystem.openStore()
        #expect(store.version.commitNumber == 10)
        try await store.close()
    }

    @Test func `a staging that says nothing was changed has changed nothing`() async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem)
        let once = Atomic<Int>(0)
        let opened = Mutex<Database?>(nil)
        fileSystem.fail { [fileSystem] call, path in
            if call == .flushDirectory, path == "A", (try? fileSystem.kind(of: "A/restore")) == .file,
                once.add(1, ordering: .relaxed).oldValue == 0
            {
                let store = try? fileSystem.openStore()
                opened.withLock { $0 = store }
            }
            return nil
        }
        var said: (any Error)? = nil
        do { try await stage(fileSystem) } catch { said = error }
        let commit = opened.withLock { $0?.version.commitNumber }
        #expect(said == nil ? commit == 5 : commit == 10)
    }

    @Test func `after a restore that could not be carried out what is written is not replaced unasked`() async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        fileSystem.fail { call, path in
            call == .rename && path.contains("staged-") ? .inputOutput(operation: "rename", path: path, code: 5) : nil
        }
        let old = try fileSystem.openStore()
        fileSystem.fail(nil)
        for number in 10..<20 { try await old.put(number..<number + 1) }
        try await old.close()
        let again = try fileSystem.openStore()
        #expect(again.version.commitNumber == 20)
        try await again.close()
    }

    /// Neither the snapshot's bytes nor the removal of the mark reach the medium: a power cut may bring both back.
    @Test func `an old store whose restore cannot be given up is not opened for writing`() async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem)
        try await stage(fileSystem)
        var options = Options(compaction: .manual)
        options.admission = { version, _ throws(StorageError) in
            version.commitNumber == 5 ? .refuse(.outdated(path: "A")) : .show
        }
        fileSystem.fail { call, path in
            call == .flushDirectory || call == .flush && path.contains("10001")
                ? .inputOutput(operation: "fsync", path: path, code: 5) : nil
        }
        for _ in 0..<2 {
            #expect(throws: StorageError.self) {
                try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
            }
        }
        #expect(try fileSystem.openStore("A", .readOnly).version.commitNumber == 10)
        fileSystem.fail(nil)
        let old = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
        #expect(old.version.commitNumber == 10)
        try await old.close()
        #expect(try fileSystem.files("staged-", in: "A").isEmpty && fileSystem.kind(of: "A/restore") == .absent)
    }

    @Test func `a commit that a crash took back cannot be restored as if it had been`() async throws {
        let fileSystem = MemoryFileSystem()
        var store: Database? = try fileSystem.openStore()
        for number in 0..<4 { try await store!.put(number..<number + 1) }
        let image = try fileSystem.image(of: "A")
        try await store!.put(4..<5, value: "lost")
        _ = try await fileSystem.backUp()
        try await store!.close()
        store = nil
        for (name, bytes) in image { try fileSystem.replace("A/" + name, with: bytes) }
        let again = try fileSystem.openStore()
        try await again.put(4..<5, value: "kept")
        for number in 5..<8 { try await again.put(number..<number + 1) }
        try await again.compact()
        try await again.put(8..<9)
        _ = try await fileSystem.backUp()
        let plan = try? RestorePlan(.commit(5), from: Backup(at: "B", fileSystem: fileSystem))
        #expect(plan == nil, "the one that came in its place was compacted away before a backup saw it")
        #expect(try await fileSystem.restored(.newest).contents == again.version.strings())
        try await again.close()
    }
}
