extension RawSpan {
    /// The first four bytes as a big-endian number, as `UnsafeRawBufferPointer.keyHead`.
    // Safe because a span's bytes are there during the call.
    var keyHead: UInt32 { unsafe withUnsafeBytes { unsafe $0.keyHead } }

    /// Negative, zero or positive as these bytes sort before, with or after `other`.
    package func order(relativeTo other: RawSpan) -> Int {
        // Safe because a span's bytes are there during the call.
        unsafe withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe bytes.order(relativeTo: $0) } }
    }
}

/// A node's keys and values as spans, which cannot outlive the call they are lent to.
///
/// Safe because a node is: its prefix, its keys and its cells lie within the page or the allocation.
extension Node {
    @inline(__always)
    func lowerBound(of key: RawSpan) -> (index: Int, isEqual: Bool) {
        unsafe key.withUnsafeBytes { unsafe lowerBound(of: $0) }
    }

    @inline(__always)
    func childIndex(of key: RawSpan) -> Int { unsafe key.withUnsafeBytes { unsafe childIndex(of: $0) } }

    /// A whole key, put together from the prefix and its own bytes.
    func withKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isPacked { return try withPackedKey(index, body) }
        let count = keyByteCount(index)
        return try unsafe withUnsafeTemporaryAllocation(
            byteCount: max(count, 1), alignment: 1
        ) { (key) throws(Failure) in
            unsafe copyKey(index, to: key.baseAddress!)
            return try body(unsafe UnsafeRawBufferPointer(start: key.baseAddress, count: count).bytes)
        }
    }

    /// The key's bytes from `start` on, which may begin within or after the node's prefix.
    @inline(__always)
    func withKeySuffix(_ index: Int, from start: Int, _ body: (RawSpan) -> Void) {
        let prefixLength = prefixLength
        if start >= prefixLength {
            let suffix = unsafe suffix(index).bytes
            body(suffix.extracting((start - prefixLength)...))
        } else {
            withKey(index) { body($0.extracting(start...)) }
        }
    }

    /// The value word and the cell: the value, or a reference to it.
    @inline(__always)
    func withCell<Result, Failure>(
        _ index: Int, _ body: (_ word: UInt16, _ bytes: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isDense { return try withDenseCell(index, body) }
        let cell = cell(index)
        guard unsafe cell.end.isEmpty else {
            return try withWhole(cell) { (value) throws(Failure) in try body(cell.word, value) }
        }
        return try body(cell.word, unsafe cell.bytes.bytes)
    }

    /// A value that lies in the leaf; `nil` for one that does not, which `withCell` gives a reference to. Without a reader of the cold
    /// region, the making of which took half the time of a list row.
    @inline(__always)
    func withHotValue<Result>(_ index: Int, _ body: (RawSpan) -> Result) -> Result? {
        guard !isDense else { return withDenseCell(index) { word, cell in word & 0x8000 == 0 ? body(cell) : nil } }
        let cell = cell(index)
        guard cell.word & 0x8000 == 0 else { return nil }
        return unsafe cell.end.isEmpty ? body(unsafe cell.bytes.bytes) : withWhole(cell, body)
    }

    /// Whether a leaf with slots holds an entry's value itself: told without putting it together. Of other leaves it is not told.
    func isHot(_ index: Int) -> Bool { !isDense && cell(index).word & 0x8000 == 0 }

    /// A value that shares its end, put together.
    @inline(never)
    private func withWhole<Result, Failure>(
        _ cell: Cell, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeTemporaryAllocation(byteCount: Int(cell.word), alignment: 8) {
            (value) throws(Failure) in
            unsafe value.copyMemory(from: cell.bytes)
            unsafe UnsafeMutableRawBufferPointer(rebasing: value[cell.bytes.count...]).copyMemory(from: cell.end)
            return try body(unsafe UnsafeRawBufferPointer(value).bytes)
        }
    }

    /// Bytes of the node itself. Precondition: they are in use.
    func withBytes(_ range: Range<Int>, _ body: (RawSpan) -> Void) {
        precondition(range.lowerBound >= 0 && range.upperBound <= used, "the bytes are in use")
        body(unsafe UnsafeRawBufferPointer(start: address + range.lowerBound, count: range.count).bytes)
    }

    func withPrefix<Result>(_ body: (RawSpan) -> Result) -> Result { body(unsafe prefix.bytes) }

    @inline(__always) func suffixByteCount(_ index: Int) -> Int { NodeLayout.suffixByteCount(slot(index)) }

    /// Of the value, or of a reference to it. Precondition: the leaf has slots.
    func cellByteCount(_ index: Int) -> Int {
        let cell = cell(index)
        return unsafe cell.bytes.count + cell.end.count
    }

    /// What it fills where it lies: less, where the value shares its end. Precondition: the leaf has slots.
    func storedCellByteCount(_ index: Int) -> Int {
        let cell = cell(index)
        return unsafe cell.bytes.count + (cell.end.isEmpty ? 0 : SharedEndField.end)
    }

    /// Whether the slot of an entry holds what its key begins with.
    func headIsOwn(_ index: Int) -> Bool {
        UInt32(truncatingIfNeeded: slot(index) >> 32) == (unsafe suffix(index).keyHead)
    }

    /// Whether a key sorts after the one before it. All share the prefix.
    func keyAscends(at index: Int) -> Bool { unsafe suffix(index - 1).order(relativeTo: suffix(index)) < 0 }

    /// Negative, zero or positive as the key sorts before, with or after `other`.
    func order(ofKey index: Int, relativeTo other: [UInt8]) -> Int {
        withKey(index) { key in other.withBytes { key.order(relativeTo: $0) } }
    }

    /// The key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it.
    @inline(__always)
    func trailingInteger(_ index: Int) -> UInt64 {
        if isPacked { return withPackedKey(index) { $0.trailingInteger } }
        let suffix = unsafe suffix(index)
        if suffix.count >= 8 {
            return unsafe UInt64(
                bigEndian: suffix.loadUnaligned(fromByteOffset: suffix.count - 8, as: UInt64.self))
        }
        let start = unsafe prefix.suffix(8 - suffix.count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return unsafe suffix.reduce(start) { $0 << 8 | UInt64($1) }
    }
}
