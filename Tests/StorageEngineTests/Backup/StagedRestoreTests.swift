import TestSupport
import Testing

@testable import StorageEngine

@Suite struct StagedRestoreTests {
    /// A store of ten commits, its backup after the fifth.
    private func prepared(_ fileSystem: any FileSystem) async throws -> Database {
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        _ = try await store.backup(to: "B")
        for number in 5..<10 { try await store.put(number..<number + 1) }
        return store
    }

    private func stage(_ fileSystem: any FileSystem, _ point: RestorePoint = .newest) async throws {
        let plan = try RestorePlan(point, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
    }

    @Test func `an open store goes on until the next writing opening puts the restored one in its place`() async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        try await stage(fileSystem, .commit(3))
        try await store.put(10..<11)
        try await store.compact()
        try await store.put(11..<12)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await store.close()
        #expect(try fileSystem.openStore("A", .readOnly).version.commitNumber == 12)
        let restored = try fileSystem.openStore()
        #expect(restored.opening.restored?.commitNumber == 3 && restored.opening.restored?.backup == "B")
        #expect(restored.version.commitNumber == 3 && restored.lastRestore?.commitNumber == 3)
        #expect(try restored.version.count(in: numbers) == 3)
        // Nothing of the old store is left.
        #expect(try fileSystem.files("snapshot-", in: "A").count == 1 && fileSystem.files("log-", in: "A").count == 1)
        #expect(try fileSystem.files("staged-", in: "A").isEmpty && fileSystem.kind(of: "A/restore") == .absent)
        #expect(!restored.opening.isNameInDoubt)
        try await restored.put(50..<60)
        try await restored.compact()
        try await restored.close()
        let again = try fileSystem.openStore()
        #expect(again.opening.restored == nil && again.lastRestore?.commitNumber == 3)
        #expect(again.version.commitNumber == 4)
        try await again.close()
    }

    @Test func `a restore that was staged has the time of the opening that carried it out, whoever is asked`()
        async throws
    {
        let fileSystem = SettableFileSystem(step: 1)
        try await prepared(fileSystem).close()
        try await stage(fileSystem)
        let staged = try #require(try RestoreMark.read("A/restore", fileSystem)).restoration
        let restored = try fileSystem.openStore()
        let carriedOut = try #require(restored.opening.restored)
        #expect(carriedOut.time > staged.time && restored.lastRestore == carriedOut)
        try await restored.close()
        let again = try fileSystem.openStore()
        #expect(again.lastRestore == carriedOut)
        try await again.close()
    }

    @Test func `a restore that is staged again takes the place of the one before`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        try await stage(fileSystem, .commit(3))
        try await stage(fileSystem, .commit(4))
        #expect(try fileSystem.files("staged-", in: "A").count == 1)
        try await store.close()
        let restored = try fileSystem.openStore()
        #expect(restored.version.commitNumber == 4)
        try await restored.close()
    }

    private func mark(_ fileSystem: any FileSystem) throws -> RestoreMark {
        try #require(try RestoreMark.read("A/restore", fileSystem))
    }

    @Test func `two that are staged have logs of different numbers`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem).close()
        try await stage(fileSystem, .commit(3))
        let first = try mark(fileSystem)
        try await stage(fileSystem, .commit(4))
        let second = try mark(fileSystem)
        #expect(second.logSequence > first.logSequence && second.generation > first.generation)
    }

    /// The one that is carried out goes on in a log of its own, which the other must not take the place of.
    @Test(arguments: [false, true])
    func `a restore that is staged while another is carried out takes nothing from what was written since`(
        fails: Bool
    ) async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem).close()
        try await stage(fileSystem, .commit(3))
        let gate = fileSystem.gate(.flush, "snapshot-")
        let staging = Task { try await stage(fileSystem, .commit(4)) }
        await gate.reached()
        let first = try fileSystem.openStore()
        #expect(first.version.commitNumber == 3)
        try await first.put(60..<61)
        try await first.close()
        gate.open()
        let isStaged = await (try? staging.value) != nil
        if fails {
            fileSystem.fail { call, path in
                guard call == .rename, path.contains("staged-") else { return nil }
                return .inputOutput(operation: "rename", path: path, code: 5)
            }
        }
        let store = try fileSystem.openStore()
        #expect(isStaged)
        #expect(store.version.commitNumber == 4 && (store.opening.restoreFailure != nil) == fails)
        #expect(try store.version.contains(.key(60), in: numbers) == fails)
        try await store.close()
        fileSystem.fail(nil)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a restore whose log is another's by now is given up`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem).close()
        try await stage(fileSystem, .commit(3))
        let first = try mark(fileSystem)
        let restored = try fileSystem.openStore()
        try await restored.put(60..<61)
        try await restored.close()
        try await stage(fileSystem, .commit(2))
        let second = try mark(fileSystem)
        try RestoreMark(
            store: second.store, generation: second.generation, logSequence: first.logSequence,
            snapshotChecksum: second.snapshotChecksum, second.restoration
        ).write(to: "A/restore", fileSystem)
        let again = try fileSystem.openStore()
        #expect(again.opening.restoreFailure != nil)
        #expect(try again.version.commitNumber == 4 && again.version.contains(.key(60), in: numbers))
        try await again.close()
    }

    @Test func `who has carried one out leaves the mark and the snapshot of another`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem).close()
        try await stage(fileSystem, .commit(3))
        let files = StoreFiles(directory: "A")
        let restore = StagedRestore(files: files, fileSystem: fileSystem) { _ in }
        guard case .carriedOut(let first) = try restore.carryOut() else { Issue.record("it was staged"); return }
        let other = RestoreMark(
            store: .random(), generation: first.generation + 7, logSequence: first.logSequence + 7,
            snapshotChecksum: 1, first.restoration)
        try fileSystem.replace(files.staged(other.generation), with: [1, 2, 3])
        try fileSystem.replace(files.staged(first.generation + 3), with: [4])
        try other.write(to: files.restore, fileSystem)
        restore.removeReplaced(by: first)
        #expect(try mark(fileSystem) == other)
        #expect(try fileSystem.bytes(of: files.staged(other.generation)) == [1, 2, 3])
        #expect(fileSystem.kind(of: files.staged(first.generation + 3)) == .absent)
    }

    @Test func `what was staged can be taken back until it is carried out`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        try await stage(fileSystem, .commit(3))
        let restoration = try mark(fileSystem).restoration
        try await stage(fileSystem, .commit(4))
        #expect(!store.unstage(restoration), "another was staged since")
        #expect(try store.unstage(mark(fileSystem).restoration))
        #expect(try fileSystem.files("staged-", in: "A").isEmpty && fileSystem.kind(of: "A/restore") == .absent)
        try await store.close()
        let again = try fileSystem.openStore()
        #expect(again.version.commitNumber == 10 && again.opening.restoreFailure == nil)
        try await again.close()
    }

    @Test(arguments: ["staged-", "restore"])
    func `a staged restore that was spoiled is given up, and the old store stays`(name: String) async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        let expected = try store.version.strings()
        try await store.close()
        try await stage(fileSystem)
        let path = try #require(try fileSystem.files(name, in: "A").first)
        var bytes = try fileSystem.bytes(of: path)
        bytes[bytes.count / 2] ^= 1
        bytes[20] ^= 1
        if name == "staged-" { for page in stride(from: 0, to: bytes.count, by: 4096) { bytes[page + 40] ^= 1 } }
        try fileSystem.replace(path, with: bytes)
        let opened = try fileSystem.openStore()
        #expect(opened.opening.restoreFailure != nil && opened.lastRestore == nil)
        #expect(try opened.version.strings() == expected)
        try await opened.close()
        let again = try fileSystem.openStore()
        #expect(again.opening.restoreFailure == nil)
        #expect(try fileSystem.files("staged-", in: "A").isEmpty && fileSystem.kind(of: "A/restore") == .absent)
        try await again.close()
    }

    /// What was written to a store that was begun while the backup was read would have been replaced by the next opening, and two restores wrote the
    /// same files.
    @Test func `where a restore is written no store is begun, and no other restore staged`() async throws {
        let fileSystem = FaultyFileSystem()
        try await prepared(fileSystem).close()
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        let gate = fileSystem.gate(.flush, "snapshot-")
        let staging = Task {
            try await Database.stageRestore(plan, at: "R", replacing: false, fileSystem: fileSystem)
        }
        await gate.reached()
        let inUse = StorageError.inUse(path: "R", processIdentifier: 0)
        #expect(throws: inUse) { _ = try fileSystem.openStore("R") }
        for isReplacing in [false, true] {
            await #expect(throws: inUse) {
                _ = try await Database.stageRestore(plan, at: "R", replacing: isReplacing, fileSystem: fileSystem)
            }
        }
        gate.open()
        _ = try await staging.value
        let store = try fileSystem.openStore("R")
        #expect(store.opening.restored?.commitNumber == 5 && store.version.commitNumber == 5)
        try await store.close()
    }

    @Test func `a restore into a new place that is refused leaves nothing there`() async throws {
        try await withTemporaryDirectory { folder in
            let store = try Database.open(at: folder + "/A", trees: numberTrees)
            try await store.put(0..<10)
            _ = try await store.backup(to: folder + "/B")
            try await store.close()
            let plan = try RestorePlan(.newest, from: Backup(at: folder + "/B"))
            var options = Options()
            options.admission = { _, _ throws(StorageError) in .refuse(.outdated(path: folder)) }
            await #expect(throws: StorageError.outdated(path: folder)) {
                _ = try await Database.stageRestore(plan, at: folder + "/R", replacing: false, options: options)
            }
            #expect(try PosixFileSystem().kind(of: folder + "/R") == .absent)
        }
    }

    @Test func `a restore into a new place that was spoiled makes no empty library`() async throws {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem).close()
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "R", replacing: false, fileSystem: fileSystem)
        let path = try #require(try fileSystem.files("staged-", in: "R").first)
        try fileSystem.replace(path, with: Array(try fileSystem.bytes(of: path).dropLast(4096)))
        #expect(throws: StorageError.self) { _ = try fileSystem.openStore("R") }
        #expect(try fileSystem.files("snapshot-", in: "R").isEmpty)
    }

    @Test func `a restore that fails is given up: the old store goes on, and no later opening replaces it`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        let store = try await prepared(fileSystem)
        let expected = try store.version.strings()
        try await store.close()
        try await stage(fileSystem)
        fileSystem.fail { call, path in
            call == .rename && path.contains("staged-") ? .inputOutput(operation: "rename", path: path, code: 5) : nil
        }
        let old = try fileSystem.openStore()
        #expect(old.opening.restoreFailure != nil)
        #expect(try old.version.strings() == expected)
        // Its reader, its verifier and its inspection, beside the segment that was made for the restored store.
        try await old.close()
        #expect(try fileSystem.openStore("A", .readOnly).opening.damage == nil)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        #expect(try StoreInspection(at: "A", fileSystem: fileSystem).damage.isEmpty)
        #expect(try await Database.backup(at: "A", to: "B", fileSystem: fileSystem).commitNumber == 10)
        fileSystem.fail(nil)
        let again = try fileSystem.openStore()
        #expect(
            again.version.commitNumber == 10 && again.opening.restored == nil && again.opening.restoreFailure == nil)
        try await again.close()
    }

    @Test(arguments: [false, true])
    func `whichever call to the disk fails while a restore is carried out, the store is the old one or the new`(
        forEver: Bool
    ) async throws {
        for failing in 1... {
            let fileSystem = FaultyFileSystem()
            try await prepared(fileSystem).close()
            let made = CallCounter()
            @Sendable func isOver(_ call: Int) -> Bool { forEver ? call >= failing : call == failing }
            fileSystem.fail { _, path in
                guard path.hasPrefix("A") else { return nil }
                return isOver(made.count()) ? .inputOutput(operation: "call", path: path, code: 5) : nil
            }
            let isStaged: Void? = try? await stage(fileSystem)
            if let store = try? fileSystem.openStore() { try? await store.close() }
            fileSystem.fail(nil)
            let found = try fileSystem.openStore()
            let isRestored = found.lastRestore != nil
            #expect(found.version.commitNumber == (isRestored ? 5 : 10), "call \(failing)")
            #expect(try found.version.count(in: numbers) == (isRestored ? 5 : 10), "call \(failing)")
            try await found.put(90..<91)
            try await found.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound, "call \(failing)")
            let again = try fileSystem.openStore()
            #expect(again.version.commitNumber == (isRestored ? 6 : 11), "call \(failing)")
            try await again.close()
            if made.value < failing {
                #expect(isStaged != nil && isRestored && failing > 20)
                break
            }
        }
    }
}
