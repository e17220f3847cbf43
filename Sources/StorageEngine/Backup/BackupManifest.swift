/// What a backup holds. In a directory it is a file of its own that is replaced last, and atomically: what it names is whole and
/// on the medium, and what it does not name is a leftover.
struct BackupManifest: Equatable, Sendable {
    static let magic: [UInt8] = Array("BOOKDBBK".utf8)
    static let formatVersion: UInt32 = 1
    /// Of a backup in one file.
    static let headMagic: [UInt8] = Array("BOOKDBBF".utf8)
    static let trailerMagic: [UInt8] = Array("BOOKDBBE".utf8)
    static let pageByteCount = NodeLayout.pageByteCount
    /// A million parts are more than a lifetime of backups.
    static let mostByteCount = 1 << 27

    let store: StoreIdentifier
    /// When the first backup was made, and the newest. Milliseconds since 1970.
    var begun: UInt64
    var time: UInt64
    /// The newest commit.
    var commit: UInt64
    /// Snapshots by generation, then stretches of the log by segment and place.
    var parts: [BackupPart]

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BackupField.checksum.end)
        bytes.store(Self.magic, in: BackupField.magic)
        bytes.store(Self.formatVersion, in: BackupField.formatVersion)
        bytes.store(UInt32(parts.count), in: BackupField.partCount)
        bytes.store(store.bytes, in: BackupField.store)
        bytes.store(begun, in: BackupField.begun)
        bytes.store(time, in: BackupField.time)
        bytes.store(commit, in: BackupField.commit)
        for part in parts { part.encode(into: &bytes) }
        bytes.store(Self.checksum(bytes), in: BackupField.checksum)
        return bytes
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withBytes {
            CRC32C.checksum(
                $0.extracting(BackupField.checksum.end..<$0.byteCount),
                seed: CRC32C.checksum($0, before: BackupField.checksum))
        }
    }

    init(store: StoreIdentifier, begun: UInt64, time: UInt64, commit: UInt64, parts: [BackupPart]) {
        self.store = store
        self.begun = begun
        self.time = time
        self.commit = commit
        self.parts = parts
    }

    init(decoding bytes: [UInt8], path: String) throws(StorageError) {
        func damage(_ finding: String) -> StorageError {
            .damaged(Damage(file: path, byteOffset: 0, finding: finding))
        }
        guard bytes.count >= BackupField.checksum.end, bytes.withBytes({ $0.has(Self.magic, in: BackupField.magic) })
        else { throw damage("this is no manifest of a backup") }
        let said = bytes.load(BackupField.checksum)
        let computed = Self.checksum(bytes)
        guard computed == said else {
            throw damage("the manifest's checksum is \(computed.hexadecimal), it says \(said.hexadecimal)")
        }
        let version = bytes.load(BackupField.formatVersion)
        guard version <= Self.formatVersion else {
            throw .newerFormat(path: path, found: version, supported: Self.formatVersion)
        }
        try FormatFeatures(incompatible: bytes.load(BackupField.incompatible)).requireReadable(path)
        let count = Int(bytes.load(BackupField.partCount))
        guard version == Self.formatVersion,
            bytes.count == BackupField.checksum.end + count * BackupField.Part.end
        else { throw damage("the manifest has another length than it says") }
        store = StoreIdentifier(bytes: bytes.load(BackupField.store))
        begun = bytes.load(BackupField.begun)
        time = bytes.load(BackupField.time)
        commit = bytes.load(BackupField.commit)
        var parts: [BackupPart] = []
        for index in 0..<count {
            let at = BackupField.checksum.end + index * BackupField.Part.end
            guard let part = bytes.withBytes({ BackupPart(decoding: $0, at: at) }) else {
                throw damage("part \(index) of the manifest is none")
            }
            parts.append(part)
        }
        // All together are bytes of a disk.
        var byteCount: UInt64 = 0
        for part in parts { byteCount += min(part.byteCount, 1 << 62 - byteCount) }
        guard byteCount < 1 << 56 else { throw damage("the parts are larger than any disk") }
        self.parts = parts
    }

    /// Of each segment the stretches that are there from its beginning on without a gap.
    var segments: [UInt64: [BackupPart]] {
        Dictionary(grouping: parts.filter { $0.kind == .log }, by: \.number).reduce(into: [:]) { segments, segment in
            segments[segment.key] = Self.pieces(of: segment.key, in: segment.value)
        }
    }

    static func pieces(of sequence: UInt64, in parts: [BackupPart]) -> [BackupPart] {
        var pieces: [BackupPart] = []
        let candidates = parts.filter { $0.kind == .log && $0.number == sequence }.sorted { $0.start < $1.start }
        for part in candidates where part.start == pieces.last?.end ?? 0 { pieces.append(part) }
        return pieces
    }

    var snapshots: [BackupPart] { parts.filter { $0.kind == .snapshot }.sorted { $0.number < $1.number } }

    var byteCount: UInt64 { parts.reduce(0) { $0 + $1.byteCount } }
}
