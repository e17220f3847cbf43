#if canImport(CLZ4)
    import CLZ4
#elseif canImport(Compression)
    import Compression
#endif

/// The LZ4 block format, without the frame around it. The only file that knows which codec does the work:
/// `liblz4`, or on Apple platforms without it the system's `COMPRESSION_LZ4_RAW`, which is the same format.
enum LZ4Block {
    /// The compressed bytes, or `nil` when they would not be smaller than `limit` bytes.
    static func compress(_ source: UnsafeRawBufferPointer, into limit: Int) -> [UInt8]? {
        guard source.count > 0, limit > 0, source.count <= Int(Int32.max) / 2 else { return nil }
        let compressed = [UInt8](unsafeUninitializedCapacity: limit) { target, count in
            // Safe because the codec writes at most `limit` bytes and reads exactly `source.count`.
            #if canImport(CLZ4)
                count = Int(
                    LZ4_compress_default(
                        source.baseAddress!.assumingMemoryBound(to: CChar.self),
                        UnsafeMutableRawPointer(target.baseAddress!).assumingMemoryBound(to: CChar.self),
                        Int32(source.count), Int32(limit)))
            #else
                count = compression_encode_buffer(
                    target.baseAddress!, limit, source.baseAddress!.assumingMemoryBound(to: UInt8.self),
                    source.count, nil, COMPRESSION_LZ4_RAW)
            #endif
        }
        return compressed.isEmpty ? nil : compressed
    }

    /// Exactly `target.count` bytes, or `false` when `source` does not decode to that. Hostile bytes are harmless:
    /// the codec checks both bounds.
    static func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard source.count > 0, source.count <= Int(Int32.max), target.count <= Int(Int32.max) else { return false }
        guard target.count > 0 else { return false }
        // Safe because the codec reads at most `source.count` and writes at most `target.count` bytes.
        #if canImport(CLZ4)
            let count = LZ4_decompress_safe(
                source.baseAddress!.assumingMemoryBound(to: CChar.self),
                target.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(target.count))
            return Int(count) == target.count
        #else
            let count = compression_decode_buffer(
                target.baseAddress!.assumingMemoryBound(to: UInt8.self), target.count,
                source.baseAddress!.assumingMemoryBound(to: UInt8.self), source.count, nil, COMPRESSION_LZ4_RAW)
            return count == target.count
        #endif
    }
}
