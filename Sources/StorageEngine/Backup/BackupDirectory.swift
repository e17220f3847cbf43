/// Backs a store up into a directory, again and again: a snapshot that is not there yet, and what is new of the log.
///
///     manifest                                          replaced last
///     snapshot-000000000000002a-c0ffee01                by generation and checksum
///     log-0000000000000031-64-8192-9f3a0011             a stretch of a segment, by the chain value it ends with
///     manifest.tmp, snapshot-….tmp, log-….tmp, lock
///
/// Parts are flushed, read back and proved under temporary names, and have their names on the medium before the manifest that
/// names them has its own. So a backup that is broken off anywhere leaves the one before it, whole.
struct BackupDirectory {
    let path: String
    let fileSystem: any FileSystem

    private var manifestPath: String { path + "/manifest" }

    init(_ path: String, _ fileSystem: any FileSystem) {
        self.path = StoreFiles(directory: path).directory
        self.fileSystem = fileSystem
    }

    func add(
        of files: StoreFiles, _ progress: @escaping (Double) throws(StorageError) -> Void,
        _ makeSource: () throws(StorageError) -> BackupSource
    ) throws(StorageError) -> BackupReport {
        let start = ContinuousClock.now
        try prepare()
        let lock = try fileSystem.lock(path + "/lock", toMake: path)
        defer { lock.unlock() }
        // Under the lock: another backup may have ended meanwhile.
        let isNew = try fileSystem.kind(of: manifestPath) == .absent
        let source: BackupSource
        do throws(StorageError) {
            source = try makeSource()
        } catch {
            if isNew { removeEmptyPlace() }
            throw error
        }
        let old = isNew ? nil : try BackupManifest.read(inDirectory: path, fileSystem)
        let kept = try old.map { (old) throws(StorageError) in try self.kept(of: old, by: source, files) } ?? []
        var added = source.segments.flatMap { segment in
            let behind = kept.filter { $0.kind == .log && $0.number == segment.header.sequence }.map(\.end).max()
            return segment.parts(from: Int(behind ?? 0))
        }
        let snapshot = source.snapshotPart
        if !kept.contains(where: { $0.name == snapshot.name }) { added.insert(snapshot, at: 0) }
        try fileSystem.requireSpace(added.reduce(0) { $0 + $1.byteCount }, in: path, for: path)
        var writer = PartWriter(source, of: files, added, fileSystem, progress)
        for index in added.indices { try write(&added[index], &writer) }
        if !added.isEmpty { try fileSystem.flushDirectory(path) }
        let now = fileSystem.now()
        let manifest = BackupManifest(
            store: source.store, begun: old?.begun ?? now, time: now, commit: source.commit,
            parts: (kept + added).sorted {
                ($0.kind.rawValue, $0.number, $0.start) < ($1.kind.rawValue, $1.number, $1.start)
            })
        try replaceManifest(manifest)
        removeOthers(than: manifest)
        return BackupReport(
            commitNumber: manifest.commit, copiedByteCount: added.reduce(0) { $0 + Int($1.byteCount) },
            byteCount: Int(manifest.byteCount), isIncrement: old != nil, reaches: manifest.reaches,
            nanoseconds: elapsed(since: start))
    }

    // MARK: The place

    /// Makes the directory when there is none, and refuses one that has anything but a backup in it, or one that was broken off.
    private func prepare() throws(StorageError) {
        switch try fileSystem.kind(of: path) {
        case .absent: try fileSystem.createDirectory(path, sharing: .owner)
        case .directory:
            let names = try fileSystem.names(inDirectory: path)
            if names.contains("manifest") { return }
            if let other = names.first(where: { !Self.isOurs($0) && !$0.hasPrefix(".") }) {
                throw .backupRefused(
                    path: path, reason: "It holds no backup but other files, such as \(other).",
                    next: "Name an empty directory, or a new one.")
            }
            // Once more: its own name may not be on the medium yet.
            try fileSystem.createDirectory(path, sharing: .owner)
        case let kind:
            throw .backupRefused(
                path: path, reason: "It is \(kind), and a backup that is added to is a directory.",
                next: "Name another place.")
        }
    }

    /// Nothing stays of a first backup that was refused.
    private func removeEmptyPlace() {
        try? fileSystem.remove(path + "/lock")
        try? fileSystem.removeDirectory(path)
    }

    private static func isOurs(_ name: String) -> Bool {
        name == "lock" || name == "manifest" || BackupPart.isPart(name) || isTemporary(name)
    }

    /// Whether it is the temporary name of a part or a manifest, and not that of somebody else's file.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasSuffix(StoreFiles.temporarySuffix) else { return false }
        let whole = String(name.dropLast(StoreFiles.temporarySuffix.count))
        return whole == "manifest" || BackupPart.isPart(whole)
    }

    // MARK: Going on from the backup before

    /// The parts of an earlier backup that the store still continues, or whose commits are in no other.
    ///
    /// A frame names the one before it by its checksum, so one that is where the backup ends and has the checksum it ends with
    /// proves all before it. Of a segment that is gone nothing can be compared but the commit numbers.
    private func kept(
        of old: BackupManifest, by source: BackupSource, _ files: StoreFiles
    ) throws(StorageError) -> [BackupPart] {
        guard old.store == source.store else {
            throw refusal("It holds backups of another library, or of \(files.directory) as it was before a restore.")
        }
        var kept = try presentParts(of: old)
        var hasCommonSegment = false
        for segment in source.segments {
            let sequence = segment.header.sequence
            while let last = BackupManifest.pieces(of: sequence, in: kept).last {
                let place = segment.boundary(at: Int(last.end))
                if let place, place.commit == last.lastCommit, place.chain == last.lastChain {
                    hasCommonSegment = true
                    break
                }
                // A crash of the library has taken back what nothing had vouched for.
                guard !last.isProved else {
                    if source.commit < last.lastCommit { throw olderCopy(last.lastCommit, source, files) }
                    throw refusal(
                        "Commit \(last.lastCommit) of \(files.directory) is another one than the one that was backed up: the "
                            + "two are of different copies of the library.")
                }
                kept.removeAll { $0 == last }
            }
            for index in kept.indices
            where kept[index].kind == .log && kept[index].number == sequence && kept[index].end <= segment.provedEnd {
                kept[index].isProved = true
            }
        }
        dropUnproved(&kept, source)
        let proved = kept.filter(\.isProved).map(\.lastCommit).max() ?? 0
        let snapshot = source.snapshotPart
        let continues = hasCommonSegment || snapshot.lastCommit >= proved
        guard source.commit >= proved, continues || kept.contains(where: { $0.name == snapshot.name }) else {
            throw olderCopy(proved, source, files)
        }
        return kept
    }

    /// Those whose files are there, as long as they were. One that somebody has taken away is copied again where the store still has what
    /// it held; what follows it in its segment is of no use without it.
    private func presentParts(of old: BackupManifest) throws(StorageError) -> [BackupPart] {
        let names = Set(try fileSystem.names(inDirectory: path))
        var present: [BackupPart] = []
        for part in old.parts where names.contains(part.name) {
            let file = try fileSystem.openFile(path + "/" + part.name, .reading)
            defer { file.close() }
            if try file.byteCount() == Int(part.byteCount) { present.append(part) }
        }
        let stretches = Set(present.filter { $0.kind == .log }.map(\.number)).flatMap {
            BackupManifest.pieces(of: $0, in: present)
        }
        let whole = Set(stretches.map(\.name))
        return present.filter { $0.kind == .snapshot || whole.contains($0.name) }
    }

    /// Of a segment that the store no longer has, what nothing had vouched for may have been taken back by a crash. It stays where what comes
    /// after it names it.
    private func dropUnproved(_ kept: inout [BackupPart], _ source: BackupSource) {
        let superblock = source.snapshot.superblock
        while let index = kept.lastIndex(where: { part in
            guard part.kind == .log, !part.isProved, part.number < superblock.logSequence else { return false }
            let isLast = !kept.contains { $0.kind == .log && $0.number == part.number && $0.start > part.start }
            guard isLast else { return false }
            let isNamed = kept.contains {
                $0.kind == .log && $0.number == part.number + 1 && $0.start == 0 && $0.firstChain == part.lastChain
            }
            let isInSnapshot = superblock.logSequence == part.number + 1 && superblock.logChecksum == part.lastChain
            return !isNamed && !isInSnapshot
        }) {
            kept.remove(at: index)
        }
    }

    private func olderCopy(_ commit: UInt64, _ source: BackupSource, _ files: StoreFiles) -> StorageError {
        .backupRefused(
            path: path,
            reason:
                "It holds commit \(commit), and \(files.directory) has come to commit \(source.commit) only: it is an "
                + "older or another copy of the library, or a part of its log is gone.",
            next: "Restore this backup to have what it holds, or begin a backup of this one in another directory.")
    }

    private func refusal(_ reason: String) -> StorageError {
        .backupRefused(path: path, reason: reason, next: "Begin a backup of this one in another directory.")
    }

    // MARK: Writing

    private func write(_ part: inout BackupPart, _ writer: inout PartWriter) throws(StorageError) {
        let target = path + "/" + part.name
        let temporary = target + StoreFiles.temporarySuffix
        let file = try fileSystem.openFile(temporary, .creating)
        defer { file.close() }
        do throws(StorageError) {
            part.checksum = try writer.write(part, to: file)
            try file.flush(.durable)
            file.discardCache()
            try writer.verify(part, in: file)
            try fileSystem.rename(temporary, to: target)
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }

    private func replaceManifest(_ manifest: BackupManifest) throws(StorageError) {
        let temporary = manifestPath + StoreFiles.temporarySuffix
        let file = try fileSystem.openFile(temporary, .creating)
        defer { file.close() }
        let bytes = manifest.encoded()
        try file.write(bytes, at: 0)
        try file.flush(.durable)
        file.discardCache()
        guard try file.read(byteCount: bytes.count, at: 0) == bytes else {
            throw PartWriter.untrue(temporary, at: 0)
        }
        try fileSystem.rename(temporary, to: manifestPath)
        try fileSystem.flushDirectory(path)
    }

    /// Removes what no manifest on the medium names any more. What cannot be removed now goes with the next backup.
    private func removeOthers(than manifest: BackupManifest) {
        let named = Set(manifest.parts.map(\.name))
        for name in (try? fileSystem.names(inDirectory: path)) ?? [] {
            let isLeftover = Self.isTemporary(name) || (BackupPart.isPart(name) && !named.contains(name))
            if isLeftover { try? fileSystem.remove(path + "/" + name) }
        }
    }
}
