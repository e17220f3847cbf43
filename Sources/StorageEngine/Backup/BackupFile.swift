/// Backs a store up into one file: a page that says what it is, the parts, each from a page's beginning on, the manifest, and
/// where that lies. Written once, read back, and only then given its name.
struct BackupFile {
    let path: String
    let fileSystem: any FileSystem

    func write(
        _ source: BackupSource, of files: StoreFiles, _ progress: @escaping (Double) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupReport {
        let start = ContinuousClock.now
        let parent = StoreFiles(directory: path).parent
        guard try fileSystem.kind(of: path) == .absent else { throw .exists(path: path) }
        guard try fileSystem.kind(of: parent) == .directory else { throw .missingParent(path: path, parent: parent) }
        AbandonedWorkshops(parent: parent, fileSystem: fileSystem).remove()
        var parts = [source.snapshotPart] + source.segments.flatMap { $0.parts(from: 0) }
        place(&parts)
        try fileSystem.requireSpace(parts.last.map { $0.place + $0.byteCount } ?? 0, in: parent, for: path)
        // A directory of its own: files have the permissions of their directory, and a library is its owner's.
        let workshop = path + StoreFiles.temporarySuffix
        try requireFree(workshop)
        try fileSystem.createDirectory(workshop, sharing: .owner)
        defer { try? fileSystem.removeDirectory(workshop) }
        let lock = try fileSystem.lock(workshop + "/lock", toMake: path)
        defer {
            try? fileSystem.remove(workshop + "/lock")
            lock.unlock()
        }
        let temporary = workshop + "/backup"
        do throws(StorageError) {
            let manifest = try write(&parts, source, files, to: temporary, progress)
            guard try fileSystem.kind(of: path) == .absent else { throw .exists(path: path) }
            try fileSystem.rename(temporary, to: path)
            do throws(StorageError) {
                try fileSystem.flushDirectory(parent)
            } catch {
                // Its name may not outlast a power cut: whoever tries again finds none.
                try? fileSystem.remove(path)
                throw error
            }
            return BackupReport(
                commitNumber: manifest.commit, copiedByteCount: Int(manifest.byteCount),
                byteCount: Int(manifest.byteCount), isIncrement: false, reaches: manifest.reaches,
                nanoseconds: elapsed(since: start))
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }

    /// - Throws: where something of somebody else's has the name of the directory in which the backup is to be made.
    private func requireFree(_ workshop: String) throws(StorageError) {
        switch try fileSystem.kindWithoutFollowing(workshop) {
        case .absent: return
        case .directory:
            let names = try Set(fileSystem.names(inDirectory: workshop))
            // What another backup makes, or one that was broken off has left: the lock says so, or what it had written.
            let isFree =
                try names == ["backup"]
                ? isBackup(workshop + "/backup") : names.isSubset(of: ["lock", "backup"])
            guard isFree else { throw taken(workshop) }
        default: throw taken(workshop)
        }
    }

    private func taken(_ workshop: String) -> StorageError {
        .backupRefused(
            path: path, reason: "It is made in \(workshop), and something of somebody else is there.",
            next: "Name another file, or move that away.")
    }

    /// Whether a file begins as a backup does. A power cut may leave zeros in its place.
    private func isBackup(_ temporary: String) throws(StorageError) -> Bool {
        guard try fileSystem.kindWithoutFollowing(temporary) == .file else { return false }
        let file = try fileSystem.openFile(temporary, .reading)
        defer { file.close() }
        let magic = try file.read(byteCount: BackupManifest.headMagic.count, at: 0)
        return zip(magic, BackupManifest.headMagic).allSatisfy { $0 == $1 || $0 == 0 }
    }

    private func place(_ parts: inout [BackupPart]) {
        let page = UInt64(BackupManifest.pageByteCount)
        var end = page
        for index in parts.indices {
            parts[index].place = end
            end = (end + parts[index].byteCount + page - 1) / page * page
        }
    }

    private func write(
        _ parts: inout [BackupPart], _ source: BackupSource, _ files: StoreFiles, to temporary: String,
        _ progress: @escaping (Double) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupManifest {
        let file = try fileSystem.openFile(temporary, .creating)
        defer { file.close() }
        var writer = PartWriter(source, of: files, parts, fileSystem, progress)
        try file.write(Self.head, at: 0)
        for index in parts.indices { parts[index].checksum = try writer.write(parts[index], to: file) }
        let now = fileSystem.now()
        let manifest = BackupManifest(
            store: source.store, begun: now, time: now, commit: source.commit, parts: parts)
        let page = BackupManifest.pageByteCount
        let end = parts.map { Int($0.place + $0.byteCount) }.max() ?? page
        let place = (end + page - 1) / page * page
        let bytes = manifest.encoded()
        try file.write(bytes + Self.trailer(place, bytes.count), at: place)
        try file.flush(.durable)
        file.discardCache()
        for part in parts { try writer.verify(part, in: file) }
        guard try BackupManifest.read(inFile: file) == manifest else {
            throw PartWriter.untrue(path, at: place)
        }
        return manifest
    }

    static var head: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BackupManifest.pageByteCount)
        bytes.replaceSubrange(0..<8, with: BackupManifest.headMagic)
        return bytes
    }

    static func trailer(_ place: Int, _ byteCount: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BackupField.Trailer.checksum.end)
        bytes.store(BackupManifest.trailerMagic, in: BackupField.Trailer.magic)
        bytes.store(UInt64(place), in: BackupField.Trailer.manifestOffset)
        bytes.store(UInt64(byteCount), in: BackupField.Trailer.manifestByteCount)
        bytes.store(CRC32C.checksum(bytes, before: BackupField.Trailer.checksum), in: BackupField.Trailer.checksum)
        return bytes
    }
}
