/// The rows of the kana table: what a vowel sign lengthens, and the sections of a list.
enum KanaRow {
    /// Each row's vowel sounds in the order a i u e o, as far as it has them.
    private static let rows: [(vowels: String, kana: String)] = [
        ("あいうえお", "あいうえお"), ("あいうえお", "かきくけこ"), ("あいうえお", "さしすせそ"), ("あいうえお", "たちつてと"),
        ("あいうえお", "なにぬねの"), ("あいうえお", "はひふへほ"), ("あいうえお", "まみむめも"), ("あうお", "やゆよ"),
        ("あいうえお", "らりるれろ"), ("あいえおん", "わゐゑをん"),
    ]

    private static let vowels: [UInt32: UInt32] = {
        var vowels: [UInt32: UInt32] = [:]
        for row in rows {
            for (vowel, kana) in zip(row.vowels.unicodeScalars, row.kana.unicodeScalars) {
                vowels[kana.value] = vowel.value
            }
        }
        return vowels
    }()

    /// The first kana of every row, in order.
    static let firstKana: [Unicode.Scalar] = rows.compactMap(\.kana.unicodeScalars.first)

    /// The signs that repeat a kana, ゝ ゞ ヽ ヾ, or its vowel, ー.
    static func isRepetition(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x309D, 0x309E, 0x30FC...0x30FE, 0xFF70: true
        default: false
        }
    }

    static func isLongVowel(_ scalar: UInt32) -> Bool { scalar == 0x30FC || scalar == 0xFF70 }

    /// What a kana sounds on: い for き. Itself for a kana without a vowel.
    static func vowel(of kana: UInt32) -> UInt32 { vowels[kana] ?? kana }
}
