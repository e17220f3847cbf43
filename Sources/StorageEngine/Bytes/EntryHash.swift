/// A hash of 64 bits that finds any difference between two sequences of bytes, but for one in 2⁶⁴.
///
/// Sixteen bytes a step: a multiplication of two words, of which both halves are folded into one. That is the step of wyhash
/// (Wang Yi, 2019, after the MUM hash of Vladimir Makarov, 2016), in its form that keeps both factors, so that a factor of zero
/// erases nothing. The constants are wyhash's. Against accidents only: who knows them can make two values of one hash.
///
/// `Formats/SNAPSHOT.md` says the same for other readers.
package enum EntryHash {
    private static let constants: (UInt64, UInt64, UInt64, UInt64) = (
        0x2D35_8DCC_AA6C_78A5, 0x8BB8_4B93_962E_ACC9, 0x4B33_A62E_D433_D4A3, 0x4D5A_2DA5_1DE1_AA47
    )

    package static func hash(_ bytes: [UInt8]) -> UInt64 { bytes.withBytes { hash($0) } }

    /// - Parameter seed: the hash of what came before, if anything.
    static func hash(_ bytes: RawSpan, seed: UInt64 = 0) -> UInt64 {
        // Safe because a span's bytes are there during the call.
        unsafe bytes.withUnsafeBytes { unsafe hash($0, seed: seed) }
    }

    // Safe because every load lies within the buffer.
    private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var state = seed ^ constants.0
        var position = 0
        while count - position >= 16 {
            state = folded(
                unsafe word(bytes, at: position) ^ constants.1, unsafe word(bytes, at: position + 8) ^ state)
            position += 16
        }
        if position < count {
            let first = unsafe paddedWord(bytes, from: position)
            let second = position + 8 < count ? unsafe paddedWord(bytes, from: position + 8) : 0
            state = folded(first ^ constants.1, second ^ state)
        }
        return folded(state ^ constants.2, UInt64(count) ^ constants.3)
    }

    /// The halves of the product, and the factors.
    @inline(__always)
    private static func folded(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = first.multipliedFullWidth(by: second)
        return product.high ^ product.low ^ first ^ second
    }

    // Safe because eight bytes from there on lie within the buffer.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The bytes from a position on as a word, with zeros behind the last.
    // Safe because every load lies within the buffer.
    @inline(__always)
    private static func paddedWord(_ bytes: UnsafeRawBufferPointer, from position: Int) -> UInt64 {
        let rest = bytes.count - position
        if rest >= 8 { return unsafe word(bytes, at: position) }
        // The last eight bytes end with those that are asked for.
        if bytes.count >= 8 { return unsafe word(bytes, at: bytes.count - 8) >> UInt64(8 * (8 - rest)) }
        var word: UInt64 = 0
        for index in (position..<bytes.count).reversed() { word = word << 8 | UInt64(unsafe bytes[index]) }
        return word
    }
}
