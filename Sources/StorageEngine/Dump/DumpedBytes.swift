/// A stretch of a file, with its place in it. Every access is checked: what lies outside is `nil`, whatever the bytes say.
package struct DumpedBytes {
    package let bytes: [UInt8]
    /// Where in the file the first byte lies.
    let byteOffset: Int

    package var count: Int { bytes.count }

    /// A whole file.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        byteOffset = 0
    }

    /// Fewer bytes than asked for only at the end of the file.
    init(_ file: any File, at byteOffset: Int, count: Int) throws(StorageError) {
        let available = max(0, try file.byteCount() - byteOffset)
        bytes = try file.read(byteCount: min(count, available), at: byteOffset)
        self.byteOffset = byteOffset
    }

    package func withSpan<Result>(_ body: (RawSpan) -> Result) -> Result { bytes.withBytes(body) }

    /// A number of a structure that begins at `start` of the stretch.
    func number<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Field<Value>, at start: Int = 0) -> Value? {
        guard start + field.offset >= 0, start + field.end <= count else { return nil }
        return bytes.load(field, at: start)
    }

    /// A number of a page whose layout was checked.
    func checked<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Field<Value>, at start: Int = 0) -> Int {
        Int(truncatingIfNeeded: number(field, at: start) ?? 0)
    }

    /// As much of the range as there is.
    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range.clamped(to: bytes.indices)] }

    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
}
