/// Spans where the engine's readers still take pointers.
extension CRC32C {
    static func checksum(_ bytes: RawSpan, seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, seed: seed) }
    }
}

extension LZ4Block {
    static func decompress(_ source: RawSpan, byteCount: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            isWhole = source.withUnsafeBytes { decompress($0, into: UnsafeMutableRawBufferPointer(buffer)) }
            count = isWhole ? byteCount : 0
        }
        return isWhole ? bytes : nil
    }
}

extension PageSeal {
    func isOn(_ page: RawSpan) -> Bool { page.withUnsafeBytes { isOn($0) } }
}

extension PageValidation {
    static func layoutFinding(in page: RawSpan, pageCount: Int, coldByteCount: UInt64) -> String? {
        page.withUnsafeBytes { layoutFinding(in: $0, pageCount: pageCount, coldByteCount: coldByteCount) }
    }
}

extension ColdBlock {
    static func checksum(header: RawSpan, block: UInt64, store: StoreIdentifier, stored: RawSpan) -> UInt32 {
        header.withUnsafeBytes { header in
            stored.withUnsafeBytes { checksum(header: header, block: block, store: store, stored: $0) }
        }
    }
}

extension LogSegmentHeader {
    init(decoding bytes: RawSpan, path: String) throws(StorageError) {
        try self.init(decoding: bytes.withUnsafeBytes { UnsafeRawBufferPointer($0) }, path: path)
    }
}

extension Superblock {
    init(decoding bytes: RawSpan, path: String, at byteOffset: Int) throws(StorageError) {
        try self.init(decoding: bytes.withUnsafeBytes { UnsafeRawBufferPointer($0) }, path: path, at: byteOffset)
    }
}

extension LogFrame {
    init?(in bytes: RawSpan, at start: Int, salt: UInt32) {
        self.init(in: bytes.withUnsafeBytes { UnsafeRawBufferPointer($0) }, at: start, salt: salt)
    }

    func payload(in bytes: RawSpan) -> [UInt8]? { bytes.withUnsafeBytes { payload(in: $0) } }
}

extension UnsafeRawBufferPointer {
    func copyBytes(_ range: Range<Int>) -> [UInt8] { [UInt8](self[range]) }
    var byteOffsets: Range<Int> { 0..<count }
}

extension Operation {
    static func forEach(
        in payload: RawSpan, _ body: (Operation) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try forEach(in: payload.withUnsafeBytes { UnsafeRawBufferPointer($0) }, body)
    }
}

extension RawSpan {
    func lastNonZero(from start: Int) -> Int? { withUnsafeBytes { $0.lastNonZero(from: start) } }
}

extension [UInt8] {
    /// The array's bytes, where they are.
    public func withSpan<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(span.bytes)
    }
}
