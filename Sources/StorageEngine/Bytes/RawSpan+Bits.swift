/// Bitmaps, 64 bits a word.
///
/// Safe because every word is loaded from within the span.
extension RawSpan {
    /// Takes away from `words` the bits that are not set here. Precondition: the span is as long.
    package func intersect(into words: inout [UInt64]) {
        precondition(byteCount == words.count * 8, "two bitmaps of one length")
        unsafe withUnsafeBytes { bits in
            unsafe words.withUnsafeMutableBufferPointer { words in
                // The buffer is looked at once, so that the compiler takes several words at a time.
                for index in words.indices {
                    unsafe words[index] &= UInt64(
                        littleEndian: bits.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self))
                }
            }
        }
    }
}
