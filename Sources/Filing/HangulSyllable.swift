/// How the letters of Hangul make syllables, by arithmetic.
enum HangulSyllable {
    private static let first: UInt32 = 0xAC00
    private static let initials: ClosedRange<UInt32> = 0x1100...0x1112
    static let vowels: ClosedRange<UInt32> = 0x1161...0x1175
    static let finals: ClosedRange<UInt32> = 0x11A8...0x11C2
    /// A vowel that stands alone has this one, which is silent.
    private static let silentInitial: UInt32 = 11
    private static let vowelCount: UInt32 = 21
    private static let finalCount: UInt32 = 28

    /// A letter that no other joins: as the first syllable it begins; an ancient one, or a final, as itself.
    static func alone(_ jamo: UInt32) -> UInt32 {
        switch jamo {
        case initials: first + (jamo - initials.lowerBound) * vowelCount * finalCount
        case vowels: first + (silentInitial * vowelCount + jamo - vowels.lowerBound) * finalCount
        default: jamo
        }
    }

    /// The syllable that a letter or syllable makes with the letter behind it, as Unicode composes them (chapter 3.12); `nil` when it
    /// makes none.
    static func composed(_ last: UInt32, _ jamo: UInt32) -> UInt32? {
        if initials.contains(last), vowels.contains(jamo) {
            return alone(last) + (jamo - vowels.lowerBound) * finalCount
        }
        guard FilingAlphabet.hangul.contains(last), (last - first) % finalCount == 0, finals.contains(jamo) else {
            return nil
        }
        return last + jamo - finals.lowerBound + 1
    }

    /// The number of the initial consonant, 0...18.
    static func initial(of syllable: UInt32) -> Int { Int((syllable - first) / (vowelCount * finalCount)) }

    /// The first syllable with the initial of a number.
    static func firstSyllable(ofInitial initial: Int) -> UInt32 { first + UInt32(initial) * vowelCount * finalCount }
}
