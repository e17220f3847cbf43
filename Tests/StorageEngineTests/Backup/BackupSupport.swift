import Testing

@testable import StorageEngine

extension FileSystem {
    func openStore(_ path: String = "A", _ access: Access = .exclusive) throws -> Database {
        try Database.open(
            at: path, trees: access == .readOnly ? [] : numberTrees,
            options: Options(access: access, compaction: .manual), fileSystem: self)
    }

    func backUp(_ path: String = "A", to destination: String = "B", as form: BackupForm = .directory) async throws
        -> BackupReport
    {
        try await Database.backup(at: path, to: destination, as: form, fileSystem: self)
    }

    /// Restores a backup into a new store, and gives its contents and commit.
    func restored(
        _ point: RestorePoint = .newest, from backup: String = "B", to path: String = "R"
    ) async throws -> (contents: [String: String], commit: UInt64) {
        let plan = try RestorePlan(point, from: Backup(at: backup, fileSystem: self))
        let staged = try await Database.stageRestore(plan, at: path, replacing: true, fileSystem: self)
        let store = try openStore(path)
        #expect(store.opening.restoreFailure == nil)
        #expect(store.opening.restored?.commitNumber == staged.commitNumber)
        #expect(store.lastRestore?.commitNumber == staged.commitNumber)
        #expect(store.version.commitNumber == staged.commitNumber)
        #expect(store.version.invariantFindings() == [])
        let contents = try store.version.strings()
        try await store.close()
        #expect(try Verifier.verify(at: path, fileSystem: self).isSound)
        return (contents, staged.commitNumber)
    }

    /// Every file of a directory, but the lock.
    func image(of directory: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try names(inDirectory: directory) where name != "lock" {
            files[name] = try bytes(of: directory + "/" + name)
        }
        return files
    }
}

extension Version {
    func strings() throws -> [String: String] {
        var found: [String: String] = [:]
        guard declaration(of: numbers) != nil else { return found }
        try scan(numbers) { key, value in
            found["\(key.copyBytes())"] = String(decoding: value.copyBytes(), as: UTF8.self)
            return true
        }
        return found
    }
}

extension StorageError {
    /// The reason why a backup was refused.
    var refusal: String? {
        if case .backupRefused(_, let reason, _) = self { reason } else { nil }
    }
}
