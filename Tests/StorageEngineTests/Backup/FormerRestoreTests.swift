import TestSupport
import Testing

@testable import StorageEngine

/// A restore is staged while another one is, or while the store is restored in place.
@Suite struct FormerRestoreTests {
    /// A store of ten commits, open, its backup after the fifth, and a restore to the third staged.
    private func prepared(_ fileSystem: any FileSystem) async throws -> Database {
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        _ = try await store.backup(to: "B")
        for number in 5..<10 { try await store.put(number..<number + 1) }
        try await stage(.commit(3), fileSystem)
        return store
    }

    private func stage(_ point: RestorePoint, _ fileSystem: any FileSystem) async throws {
        let plan = try RestorePlan(point, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
    }

    private func expectTidy(_ fileSystem: any FileSystem, _ words: String) throws {
        #expect(try fileSystem.files("staged-", in: "A").isEmpty, "\(words)")
        #expect(try fileSystem.files("restore", in: "A") == ["A/restored"], "\(words)")
    }

    /// What a disk does from a call on.
    enum Trouble: CaseIterable { case once, forEver, full }

    private static func fault(
        _ trouble: Trouble, at failing: Int, _ made: CallCounter
    ) -> @Sendable (FaultyFileSystem.Call, String) -> StorageError? {
        { call, path in
            guard path.hasPrefix("A") else { return nil }
            let count = made.count()
            switch trouble {
            case .once: return count == failing ? .inputOutput(operation: "call", path: path, code: 5) : nil
            case .forEver: return count >= failing ? .inputOutput(operation: "call", path: path, code: 5) : nil
            case .full: return count >= failing && [.write, .reserve].contains(call) ? .diskFull(path: path) : nil
            }
        }
    }

    @Test(arguments: Trouble.allCases)
    func `a staging that fails leaves the restore that was staged before it`(trouble: Trouble) async throws {
        for failing in 1... {
            let fileSystem = FaultyFileSystem()
            try await prepared(fileSystem).close()
            let made = CallCounter()
            fileSystem.fail(Self.fault(trouble, at: failing, made))
            var failure: StorageError?
            do { try await stage(.commit(4), fileSystem) } catch { failure = error as? StorageError }
            fileSystem.fail(nil)
            let store = try fileSystem.openStore()
            let isUnknown = failure?.refusal?.contains("unknown") == true
            let expected: [UInt64] = isUnknown ? [3, 4] : failure == nil ? [4] : [3]
            #expect(expected.contains(store.version.commitNumber), "call \(failing): \(failure as Any)")
            #expect(store.opening.restored?.commitNumber == store.version.commitNumber, "call \(failing)")
            #expect(!isUnknown || trouble == .forEver)
            try await store.close()
            try expectTidy(fileSystem, "call \(failing)")
            let again = try fileSystem.openStore()
            #expect(again.opening.restored == nil && again.opening.restoreFailure == nil, "call \(failing)")
            try await again.close()
            if made.value < failing {
                #expect(failure == nil && failing > 20)
                break
            }
        }
    }

    @Test(arguments: Trouble.allCases)
    func `a live restore that fails leaves the restore that was staged before it`(trouble: Trouble) async throws {
        for failing in 1... {
            let fileSystem = FaultyFileSystem()
            let open = try await prepared(fileSystem)
            let plan = try RestorePlan(.commit(4), from: Backup(at: "B", fileSystem: fileSystem))
            let made = CallCounter()
            fileSystem.fail(Self.fault(trouble, at: failing, made))
            var failure: StorageError?
            do { try await open.restore(plan) } catch { failure = error as? StorageError }
            fileSystem.fail(nil)
            try? await open.close()
            let store = try fileSystem.openStore()
            let isUnknown = if case .poisoned? = failure { true } else { false }
            let expected: [UInt64] = isUnknown ? [3, 4] : failure == nil ? [4] : [3]
            #expect(expected.contains(store.version.commitNumber), "call \(failing): \(failure as Any)")
            try await store.put(90..<91)
            try await store.compact()
            try await store.close()
            // What the first opening finds that ends a restore, the next one tidies up.
            for _ in 0..<2 { try await fileSystem.openStore().close() }
            try expectTidy(fileSystem, "call \(failing)")
            if made.value < failing {
                #expect(failure == nil && failing > 20)
                break
            }
        }
    }

    @Test(arguments: [false, true])
    func `a restore that cannot be carried out gives way to the one that was staged before it`(
        forEver: Bool
    ) async throws {
        for failing in 1... {
            let fileSystem = FaultyFileSystem()
            try await prepared(fileSystem).close()
            let former = try fileSystem.bytes(of: "A/restore")
            let snapshot = try #require(try fileSystem.files("staged-", in: "A").first)
            let bytes = try fileSystem.bytes(of: snapshot)
            try await stage(.commit(4), fileSystem)
            // As a crash leaves it before the former one is given up, and then the new one rots.
            try fileSystem.replace("A/restore-former", with: former)
            try fileSystem.replace(snapshot, with: bytes)
            let new = try #require(try fileSystem.files("staged-", in: "A").last)
            try fileSystem.replace(new, with: Array(try fileSystem.bytes(of: new).dropLast(4096)))
            let made = CallCounter()
            fileSystem.fail(Self.fault(forEver ? .forEver : .once, at: failing, made))
            let first = try? fileSystem.openStore()
            fileSystem.fail(nil)
            // What is written to the old store would be replaced by the next opening.
            #expect(first.map { $0.version.commitNumber == 3 || $0.version.commitNumber == 10 } ?? true)
            let isOld = first?.version.commitNumber == 10
            try await first?.close()
            let store = try fileSystem.openStore()
            #expect(store.version.commitNumber == (isOld ? 10 : 3), "call \(failing)")
            try await store.close()
            for _ in 0..<2 { try await fileSystem.openStore().close() }
            #expect(try fileSystem.files("staged-", in: "A").isEmpty, "call \(failing)")
            if made.value < failing {
                #expect(!isOld && failing > 20)
                break
            }
        }
    }
}
