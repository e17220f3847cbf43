/// The bytes of one letter above ASCII within a filing key: two to four, and never below 0x80.
///
/// They are the letter's UTF-8, so that letters file in the order of their code points, with these exceptions:
///
/// | letters | bytes | why |
/// |---|---|---|
/// | Cyrillic, Arabic | UTF-8 of another code point of the same block | one order for all languages that write them |
/// | Georgian | UTF-8 from U+0590 on | between Armenian and Hebrew |
/// | kana | UTF-8 with the first byte F5 | behind Hangul |
/// | Han | UTF-8 with the first byte F6…FC, FD beyond the basic plane | last |
/// | U+FA0E…U+FA29, which are Han | as U+1FA0E…U+1FA29 beyond the basic plane | behind the others of that plane |
enum FilingAlphabet {
    /// A letter's bytes, the first in the highest of `count` bytes.
    struct Letter: Equatable {
        let packed: UInt32
        let count: Int

        var bytes: [UInt8] { (0..<count).map { self[$0] } }

        subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: packed >> UInt32(8 * (count - 1 - index))) }
    }

    /// From U+0400 on. Letters of all languages at the places their alphabets agree on.
    static let cyrillic = Array("аәӕбвгґғҕдђѓеєжҗзѕиіїйјкқҡлљмнңњоөпрсҫтћќуўүұфхҳһцчҷџшщъыьѣэюяѳѵ".unicodeScalars)
    /// From U+0600 on: Arabic, and the letters Persian, Urdu, Pashto and Kurdish put beside them.
    static let arabic = Array("ءابپتٹټثجچځڅحخدډڈذرړڑڕزژږسشښصضطظعغفڤقكگلڵمنںڼهھەوۆۇيېێۍے".unicodeScalars)

    static let georgian: ClosedRange<UInt32> = 0x10D0...0x10FF
    static let kana: ClosedRange<UInt32> = 0x3041...0x309F
    static let hangul: ClosedRange<UInt32> = 0xAC00...0xD7A3
    private static let hanMarks: ClosedRange<UInt32> = 0x3005...0x3007
    private static let hanNumerals: ClosedRange<UInt32> = 0x3021...0x303C
    private static let nearHan: ClosedRange<UInt32> = 0x3400...0x9FFF
    private static let farHan: ClosedRange<UInt32> = 0x20000...0x3FFFF
    /// Twelve of these are no other shape of a character, though they stand where those are.
    private static let strayHan: ClosedRange<UInt32> = 0xFA0E...0xFA29
    private static let strayHanShift: UInt32 = 0x10000
    static let han = [hanMarks, hanNumerals, nearHan, strayHan, farHan]
    static let kanaLead: UInt8 = 0xF5
    static let hanLeads: ClosedRange<UInt8> = 0xF6...0xFD

    private static let firstCyrillic: UInt32 = 0x400
    private static let firstArabic: UInt32 = 0x600
    private static let firstMovedGeorgian: UInt32 = 0x590
    private static let kanaShift: UInt32 = 0x12 << 16
    private static let hanShift: UInt32 = 0x13 << 16
    private static let farHanShift: UInt32 = 0x0D << 24

    /// For each scalar from U+0400 below U+0700 the one it is filed as, and back.
    private static let moves: (to: [UInt32], from: [UInt32]) = {
        var to = Array(firstCyrillic..<0x700)
        var from = to
        for (first, letters) in [(firstCyrillic, cyrillic), (firstArabic, arabic)] {
            for (offset, letter) in letters.enumerated() {
                let moved = first + UInt32(offset)
                to[Int(letter.value - firstCyrillic)] = moved
                from[Int(moved - firstCyrillic)] = letter.value
            }
        }
        return (to, from)
    }()

    /// The bytes of a letter above ASCII.
    static func letter(_ scalar: UInt32) -> Letter {
        switch scalar {
        case 0x400..<0x700: return utf8(moves.to[Int(scalar - firstCyrillic)])
        case georgian: return utf8(scalar - georgian.lowerBound + firstMovedGeorgian)
        case kana: return Letter(packed: utf8(scalar).packed + kanaShift, count: 3)
        case hanMarks, hanNumerals, nearHan:
            return Letter(packed: utf8(scalar).packed + hanShift, count: 3)
        case strayHan: return Letter(packed: utf8(scalar + strayHanShift).packed + farHanShift, count: 4)
        case farHan: return Letter(packed: utf8(scalar).packed + farHanShift, count: 4)
        default: return utf8(scalar)
        }
    }

    /// The letter that bytes of a key begin with, and how many it takes; `nil` when they are no letter above ASCII.
    static func firstLetter(of bytes: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, count: Int)? {
        guard let lead = bytes.first, lead >= 0xC2, lead < FilingTailoring.nextLetter else { return nil }
        let count = lead < 0xE0 ? 2 : lead < 0xF0 || (kanaLead..<hanLeads.upperBound).contains(lead) ? 3 : 4
        guard bytes.count >= count, bytes.prefix(count).dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else {
            return nil
        }
        var first = lead
        switch lead {
        case kanaLead: first = 0xE3
        case hanLeads.upperBound: first = 0xF0
        case hanLeads: first = lead - 0x13
        default: break
        }
        var value = UInt32(first) & (0xFF >> UInt32(count + 1))
        for byte in bytes.prefix(count).dropFirst() { value = value << 6 | UInt32(byte & 0x3F) }
        if (firstMovedGeorgian..<0x5C0).contains(value) {
            value = value - firstMovedGeorgian + georgian.lowerBound
        } else if (0x400..<0x700).contains(value) {
            value = moves.from[Int(value - firstCyrillic)]
        } else if lead == hanLeads.upperBound, (strayHanShift..<farHan.lowerBound).contains(value) {
            value -= strayHanShift
        }
        guard let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, count)
    }

    /// Thai and Lao write these vowels before the consonant behind which they are filed.
    static func isWrittenBeforeConsonant(_ vowel: UInt32) -> Bool {
        (0xE40...0xE44).contains(vowel) || (0xEC0...0xEC4).contains(vowel)
    }

    static func isThaiOrLaoConsonant(_ letter: UInt32) -> Bool {
        (0xE01...0xE2E).contains(letter) || (0xE81...0xEAE).contains(letter)
    }

    private static func utf8(_ scalar: UInt32) -> Letter {
        switch scalar {
        case ..<0x80: Letter(packed: scalar, count: 1)
        case ..<0x800: Letter(packed: 0xC080 | (scalar & 0x7C0) << 2 | scalar & 0x3F, count: 2)
        case ..<0x10000:
            Letter(packed: 0xE0_8080 | (scalar & 0xF000) << 4 | (scalar & 0xFC0) << 2 | scalar & 0x3F, count: 3)
        default:
            Letter(
                packed: 0xF080_8080 | (scalar & 0x1C_0000) << 6 | (scalar & 0x3_F000) << 4 | (scalar & 0xFC0) << 2
                    | scalar & 0x3F, count: 4)
        }
    }
}
