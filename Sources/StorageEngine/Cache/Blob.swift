/// Bytes under a key, with the time they were written and how long they are good for: the whole of a file of the cache.
package struct Blob: Sendable, Equatable {
    package let key: [UInt8]
    package let bytes: [UInt8]
    /// Milliseconds since 1970.
    package let written: UInt64
    /// Milliseconds.
    package let lifetime: UInt64

    /// A longer key has no blob.
    package static let maximumKeyByteCount = 1024
    /// As of a value of a tree.
    package static let maximumByteCount = 16 << 20

    /// When it may be given; see `BlobHeader.validity`.
    package var validity: Range<UInt64> { BlobHeader.validity(lifetime, from: written) }

    /// Precondition: key and bytes are within the limits.
    package init(key: [UInt8], bytes: [UInt8], written: UInt64, lifetime: UInt64) {
        precondition(key.count <= Self.maximumKeyByteCount, "a key is at most 1,024 bytes")
        precondition(bytes.count <= Self.maximumByteCount, "a blob is at most 16 MiB")
        self.key = key
        self.bytes = bytes
        self.written = written
        self.lifetime = lifetime
    }

    /// The file of a blob that is used as it is written.
    func encoded(store: [UInt8]) -> [UInt8] {
        var file: [UInt8] = []
        file.reserveCapacity(BlobHeader.headerByteCount + key.count + bytes.count)
        file.append(zeros: BlobHeader.headerByteCount)
        file.store(BlobHeader.magic, in: BlobField.magic)
        file.store(BlobHeader.version, in: BlobField.version)
        file.store(UInt16(key.count), in: BlobField.keyByteCount)
        file.store(store, in: BlobField.store)
        file.store(written, in: BlobField.written)
        file.store(lifetime, in: BlobField.lifetime)
        file.store(UInt32(bytes.count), in: BlobField.byteCount)
        file.store(written, in: BlobField.used)
        file += key
        file += bytes
        file.store(file.withBytes(Self.checksum), in: BlobField.checksum)
        return file
    }

    /// `nil` when the bytes behind the header are not those that were written with it.
    ///
    /// Precondition: the file is as long as the header says.
    init?(_ header: BlobHeader, decoding file: RawSpan) {
        precondition(file.byteCount == header.fileByteCount, "the length was compared")
        guard header.isWithinLimits, Self.checksum(of: file) == header.checksum
        else { return nil }
        let start = BlobHeader.headerByteCount + header.keyByteCount
        self.init(
            key: file.copyBytes(BlobHeader.headerByteCount..<start), bytes: file.copyBytes(start..<file.byteCount),
            written: header.written, lifetime: header.lifetime)
    }

    /// Of all but the checksum itself and the time of the last use, which is written again over time.
    private static func checksum(of file: RawSpan) -> UInt32 {
        CRC32C.checksum(
            file.extracting(BlobHeader.headerByteCount..<file.byteCount),
            seed: CRC32C.checksum(file, before: BlobField.checksum))
    }
}
