extension BackupManifest {
    static func read(inDirectory path: String, _ fileSystem: any FileSystem) throws(StorageError) -> BackupManifest {
        let manifest = path + "/manifest"
        return try refusing(path) { () throws(StorageError) in
            let file = try fileSystem.openFile(manifest, .reading)
            defer { file.close() }
            let byteCount = try file.byteCount()
            guard byteCount <= mostByteCount else {
                throw .damaged(Damage(file: manifest, byteOffset: 0, finding: "it is too long for a manifest"))
            }
            return try BackupManifest(decoding: try file.read(byteCount: byteCount, at: 0), path: manifest)
        }
    }

    static func read(inFile file: any File) throws(StorageError) -> BackupManifest {
        try refusing(file.path) { () throws(StorageError) in
            func damage(_ finding: String) -> StorageError {
                .damaged(Damage(file: file.path, byteOffset: 0, finding: finding))
            }
            let count = BackupField.Trailer.checksum.end
            let byteCount = try file.byteCount()
            let head = try file.read(byteCount: headMagic.count, at: 0)
            guard head == headMagic, byteCount > pageByteCount + count else { throw damage("this is no backup") }
            let trailer = try file.read(byteCount: count, at: byteCount - count)
            guard trailer.count == count, trailer.withBytes({ $0.has(trailerMagic, in: BackupField.Trailer.magic) }),
                CRC32C.checksum(trailer, before: BackupField.Trailer.checksum)
                    == trailer.load(BackupField.Trailer.checksum)
            else { throw damage("the file does not end as a backup does") }
            let place = trailer.load(BackupField.Trailer.manifestOffset)
            let length = trailer.load(BackupField.Trailer.manifestByteCount)
            guard length <= UInt64(mostByteCount), place <= UInt64(byteCount),
                place + length + UInt64(count) == UInt64(byteCount)
            else { throw damage("the manifest does not lie within the file") }
            return try BackupManifest(
                decoding: try file.read(byteCount: Int(length), at: Int(place)), path: file.path)
        }
    }

    private static func refusing(
        _ path: String, _ read: () throws(StorageError) -> BackupManifest
    ) throws(StorageError) -> BackupManifest {
        do throws(StorageError) {
            return try read()
        } catch {
            guard case .damaged(let damage) = error else { throw error }
            throw .damagedBackup(path, damage)
        }
    }

    /// What can be restored, oldest first. Of lines that overlap, or follow on each other, one reach.
    var reaches: [BackupReach] {
        var reaches: [BackupReach] = []
        let segments = segments
        for reach in snapshots.map({ BackupLine($0, segments).reach }) {
            guard let last = reaches.last, reach.commits.lowerBound <= last.commits.upperBound + 1 else {
                reaches.append(reach)
                continue
            }
            reaches[reaches.count - 1] = BackupReach(
                commits: last.commits.lowerBound...max(last.commits.upperBound, reach.commits.upperBound),
                times: last.times.lowerBound...max(last.times.upperBound, reach.times.upperBound))
        }
        return reaches
    }
}

extension StorageError {
    static func damagedBackup(_ path: String, _ damage: Damage) -> StorageError {
        .backupRefused(
            path: path, reason: "The backup is damaged: \(damage)",
            next: "Restore an earlier commit, or from another backup; to back up go on in another directory.")
    }
}
