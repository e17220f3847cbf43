/// What a cached blob's file says before its key and its bytes.
///
/// Always true of one that was decoded: the magic and the version are right. Only `Blob` checks the checksum.
package struct BlobHeader: Sendable, Equatable {
    let store: [UInt8]
    let keyByteCount: Int
    let byteCount: Int
    /// Milliseconds since 1970.
    package let written: UInt64
    /// Milliseconds.
    package let lifetime: UInt64
    let checksum: UInt32
    /// When somebody last asked for it, to the hour: milliseconds since 1970. No checksum covers it, so it may be anything.
    package let used: UInt64

    static let magic = Array("BDBL".utf8)
    static let version: UInt16 = 1
    static var headerByteCount: Int { BlobField.used.end }

    var fileByteCount: Int { Self.headerByteCount + keyByteCount + byteCount }

    var isWithinLimits: Bool { keyByteCount <= Blob.maximumKeyByteCount && byteCount <= Blob.maximumByteCount }

    /// When the blob may be given: from the time of writing on, so that a clock that was set back does not prolong it.
    package var validity: Range<UInt64> { Self.validity(lifetime, from: written) }

    package static func validity(_ lifetime: UInt64, from start: UInt64) -> Range<UInt64> {
        start..<start + min(lifetime, .max - start)
    }

    /// What the beginning of a file says.
    enum Reading: Equatable {
        case header(BlobHeader)
        /// A later version's.
        case later
        case damaged
    }

    static func reading(_ bytes: RawSpan) -> Reading {
        guard bytes.has(magic, in: BlobField.magic), BlobField.version.end <= bytes.byteCount else { return .damaged }
        guard bytes.load(BlobField.version) <= version else { return .later }
        guard bytes.load(BlobField.version) == version, bytes.byteCount >= headerByteCount else { return .damaged }
        return .header(
            BlobHeader(
                store: bytes.load(BlobField.store), keyByteCount: Int(bytes.load(BlobField.keyByteCount)),
                byteCount: Int(bytes.load(BlobField.byteCount)), written: bytes.load(BlobField.written),
                lifetime: bytes.load(BlobField.lifetime), checksum: bytes.load(BlobField.checksum),
                used: bytes.load(BlobField.used)))
    }
}
