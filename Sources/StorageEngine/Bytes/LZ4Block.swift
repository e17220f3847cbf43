#if canImport(CLZ4)
    import CLZ4
#elseif canImport(Compression)
    import Compression
#endif

/// The LZ4 block format, without the frame around it. The only file that knows which codec does the work:
/// `liblz4`, or on Apple platforms without it the system's `COMPRESSION_LZ4_RAW`, which is the same format.
enum LZ4Block {
    /// The compressed bytes, or `nil` when they would not be smaller than `limit` bytes.
    static func compress(_ source: RawSpan, into limit: Int) -> [UInt8]? {
        guard source.byteCount > 0, limit > 0, source.byteCount <= Int(Int32.max) / 2 else { return nil }
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: limit) { target, count in
            // Safe because the codec writes at most the target's `limit` bytes and reads exactly those of `source`.
            count = unsafe source.withUnsafeBytes { unsafe compress($0, into: UnsafeMutableRawBufferPointer(target)) }
        }
        return compressed.isEmpty ? nil : compressed
    }

    /// Exactly `byteCount` bytes, or `nil` when `source` does not decode to that. Hostile bytes are harmless: the codec
    /// checks both bounds.
    static func decompress(_ source: RawSpan, byteCount: Int) -> [UInt8]? {
        guard source.byteCount > 0, source.byteCount <= Int(Int32.max) else { return nil }
        guard byteCount > 0, byteCount <= Int(Int32.max) else { return nil }
        // Zeros, because the codec takes a copy from distance 0, which the format forbids, for one of what lies there.
        var decoded = [UInt8](repeating: 0, count: byteCount)
        // Safe because the codec reads at most the bytes of `source` and writes at most the target's.
        let count = unsafe decoded.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { unsafe decompress($0, into: target) }
        }
        return count == byteCount ? decoded : nil
    }

    // MARK: The codec

    // Safe because a source is not empty when these are called, so both buffers have an address.

    /// Bytes written; 0 when they do not fit.
    private static func compress(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        #if canImport(CLZ4)
            unsafe Int(
                LZ4_compress_default(
                    source.baseAddress!.assumingMemoryBound(to: CChar.self),
                    target.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(target.count)))
        #else
            unsafe compression_encode_buffer(
                target.baseAddress!.assumingMemoryBound(to: UInt8.self), target.count,
                source.baseAddress!.assumingMemoryBound(to: UInt8.self), source.count, nil, COMPRESSION_LZ4_RAW)
        #endif
    }

    /// Bytes written; 0 when the source is no LZ4.
    private static func decompress(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        #if canImport(CLZ4)
            unsafe max(
                0,
                Int(
                    LZ4_decompress_safe(
                        source.baseAddress!.assumingMemoryBound(to: CChar.self),
                        target.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(source.count),
                        Int32(target.count))))
        #else
            unsafe compression_decode_buffer(
                target.baseAddress!.assumingMemoryBound(to: UInt8.self), target.count,
                source.baseAddress!.assumingMemoryBound(to: UInt8.self), source.count, nil, COMPRESSION_LZ4_RAW)
        #endif
    }
}
