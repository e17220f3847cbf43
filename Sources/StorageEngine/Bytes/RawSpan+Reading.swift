/// Reading plain values out of bytes, bounds checked: what lies outside the span stops the program, so callers look first.
///
/// Safe because loads and extractions check their bounds themselves, every bit pattern is an integer, and what is made of
/// a span's bytes is a copy.
///
/// Inlined where they are used: across the module's boundary a load through generics took twenty times as long.
extension RawSpan {
    /// Precondition: the offset lies within the span.
    @inlinable public func byte(at byteOffset: Int) -> UInt8 { unsafeLoadUnaligned(at: byteOffset) }

    /// UTF-8 text; bytes that are not UTF-8 become U+FFFD. Precondition: the range lies within the span.
    @inlinable public func string(at byteOffset: Int, count: Int) -> String {
        unsafe extracting(byteOffset..<byteOffset + count).withUnsafeBytes {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// The same of two pieces, one behind the other.
    @inlinable public func string(joining first: Range<Int>, _ second: Range<Int>) -> String {
        let (first, second) = (extracting(first), extracting(second))
        return unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
                unsafe String(unsafeUninitializedCapacity: first.count + second.count) { bytes in
                    let bytes = UnsafeMutableRawBufferPointer(bytes)
                    unsafe bytes.copyMemory(from: first)
                    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[first.count...]).copyMemory(from: second)
                    return first.count + second.count
                }
            }
        }
    }

    @inlinable public func loadBigEndian(at byteOffset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(at: byteOffset))
    }

    @inlinable public func loadLittleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at byteOffset: Int, as type: Integer.Type
    ) -> Integer {
        Integer(littleEndian: unsafeLoadUnaligned(at: byteOffset))
    }

    public func copyBytes(_ range: Range<Int>) -> [UInt8] { extracting(range).copyBytes() }

    func copyBytes() -> [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

    @inlinable func unsafeLoadUnaligned<Integer: FixedWidthInteger & BitwiseCopyable>(at byteOffset: Int) -> Integer {
        unsafe unsafeLoadUnaligned(fromByteOffset: byteOffset, as: Integer.self)
    }
}

/// Looking for bytes.
extension RawSpan {
    package func starts(with bytes: [UInt8]) -> Bool {
        guard bytes.count <= byteCount else { return false }
        return bytes.indices.allSatisfy { byte(at: $0) == bytes[$0] }
    }

    /// The offset of the first byte of `range` that is not zero.
    func firstNonZero(in range: Range<Int>) -> Int? {
        var start = range.lowerBound
        while range.upperBound - start >= 8, loadLittleEndian(at: start, as: UInt64.self) == 0 { start += 8 }
        while start < range.upperBound, byte(at: start) == 0 { start += 1 }
        return start < range.upperBound ? start : nil
    }

    /// The offset of the last byte that is not zero, at or behind `start`. Eight bytes at a time: reserved log space is
    /// a megabyte of zeros.
    func lastNonZero(from start: Int) -> Int? {
        var end = byteCount
        while end - start >= 8, loadLittleEndian(at: end - 8, as: UInt64.self) == 0 { end -= 8 }
        while end > start, byte(at: end - 1) == 0 { end -= 1 }
        return end > start ? end - 1 : nil
    }

    /// Bytes that both begin with.
    func commonPrefixLength(with other: RawSpan) -> Int {
        let limit = min(byteCount, other.byteCount)
        var length = 0
        while limit - length >= 8 {
            let bytes = loadLittleEndian(at: length, as: UInt64.self)
            let difference = bytes ^ other.loadLittleEndian(at: length, as: UInt64.self)
            guard difference == 0 else { return length + difference.trailingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, byte(at: length) == other.byte(at: length) { length += 1 }
        return length
    }

    /// Bytes that both end with, so many at most.
    func commonSuffixLength(with other: RawSpan, limit: Int) -> Int {
        let limit = min(byteCount, other.byteCount, limit)
        var length = 0
        while limit - length >= 8 {
            let bytes = loadLittleEndian(at: byteCount - length - 8, as: UInt64.self)
            let difference = bytes ^ other.loadLittleEndian(at: other.byteCount - length - 8, as: UInt64.self)
            guard difference == 0 else { return length + difference.leadingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, byte(at: byteCount - length - 1) == other.byte(at: other.byteCount - length - 1) {
            length += 1
        }
        return length
    }
}

/// Arrays of bytes as spans. Safe because `UInt8` has no padding, so every byte is one that was written.
extension [UInt8] {
    /// The array's bytes, where they are.
    @inlinable @inline(__always)
    public func withBytes<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(span.bytes)
    }

    /// The little-endian number at an offset within the array.
    func loadLittleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at byteOffset: Int, as type: Integer.Type
    ) -> Integer {
        withBytes { $0.loadLittleEndian(at: byteOffset, as: type) }
    }

    public mutating func append(contentsOf bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    func commonPrefixLength(with other: [UInt8]) -> Int {
        withBytes { bytes in other.withBytes { bytes.commonPrefixLength(with: $0) } }
    }

    /// Of a key, the shortest beginning that sorts after a lesser key.
    func separator(behind left: [UInt8]) -> [UInt8] { Array(prefix(left.commonPrefixLength(with: self) + 1)) }
}

/// Keys that are numbers. Safe because an integer has no padding, and the span ends with the call.
extension UInt64 {
    /// Eight bytes that order as the number does: a key.
    @inline(__always)
    func withBigEndianBytes<Result, Failure>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe Swift.withUnsafeBytes(of: bigEndian) { (bytes) throws(Failure) in try unsafe body(bytes.bytes) }
    }
}
