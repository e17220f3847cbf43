/// The hash of entries as `Formats/SNAPSHOT.md` says, written for plainness.
public enum PlainHash {
    public static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        var state = seed ^ 0x2d35_8dcc_aa6c_78a5
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let piece = bytes[start..<min(start + 16, bytes.count)] + Array(repeating: 0, count: 16)
            let words = [piece.prefix(8), piece.dropFirst(8).prefix(8)].map { word in
                word.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            state = fold(words[0] ^ 0x8bb8_4b93_962e_acc9, words[1] ^ state)
        }
        return fold(state ^ 0x4b33_a62e_d433_d4a3, UInt64(bytes.count) ^ 0x4d5a_2da5_1de1_aa47)
    }

    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = UInt128(one) * UInt128(other)
        return UInt64(truncatingIfNeeded: product) ^ UInt64(truncatingIfNeeded: product >> 64) ^ one ^ other
    }
}
