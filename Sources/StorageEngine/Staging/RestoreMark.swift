/// Says that the snapshot of a restored store lies staged in a store's directory, or that it was put in place.
///
/// The mark is what counts: a staged snapshot without it is a leftover, and one with it replaces the store at its next opening.
struct RestoreMark: Equatable {
    static let magic: [UInt8] = Array("BOOKDBRS".utf8)
    static let formatVersion: UInt32 = 1

    /// The restored store's own identity, new with every restore: nothing of the line it came from can be taken for its own.
    let store: StoreIdentifier
    let generation: UInt64
    let logSequence: UInt64
    /// Of the snapshot's superblock.
    let snapshotChecksum: UInt32
    let restoration: Restoration

    func encoded() -> [UInt8] {
        let path = Array(restoration.backup.utf8)
        var bytes = [UInt8](repeating: 0, count: RestoreMarkField.checksum.end)
        bytes.store(Self.magic, in: RestoreMarkField.magic)
        bytes.store(Self.formatVersion, in: RestoreMarkField.formatVersion)
        bytes.store(UInt32(path.count), in: RestoreMarkField.pathCount)
        bytes.store(store.bytes, in: RestoreMarkField.store)
        bytes.store(generation, in: RestoreMarkField.generation)
        bytes.store(logSequence, in: RestoreMarkField.logSequence)
        bytes.store(restoration.commitNumber, in: RestoreMarkField.commit)
        bytes.store(restoration.commitTime, in: RestoreMarkField.commitTime)
        bytes.store(restoration.time, in: RestoreMarkField.time)
        bytes.store(snapshotChecksum, in: RestoreMarkField.snapshotChecksum)
        let checksum = CRC32C.checksum(path, seed: CRC32C.checksum(bytes, before: RestoreMarkField.checksum))
        bytes.store(checksum, in: RestoreMarkField.checksum)
        return bytes + path
    }

    init(
        store: StoreIdentifier, generation: UInt64, logSequence: UInt64, snapshotChecksum: UInt32,
        _ restoration: Restoration
    ) {
        self.store = store
        self.generation = generation
        self.logSequence = logSequence
        self.snapshotChecksum = snapshotChecksum
        self.restoration = restoration
    }

    /// `nil` for bytes that are no mark, or one of a later format.
    init?(decoding bytes: RawSpan) {
        let end = RestoreMarkField.checksum.end
        guard bytes.byteCount >= end, bytes.has(Self.magic, in: RestoreMarkField.magic),
            bytes.load(RestoreMarkField.formatVersion) == Self.formatVersion,
            Int(bytes.load(RestoreMarkField.pathCount)) == bytes.byteCount - end, Self.hasSoundChecksum(bytes)
        else { return nil }
        let path = bytes.extracting(end..<bytes.byteCount)
        store = StoreIdentifier(bytes: bytes.load(RestoreMarkField.store))
        generation = bytes.load(RestoreMarkField.generation)
        logSequence = bytes.load(RestoreMarkField.logSequence)
        snapshotChecksum = bytes.load(RestoreMarkField.snapshotChecksum)
        restoration = Restoration(
            backup: String(decoding: path.copyBytes(), as: UTF8.self),
            commitNumber: bytes.load(RestoreMarkField.commit), commitTime: bytes.load(RestoreMarkField.commitTime),
            time: bytes.load(RestoreMarkField.time))
        guard max(generation, logSequence, restoration.commitNumber) < Limits.numberLimit else { return nil }
    }

    /// The mark in a file; `nil` when there is none, or it cannot be read.
    static func read(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> RestoreMark? {
        try bytes(path, fileSystem)?.withBytes { RestoreMark(decoding: $0) }
    }

    /// The mark of a restore that is to be carried out, or is being carried out. What a later version has staged is not for this one to
    /// drop.
    ///
    /// - Throws: `.newerFormat`.
    static func staged(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> RestoreMark? {
        guard let bytes = try bytes(files.restore, fileSystem) else { return nil }
        if let later = bytes.withBytes({ laterFormat(of: $0) }) {
            throw .newerFormat(path: files.restore, found: later, supported: formatVersion)
        }
        return bytes.withBytes { RestoreMark(decoding: $0) }
    }

    private static func bytes(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> [UInt8]? {
        guard try fileSystem.kind(of: path) == .file else { return nil }
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        return try file.read(byteCount: min(try file.byteCount(), 1 << 16), at: 0)
    }

    /// Later formats keep magic, version and checksum where they are, so that a version number that has rotted is not taken for one.
    private static func laterFormat(of bytes: RawSpan) -> UInt32? {
        guard bytes.byteCount >= RestoreMarkField.checksum.end, bytes.has(magic, in: RestoreMarkField.magic),
            bytes.load(RestoreMarkField.formatVersion) > formatVersion, hasSoundChecksum(bytes)
        else { return nil }
        return bytes.load(RestoreMarkField.formatVersion)
    }

    private static func hasSoundChecksum(_ bytes: RawSpan) -> Bool {
        let header = CRC32C.checksum(bytes, before: RestoreMarkField.checksum)
        let rest = bytes.extracting(RestoreMarkField.checksum.end..<bytes.byteCount)
        return CRC32C.checksum(rest, seed: header) == bytes.load(RestoreMarkField.checksum)
    }

    /// Whether another process has put a restored store in the place of `store`, and has not come so far yet that its files say so.
    static func isCarriedOut(
        over store: StoreIdentifier, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) -> Bool {
        guard let mark = try staged(files, fileSystem) else { return false }
        return mark.store == store ? false : try mark.isCarriedOut(files, fileSystem)
    }

    /// Whether the snapshot has its name: the directory is the restored store, or was.
    func isCarriedOut(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
        try fileSystem.kind(of: files.snapshot(generation)) != .absent
    }

    /// Whether a file of that name is one of the store that was replaced.
    func replaces(_ name: String) -> Bool {
        switch StoreFiles.kind(ofName: name) {
        case .snapshot(let number), .companion(let number): number < generation
        case .log(let number): number < logSequence
        default: false
        }
    }

    /// The restore that has made a store; `nil` when none has.
    ///
    /// A power cut may have taken a restore back and left what says that it was done, or have come before that was written.
    static func last(
        of store: StoreIdentifier, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) -> RestoreMark? {
        if let done = try read(files.restored, fileSystem), done.store == store { return done }
        guard let mark = try? staged(files, fileSystem), mark.store == store else { return nil }
        return mark
    }

    /// The same mark as of the time when the restore is carried out.
    func carriedOut(at time: UInt64) -> RestoreMark {
        RestoreMark(
            store: store, generation: generation, logSequence: logSequence, snapshotChecksum: snapshotChecksum,
            Restoration(
                backup: restoration.backup, commitNumber: restoration.commitNumber, commitTime: restoration.commitTime,
                time: time))
    }

    /// Of the log behind the restored snapshot.
    var segmentHeader: LogSegmentHeader {
        LogSegmentHeader(
            store: store, sequence: logSequence, baseCommit: restoration.commitNumber,
            previousChecksum: snapshotChecksum, generation: generation)
    }

    /// Whether a store has come to the numbers of the restored one.
    func isReached(by names: [String]) -> Bool {
        names.contains { name in
            switch StoreFiles.kind(ofName: name) {
            case .snapshot(let number): number >= generation
            case .log(let number): number >= logSequence
            default: false
            }
        }
    }

    /// Whose the segment of its number is; `nil` where there is none, or one that was never written whole and holds no commit. One of its own was
    /// made by somebody who stopped there.
    func segmentStore(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> StoreIdentifier? {
        let path = files.log(logSequence)
        guard try fileSystem.kind(of: path) != .absent else { return nil }
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        let head = try file.read(byteCount: LogSegmentFormat.headerByteCount, at: 0)
        return head.withBytes { try? LogSegmentHeader(decoding: $0, path: path) }?.store
    }

    /// Puts it into a file, atomically. Durable when the directory has been flushed.
    func write(to path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let temporary = path + StoreFiles.temporarySuffix
        do throws(StorageError) {
            let file = try fileSystem.openFile(temporary, .creating)
            defer { file.close() }
            try file.write(encoded(), at: 0)
            try file.flush(.durable)
            try fileSystem.rename(temporary, to: path)
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }
}
