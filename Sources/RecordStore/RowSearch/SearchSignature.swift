/// Which of the bitmaps of a search file tell of a piece of text: a bitmap for each one, two, three and four bytes of a word,
/// with a bit for each leaf that may hold them.
///
///     0      one     64 rows     a…z, 0…9, the other bytes by remainder
///     64     two     1472 rows   1296 for those of a…z and 0…9, the others by hash
///     1536   three   2560 rows   by hash
///     4096   four    2560 rows   by hash
///
/// Two rare letters such as `qx` have a bitmap to themselves, so that a search for them does not read every leaf. A leaf that
/// has `har`, `arr` and `rry` in different words is told from one with `harry` by the fours.
enum SearchSignature {
    static let rowCount = 6656
    private static let plainCount = 36
    private static let firstPair = 64
    private static let pairHashCount = 176
    private static let firstTriple = 1536
    private static let firstFour = 4096
    private static let hashCount: UInt32 = 2560

    /// The rows for a word: of its threes and fours, or of the whole when it is shorter.
    static func rows(ofWord word: [UInt8]) -> [Int] {
        switch word.count {
        case 0: []
        case 1: [letter(word[0])]
        case 2: [pair(word[0], word[1])]
        default:
            (2..<word.count).map { triple(word[$0 - 2], word[$0 - 1], word[$0]) }
                + (3..<max(3, word.count)).map { four(word[$0 - 3], word[$0 - 2], word[$0 - 1], word[$0]) }
        }
    }

    /// Visits the rows that a word of a text has.
    @inline(__always)
    static func forEachRow(ofWord word: Range<Int>, in text: RawSpan, _ body: (Int) -> Void) {
        var first: UInt8 = 0
        var second: UInt8 = 0
        var third: UInt8 = 0
        for index in word {
            let byte = text.byte(at: index)
            body(letter(byte))
            if third != 0 {
                body(pair(third, byte))
                if second != 0 {
                    body(triple(second, third, byte))
                    if first != 0 { body(four(first, second, third, byte)) }
                }
            }
            (first, second, third) = (second, third, byte)
        }
    }

    /// 0...35 for the letters and digits of ASCII, -1 for other bytes.
    @inline(__always)
    private static func plain(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: -1
        }
    }

    @inline(__always)
    private static func letter(_ byte: UInt8) -> Int {
        let plain = plain(byte)
        return plain >= 0 ? plain : plainCount + Int(byte) % (firstPair - plainCount)
    }

    @inline(__always)
    private static func pair(_ first: UInt8, _ second: UInt8) -> Int {
        let (left, right) = (plain(first), plain(second))
        if left >= 0, right >= 0 { return firstPair + left * plainCount + right }
        let hash = (UInt32(first) &* 0x9E37_79B1 ^ UInt32(second) &* 0x85EB_CA77) >> 7
        return firstPair + plainCount * plainCount + Int(hash % UInt32(pairHashCount))
    }

    @inline(__always)
    private static func triple(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        let letters = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
        return firstTriple + Int(((letters &* 0x9E37_79B1) >> 8) % hashCount)
    }

    @inline(__always)
    private static func four(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> Int {
        let letters = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
        let mixed = (letters ^ letters >> 15) &* 0x85EB_CA77
        return firstFour + Int((mixed ^ mixed >> 13) % hashCount)
    }
}
