/// A snapshot, or a stretch of a log segment, as a backup holds it: the same bytes as in the store. A part never changes once a
/// manifest names it.
struct BackupPart: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case snapshot = 1
        case log = 2
    }

    let kind: Kind
    /// A snapshot's generation, a segment's sequence number.
    let number: UInt64
    /// CRC-32C of all bytes.
    var checksum: UInt32 = 0
    /// Whether a crash of the store cannot have taken back what the part holds. Frames that nothing vouched for yet are in a
    /// part of their own, so that they can be given up alone.
    var isProved = true
    /// Where in its segment it begins; 0 for a snapshot.
    var start: UInt64 = 0
    var byteCount: UInt64 = 0
    /// Where in the file of a backup in one file it lies.
    var place: UInt64 = 0
    /// The commit before the part's first one. A snapshot's is the commit it is as of.
    var firstCommit: UInt64
    var lastCommit: UInt64
    /// Of the first and last commit in it, milliseconds since 1970; 0 where there are none. A snapshot's are when it was made.
    var firstTime: UInt64 = 0
    var lastTime: UInt64 = 0
    /// The segment that follows a snapshot.
    var logSequence: UInt64 = 0
    /// The chain value before the part, and behind it. A snapshot's are its superblock's checksum.
    var firstChain: UInt32
    var lastChain: UInt32

    var end: UInt64 { start + byteCount }

    /// The file that holds it in a backup that is a directory. Names differ where contents may.
    var name: String {
        let digits = StoreFiles.digits(number) + "-"
        switch kind {
        case .snapshot: return "snapshot-" + digits + lastChain.hexadecimal
        case .log: return "log-" + digits + String(start) + "-" + String(end) + "-" + lastChain.hexadecimal
        }
    }

    /// Whether a file of that name is a backup's own.
    static func isPart(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let last = parts.last, last.utf8.count == 8, UInt32(last, radix: 16) != nil, parts.count > 2,
            StoreFiles.number(parts[1]) != nil
        else { return false }
        return parts[0] == "snapshot" && parts.count == 3
            || parts[0] == "log" && parts.count == 5 && UInt64(parts[2]) != nil && UInt64(parts[3]) != nil
    }

    func encode(into bytes: inout [UInt8]) {
        let at = bytes.count
        bytes.append(zeros: BackupField.Part.end)
        bytes.store(kind.rawValue, in: BackupField.Part.kind, at: at)
        bytes.store(isProved ? 1 : 0, in: BackupField.Part.isProved, at: at)
        bytes.store(checksum, in: BackupField.Part.checksum, at: at)
        bytes.store(number, in: BackupField.Part.number, at: at)
        bytes.store(start, in: BackupField.Part.start, at: at)
        bytes.store(byteCount, in: BackupField.Part.byteCount, at: at)
        bytes.store(place, in: BackupField.Part.place, at: at)
        bytes.store(firstCommit, in: BackupField.Part.firstCommit, at: at)
        bytes.store(lastCommit, in: BackupField.Part.lastCommit, at: at)
        bytes.store(firstTime, in: BackupField.Part.firstTime, at: at)
        bytes.store(lastTime, in: BackupField.Part.lastTime, at: at)
        bytes.store(logSequence, in: BackupField.Part.logSequence, at: at)
        bytes.store(firstChain, in: BackupField.Part.firstChain, at: at)
        bytes.store(lastChain, in: BackupField.Part.lastChain, at: at)
    }
}

extension BackupPart {
    /// `nil` for numbers that no part has.
    init?(decoding bytes: RawSpan, at: Int) {
        guard let kind = Kind(rawValue: bytes.load(BackupField.Part.kind, at: at)) else { return nil }
        self.init(
            kind: kind, number: bytes.load(BackupField.Part.number, at: at),
            checksum: bytes.load(BackupField.Part.checksum, at: at),
            isProved: bytes.load(BackupField.Part.isProved, at: at) != 0,
            start: bytes.load(BackupField.Part.start, at: at),
            byteCount: bytes.load(BackupField.Part.byteCount, at: at),
            place: bytes.load(BackupField.Part.place, at: at),
            firstCommit: bytes.load(BackupField.Part.firstCommit, at: at),
            lastCommit: bytes.load(BackupField.Part.lastCommit, at: at),
            firstTime: bytes.load(BackupField.Part.firstTime, at: at),
            lastTime: bytes.load(BackupField.Part.lastTime, at: at),
            logSequence: bytes.load(BackupField.Part.logSequence, at: at),
            firstChain: bytes.load(BackupField.Part.firstChain, at: at),
            lastChain: bytes.load(BackupField.Part.lastChain, at: at))
        let largest = max(number, firstCommit, lastCommit, logSequence, start, byteCount, place, firstTime, lastTime)
        guard largest < Limits.numberLimit, max(start, byteCount, place) <= 1 << 48, firstCommit <= lastCommit else {
            return nil
        }
    }
}
