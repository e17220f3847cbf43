#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Looking for short texts in long ones, 32 bytes at a time.
///
/// Safe because every load and comparison lies within the span, which is there during the call.
extension RawSpan {
    /// Where `needle` first occurs at or behind `start`. The first and last byte of the needle are compared at 32 places at
    /// once, the rest only where both fit.
    package func firstOccurrence(of needle: [UInt8], from start: Int = 0) -> Int? {
        unsafe withUnsafeBytes { text in
            unsafe needle.withUnsafeBytes { unsafe Self.firstOccurrence(of: $0, in: text, from: start) }
        }
    }

    /// How many bytes of a range have a value.
    package func count(of byte: UInt8, in range: Range<Int>) -> Int {
        unsafe extracting(range).withUnsafeBytes { text in
            var count = 0
            var offset = 0
            let wanted = SIMD32<UInt8>(repeating: byte)
            while offset + 32 <= text.count {
                // A lane that is true is -1, and 255 of them fit a byte.
                let end = min(text.count - 32, offset + 254 * 32)
                var counts = SIMD32<UInt8>.zero
                while offset <= end {
                    let lanes = unsafe text.loadUnaligned(fromByteOffset: offset, as: SIMD32<UInt8>.self) .== wanted
                    unsafe counts &-= unsafeBitCast(lanes, to: SIMD32<UInt8>.self)
                    offset += 32
                }
                count += Self.sum(of: counts)
            }
            while offset < text.count {
                if unsafe text[offset] == byte { count += 1 }
                offset += 1
            }
            return count
        }
    }

    /// The last place of a byte before `end`.
    package func lastOccurrence(of byte: UInt8, before end: Int) -> Int? {
        unsafe withUnsafeBytes { text in
            var offset = min(end, text.count) - 1
            while offset >= 0 {
                if unsafe text[offset] == byte { return offset }
                offset -= 1
            }
            return nil
        }
    }

    private static func firstOccurrence(
        of needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        let last = needle.count - 1
        guard last >= 0, start >= 0, start + last < text.count else { return nil }
        let firstByte = unsafe SIMD32<UInt8>(repeating: needle[0])
        let lastByte = unsafe SIMD32<UInt8>(repeating: needle[last])
        var offset = start
        while offset + last + 32 <= text.count {
            let first = unsafe text.loadUnaligned(fromByteOffset: offset, as: SIMD32<UInt8>.self)
            let second = unsafe text.loadUnaligned(fromByteOffset: offset + last, as: SIMD32<UInt8>.self)
            let lanes = lanes((first .== firstByte) .& (second .== lastByte))
            if lanes[0] | lanes[1] | lanes[2] | lanes[3] != 0 {
                for index in 0..<4 {
                    var bits = lanes[index]
                    while bits != 0 {
                        let place = bits.trailingZeroBitCount & ~7
                        let found = offset + index * 8 + place >> 3
                        // Where there is nothing between the two bytes, both are there.
                        if unsafe last <= 1 || isThere(needle, in: text, at: found) { return found }
                        bits &= ~(0xFF << UInt64(place))
                    }
                }
            }
            offset += 32
        }
        while offset + last < text.count {
            if unsafe text[offset] == needle[0], unsafe isThere(needle, in: text, at: offset) { return offset }
            offset += 1
        }
        return nil
    }

    @inline(__always)
    private static func sum(of bytes: SIMD32<UInt8>) -> Int {
        let words = unsafe unsafeBitCast(bytes, to: SIMD4<UInt64>.self)
        let everySecond: UInt64 = 0x00FF_00FF_00FF_00FF
        // Four numbers of 16 bits, of two bytes of each word.
        let pairs = (words & everySecond) &+ (words &>> 8 & everySecond)
        return Int((pairs.wrappedSum() &* 0x0001_0001_0001_0001) >> 48)
    }

    @inline(__always)
    private static func isThere(
        _ needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, at offset: Int
    ) -> Bool {
        unsafe memcmp(text.baseAddress! + offset, needle.baseAddress!, needle.count) == 0
    }

    /// A byte of ones for each lane that is true; there is no other way to ask a mask for its first.
    @inline(__always)
    private static func lanes(_ mask: SIMDMask<SIMD32<Int8>>) -> SIMD4<UInt64> {
        unsafe unsafeBitCast(mask, to: SIMD4<UInt64>.self)
    }
}
