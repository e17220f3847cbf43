#if canImport(CLZ4)
    import CLZ4
#elseif canImport(Compression)
    import Compression
#endif

/// The LZ4 block format, without the frame around it. The only file that knows which codec does the work:
/// `liblz4`, or on Apple platforms the system's `COMPRESSION_LZ4_RAW`, which is the same format.
package enum LZ4Block {
    /// The compressed bytes, or `nil` when they would not be smaller than `limit` bytes.
    package static func compress(_ source: RawSpan, into limit: Int) -> [UInt8]? {
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
        guard isWithinReach(source, byteCount), !hasCopyFromNowhere(source, within: byteCount) else { return nil }
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
            // Safe because the codec reads at most the bytes of `source` and writes at most the target's.
            count = unsafe source.withUnsafeBytes { unsafe decompress($0, into: UnsafeMutableRawBufferPointer(target)) }
        }
        return decoded.count == byteCount ? decoded : nil
    }

    /// The first `byteCount` bytes of what `source` decodes to, or `nil` when it has not as many. What follows them is not looked at.
    static func decompress(_ source: RawSpan, prefix byteCount: Int) -> [UInt8]? {
        guard isWithinReach(source, byteCount), !hasCopyFromNowhere(source, within: byteCount) else { return nil }
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
            // Safe because the codec reads at most the bytes of `source` and writes at most the target's.
            count = unsafe source.withUnsafeBytes {
                unsafe decompressPrefix($0, into: UnsafeMutableRawBufferPointer(target))
            }
        }
        return decoded.count == byteCount ? decoded : nil
    }

    private static func isWithinReach(_ source: RawSpan, _ byteCount: Int) -> Bool {
        source.byteCount > 0 && source.byteCount <= Int(Int32.max) && byteCount > 0 && byteCount <= Int(Int32.max)
    }

    /// Whether a match that the first `byteCount` bytes come of lies 0 bytes back. The format forbids it, and liblz4 takes it for whatever the
    /// target's memory held before. Looks at tokens and distances only; what else may be wrong the codec finds.
    private static func hasCopyFromNowhere(_ source: RawSpan, within byteCount: Int) -> Bool {
        // Safe because nothing is read at `end` or behind it.
        unsafe source.withUnsafeBytes { unsafe hasCopyFromNowhere($0.baseAddress!, $0.count, within: byteCount) }
    }

    private static func hasCopyFromNowhere(_ bytes: UnsafeRawPointer, _ end: Int, within byteCount: Int) -> Bool {
        var (position, decodedCount) = (0, 0)
        @inline(__always) func length(_ count: UInt8) -> Int {
            var sum = Int(count)
            guard count == 15 else { return sum }
            while position < end {
                let next = unsafe bytes.load(fromByteOffset: position, as: UInt8.self)
                position &+= 1
                sum &+= Int(next)
                if next < 255 { break }
            }
            return sum
        }
        while position < end {
            let token = unsafe bytes.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            let literals = length(token &>> 4)
            position &+= literals
            decodedCount &+= literals
            guard position &+ 2 <= end, decodedCount < byteCount else { return false }
            if unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt16.self) == 0 { return true }
            position &+= 2
            decodedCount &+= leastMatch &+ length(token & 15)
        }
        return false
    }

    /// Bytes of a match whose length is 0.
    private static let leastMatch = 4

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

    /// Bytes written, as many as the target takes or the source has; 0 when the source is no LZ4.
    private static func decompressPrefix(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        #if canImport(CLZ4)
            unsafe max(
                0,
                Int(
                    LZ4_decompress_safe_partial(
                        source.baseAddress!.assumingMemoryBound(to: CChar.self),
                        target.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(source.count),
                        Int32(target.count), Int32(target.count))))
        #else
            // What does not fit is left out.
            unsafe decompress(source, into: target)
        #endif
    }
}
