@testable import StorageEngine

extension FuzzTarget {
    /// Whatever a backup holds, it is refused, or makes a sound store. Until one is staged whole, the store that is there stays as it is.
    static let backup = FuzzTarget(
        name: "backup", summary: "backups with right checksums, in a directory or a file: verified, restored, opened",
        byteLimit: 512,
        check: .later { bytes in
            var reader = ByteReader(bytes)
            let mode = reader.byte()
            let image = try await BackupImage.made
            let point: RestorePoint =
                switch reader.choice(8) {
                case 0: .time(UInt64(reader.choice(3)))
                case 1...4: .commit(UInt64(reader.choice(Int(image.lastCommit) + 2)))
                default: .newest
                }
            var forgery = BackupForgery(image, isFile: mode & 1 == 1)
            forgery.change(&reader)
            if mode & 6 != 0 { forgery.sealParts() }
            if mode < 250 { forgery.sealManifest() }
            let disk = try StoreFolder.memory(image.store)
            try forgery.lay(on: disk)
            do {
                let restored = try restoring(point, on: disk)
                guard !forgery.isChanged else { return }
                try claim(
                    restored.contents == image.contents[restored.commit],
                    "commit \(restored.commit) was restored with \(restored.contents.summary)")
            } catch let error as StorageError {
                // What is no backup, or does not reach the point, is refused.
                try claim(forgery.isChanged || point != .newest, "a sound backup was refused: \(error)")
            }
        })
}

private func restoring(
    _ point: RestorePoint, on disk: MemoryFileSystem
) throws -> (commit: UInt64, contents: StoreContents) {
    let backup = try Backup(at: BackupForgery.path, fileSystem: disk)
    for reach in backup.reaches { try claim(reach.commits.upperBound <= Limits.numberLimit, "a reach of \(reach)") }
    let isWhole = (try? backup.verify()) != nil
    let before = try StoreFolder.files(in: StoreFolder.path, on: disk)
    let restoration: Restoration
    do {
        restoration = try RestoreStaging(
            plan: RestorePlan(point, from: backup), files: StoreFolder.names, fileSystem: disk,
            identifier: Array("a restored store".utf8), progress: { (_) throws(StorageError) in }
        ).stage(replacing: true, sharing: .owner)
    } catch {
        let after = try StoreFolder.files(in: StoreFolder.path, on: disk)
        try claim(after == before, "a restore that was refused left \(after.keys.sorted()): \(error)")
        throw error
    }
    do {
        let opened = try StoreOpening(
            files: StoreFolder.names, fileSystem: disk, options: Options(compaction: .manual), declared: []
        ).open()
        try claim(
            opened.report.restored?.commitNumber == restoration.commitNumber,
            "commit \(restoration.commitNumber) was staged, and \(opened.report) opened")
        let report = try Verifier.verify(at: StoreFolder.path, fileSystem: disk)
        try claim(
            report.isSound,
            "a backup that is \(isWhole ? "whole" : "damaged") was restored to a damaged store: \(report)")
        return (opened.state.commitNumber, try StoreContents(of: opened.state))
    } catch let error as StorageError {
        throw FuzzFinding("what was restored cannot be read: \(error)")
    }
}
