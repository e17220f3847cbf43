/// The bytes of a record: those of a page of rows lie one behind the other, in one piece of memory.
struct RecordBytes: Sendable {
    let bytes: [UInt8]
    let range: Range<Int>

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }
}
