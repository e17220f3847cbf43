/// Reading plain values out of bytes, bounds checked.
extension RawSpan {
    /// UTF-8 text; bytes that are not UTF-8 become U+FFFD. Precondition: the range lies within the span.
    public func string(at byteOffset: Int, count: Int) -> String {
        extracting(byteOffset..<byteOffset + count).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    public func loadBigEndian(at byteOffset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(at: byteOffset))
    }

    public func loadLittleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at byteOffset: Int, as type: Integer.Type
    ) -> Integer {
        Integer(littleEndian: unsafeLoadUnaligned(at: byteOffset))
    }

    public func copyBytes(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { [UInt8]($0) }
    }

    private func unsafeLoadUnaligned<Integer: FixedWidthInteger & BitwiseCopyable>(at byteOffset: Int) -> Integer {
        precondition(byteOffset >= 0 && byteOffset + MemoryLayout<Integer>.size <= byteCount, "the value lies within")
        // Safe because the line above has checked the bounds, and every bit pattern is an integer.
        return unsafeLoadUnaligned(fromByteOffset: byteOffset, as: Integer.self)
    }
}
