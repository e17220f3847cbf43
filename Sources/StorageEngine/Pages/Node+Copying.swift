/// What taking over a whole leaf page needs to know of it. That its keys ascend was checked when it was first touched.
///
/// Safe because a node is.
extension Node {
    /// Bytes of keys and values; `nil` when a value lies in the cold region.
    var sizesOfHotEntries: (keyByteCount: Int, valueByteCount: Int)? {
        var keyByteCount = count * prefixLength
        var valueByteCount = 0
        for index in 0..<count {
            let slot = slot(index)
            let word = unsafe entry(slot).loadUnaligned(as: UInt16.self)
            guard word & 0x8000 == 0 else { return nil }
            keyByteCount += Int((slot >> 16) & 0xFFFF)
            valueByteCount += Int(word)
        }
        return (keyByteCount, valueByteCount)
    }

    /// The bytes of a page. Precondition: the node is one.
    func withPage(_ body: (RawSpan) -> Void) {
        precondition(!isInMemory, "the node is a page")
        body(unsafe UnsafeRawBufferPointer(start: address, count: NodeLayout.pageByteCount).bytes)
    }
}
