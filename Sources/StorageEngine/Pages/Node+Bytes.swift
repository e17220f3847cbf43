extension RawSpan {
    /// The first four bytes as a big-endian number, as `UnsafeRawBufferPointer.keyHead`.
    var keyHead: UInt32 { withUnsafeBytes { $0.keyHead } }
}

/// A node's keys and values as spans, which cannot outlive the call they are lent to.
extension Node {
    @inline(__always)
    func lowerBound(of key: RawSpan) -> (index: Int, isEqual: Bool) { key.withUnsafeBytes { lowerBound(of: $0) } }

    @inline(__always)
    func childIndex(of key: RawSpan) -> Int { key.withUnsafeBytes { childIndex(of: $0) } }

    /// A whole key, put together from the prefix and its own bytes.
    func withKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = keyByteCount(index)
        return try withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 1) { (key) throws(Failure) in
            copyKey(index, to: key.baseAddress!)
            return try body(UnsafeRawBufferPointer(start: key.baseAddress, count: count).bytes)
        }
    }

    /// The value word and the bytes behind it: the value, or a reference of 16 bytes.
    @inline(__always)
    func withCell<Result, Failure>(
        _ index: Int, _ body: (_ word: UInt16, _ bytes: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (word, bytes) = cell(index)
        return try body(word, bytes.bytes)
    }

    @inline(__always) func suffixByteCount(_ index: Int) -> Int { Int((slot(index) >> 16) & 0xFFFF) }

    func cellByteCount(_ index: Int) -> Int { cell(index).bytes.count }

    /// What the slot of a sound entry says of its key.
    func keyHead(_ index: Int) -> UInt32 { suffix(index).keyHead }

    /// The key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it.
    @inline(__always)
    func trailingInteger(_ index: Int) -> UInt64 {
        let suffix = suffix(index)
        if suffix.count >= 8 {
            return UInt64(bigEndian: suffix.loadUnaligned(fromByteOffset: suffix.count - 8, as: UInt64.self))
        }
        var number: UInt64 = 0
        for byte in prefix.suffix(8 - suffix.count) { number = number << 8 | UInt64(byte) }
        for byte in suffix { number = number << 8 | UInt64(byte) }
        return number
    }
}
