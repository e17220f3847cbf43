import TestSupport
import Testing

@testable import Filing

/// Marks of one letter that Unicode takes for the same in any order, and so does Swift where it compares texts.
@Suite struct MarkOrderTests {
    private func key(_ title: String, _ filing: FilingTailoring = .standard) -> [UInt8] {
        TitleKey.make(title: title, sortTitle: nil, language: nil, filing: filing)
    }

    /// All marks with a canonical class, but for those that make another letter of the one before them.
    private static let marks: [Unicode.Scalar] = (0x300..<0x1_E950).compactMap { Unicode.Scalar(UInt32($0)) }.filter {
        $0.properties.canonicalCombiningClass != .notReordered && !joining.contains($0)
            && ($0.properties.age.map { $0.major < 14 } ?? false)
    }

    /// The signs of voiced kana, and the vowels of Tibet that are two.
    private static let joining: Set<Unicode.Scalar> = [
        "\u{3099}", "\u{309A}", "\u{F71}", "\u{F72}", "\u{F74}", "\u{F80}",
    ]

    @Test(arguments: 1...4)
    func `texts that Swift takes for equal fold and file alike, whatever the order of their marks`(seed: UInt64) {
        var random = SeededGenerator.forTest(fallback: seed)
        for _ in 0..<4000 {
            let marks = (0..<Int.random(in: 2...4, using: &random)).map { _ in Self.marks.randomElement(using: &random)!
            }
            let letter = random.pick(["x", "က", "ก", "の", "न", "ي", "ä", "が"])!
            func text(_ marks: [Unicode.Scalar]) -> String {
                var text = letter
                text.unicodeScalars.append(contentsOf: marks)
                return text + "y"
            }
            let (one, other) = (text(marks), text(marks.shuffled(using: &random)))
            guard one == other else { continue }
            let words = "\(one.unicodeScalars.map { String($0.value, radix: 16) })"
            #expect(FoldedText(one) == FoldedText(other), "\(words)")
            for filing in [FilingTailoring.standard, .swedish] {
                #expect(key(one, filing) == key(other, filing), "\(words)")
            }
        }
    }

    @Test func `Burmese is found as it is typed, whichever mark comes first`() {
        let (typed, normal) = ("နှင\u{103A}\u{1037}", "နှင\u{1037}\u{103A}")
        #expect(FoldedText(typed) == FoldedText(normal) && key(typed) == key(normal))
        #expect(MatchKey(title: typed, author: "") == MatchKey(title: normal, author: ""))
        // The mark of another letter stays with it.
        #expect(FoldedText("က\u{103A}က\u{1037}") != FoldedText("က\u{1037}က\u{103A}"))
    }

    @Test func `a letter of a tailoring is one whatever other marks it has`() {
        for text in ["a\u{323}\u{308}", "ä\u{323}", "ạ\u{308}"] {
            #expect(key(text, .swedish) == key("ä", .swedish), "\(text)")
            #expect(key(text) == key("a"))
        }
        let (joined, apart) = ("\u{626}\u{64E}", "\u{64A}\u{64E}\u{654}")
        #expect(joined == apart && key(joined) == key(apart))
    }

    @Test func `bytes of a key that no letter has are none, and thousands of marks take no longer than they are`() {
        for second in UInt8(0x80)...0xBF {
            _ = FilingKeyText.text(of: [0xFD, second, 0x80, 0x80], tailoring: .standard)
        }
        let (many, other) = (String(repeating: "\u{103A}", count: 50_000), String(repeating: "\u{1037}", count: 50_000))
        #expect(FoldedText("က" + many + other).bytes.count == 3 * 100_001)
        #expect(!key("ي" + String(repeating: "\u{301}\u{654}", count: 50_000), .swedish).isEmpty)
        #expect(key("a0\u{308}", .swedish) == key("a0", .swedish))
    }

    @Test func `signs that are others to Unicode leave as little trace`() {
        for (sign, other) in [("\u{1FEF}", "`"), ("\u{1FFD}", "\u{B4}")] {
            #expect(FoldedText("d\(sign)x") == FoldedText("d\(other)x") && key("d\(sign)x") == key("d\(other)x"))
        }
    }
}
