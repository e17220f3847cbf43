/// The rows of the kana table: what a vowel sign lengthens, what a sign of repetition repeats, and the sections of a list.
enum KanaRow {
    /// Each row in the order of its vowels, as far as it has them: plain, voiced, half-voiced, small.
    private static let rows: [(vowels: String, kana: [String])] = [
        ("あいうえお", ["あいうえお", "・・ゔ・・", "", "ぁぃぅぇぉ"]), ("あいうえお", ["かきくけこ", "がぎぐげご", "", "ゕ・・ゖ・"]),
        ("あいうえお", ["さしすせそ", "ざじずぜぞ"]), ("あいうえお", ["たちつてと", "だぢづでど", "", "・・っ・・"]),
        ("あいうえお", ["なにぬねの"]), ("あいうえお", ["はひふへほ", "ばびぶべぼ", "ぱぴぷぺぽ"]), ("あいうえお", ["まみむめも"]),
        ("あうお", ["やゆよ", "", "", "ゃゅょ"]), ("あいうえお", ["らりるれろ"]), ("あいえおん", ["わゐゑをん", "", "", "ゎ・・・・"]),
    ]

    private struct Sound {
        let vowel: UInt32
        let plain: UInt32
        let voiced: UInt32
    }

    private static let sounds: [UInt32: Sound] = {
        var sounds: [UInt32: Sound] = [:]
        for row in rows {
            let plain = values(row.kana[0])
            let voiced = row.kana.count > 1 ? values(row.kana[1]) : []
            for kana in row.kana.map(values) {
                for (place, value) in kana.enumerated() where value != none {
                    let heavy = place < voiced.count && voiced[place] != none ? voiced[place] : plain[place]
                    sounds[value] = Sound(vowel: values(row.vowels)[place], plain: plain[place], voiced: heavy)
                }
            }
        }
        return sounds
    }()

    /// Stands in a row where it has no kana.
    private static let none: UInt32 = 0x30FB

    private static func values(_ kana: String) -> [UInt32] { kana.unicodeScalars.map(\.value) }

    /// The first kana of every row, in order.
    static let firstKana: [Unicode.Scalar] = rows.compactMap(\.kana[0].unicodeScalars.first)

    /// The signs that repeat a kana, ゝ ゞ ヽ ヾ, or its vowel, ー.
    static func isRepetition(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x309D, 0x309E, 0x30FC...0x30FE, 0xFF70: true
        default: false
        }
    }

    /// What a sign of repetition stands for behind a hiragana: い for ー and き for ゝ behind ぎ, ず for ゞ behind す; `nil` behind
    /// anything else.
    static func repeated(_ sign: UInt32, behind kana: UInt32) -> UInt32? {
        guard FilingAlphabet.kana.contains(kana) else { return nil }
        guard let sound = sounds[kana] else { return kana }
        switch sign {
        case 0x30FC, 0xFF70: return sound.vowel
        case 0x309E, 0x30FE: return sound.voiced
        default: return sound.plain
        }
    }
}
