import TestSupport
import Testing

@testable import Filing

/// The bytes of filing keys: numbers, letters of every script, tailorings.
@Suite struct FilingKeyTests {
    private func bytes(_ title: String, _ filing: FilingTailoring = .standard, _ language: String? = nil) -> [UInt8] {
        TitleKey.make(title: title, sortTitle: nil, language: language, filing: filing)
    }

    private func expectOrder(_ titles: [String], _ filing: FilingTailoring = .standard) {
        let keys = titles.map { bytes($0, filing) }
        for index in titles.indices.dropLast() {
            #expect(
                keys[index].lexicographicallyPrecedes(keys[index + 1]), "\(titles[index]) before \(titles[index + 1])")
        }
    }

    private func expectSame(_ titles: [String], _ filing: FilingTailoring = .standard) {
        for title in titles.dropFirst() { #expect(bytes(title, filing) == bytes(titles[0], filing), "\(title)") }
    }

    // MARK: Numbers

    @Test func `numbers file by value, and before letters`() {
        expectOrder([
            "!", "0", "1 Day", "2", "7 Up", "9", "9½ Weeks", "9 Lives", "10", "22", "99", "100", "1,000", "1984",
            "2001",
            "20,000 Leagues", "1,000,000", "999999999999999999999999", "9999999999999999999999999",
            "10000000000000000000000000", "20000000000000000000000000", "Part 2", "Part 10", "Part A",
        ])
    }

    @Test func `leading zeros, separators of thousands and other digits do not count`() {
        expectSame(["Agent 7", "Agent 007", "Agent ٧", "Agent ۷", "Agent ७", "Agent ７", "Agent ๗"])
        expectSame(["1000", "1,000", "1\u{A0}000", "1\u{202F}000", "1'000", "１，０００", "١٬٠٠٠", "01000"])
        expectSame(["0", "00", "0000000000000000000000000000000000000000"])
        expectSame(["1 0", "1,00", "1.0"])
        #expect(
            bytes("1,2345") == bytes("1 2345") && bytes("0,123") == bytes("0 123")
                && bytes("1234,567") == bytes("1234 567"))
        #expect(bytes("20.000", .standard, "de") == bytes("20000"))
        #expect(bytes("20.000", .standard, "en") == bytes("20 000"))
    }

    @Test func `a number of any length files, within the key's limit`() {
        let numbers = [26, 27, 100, 500, 998].map { String(repeating: "3", count: $0) }
        expectOrder(numbers)
        for count in [1000, 100_000] {
            let key = bytes("Pi: " + String(repeating: "3", count: count) + " digits")
            #expect(key == Array("pi Z999".utf8) + [UInt8](repeating: 0x33, count: 25) + Array(" digits".utf8))
        }
        for blanks in 120...160 {
            let key = bytes(String(repeating: "x", count: blanks) + " " + String(repeating: "7", count: 20))
            #expect(key.count == blanks || key.count == blanks + 22 && key.count <= 160)
        }
    }

    @Test func `the bytes of a number are those of the format's page`() {
        #expect(bytes("7") == Array("7".utf8) && bytes("Catch-22") == Array("catch B22".utf8))
        #expect(bytes("1984") == Array("D1984".utf8) && bytes("R2D2") == Array("r2d2".utf8))
        #expect(bytes(String(repeating: "1", count: 25)) == Array(("Y" + String(repeating: "1", count: 25)).utf8))
        #expect(bytes("2".padded(to: 26)) == Array(("Z026" + "2".padded(to: 25)).utf8))
        #expect(bytes("!?") == Array("!!?".utf8))
    }

    // MARK: Scripts

    @Test func `scripts follow each other`() {
        expectOrder(["Zoo", "Ωδή", "Ягода", "Օր", "ჰაერი", "תל", "يوم", "हवा", "ฮา", "힘", "んん", "一", "鿿", "\u{20000}"])
    }

    @Test(arguments: [
        [
            "арка", "вода", "год", "ґанок", "дом", "ђак", "ель", "є", "жук", "звук", "иней", "ім’я", "їжак", "йод",
            "јутро", "кот",
        ],
        ["тон", "ћуп", "ус", "ўзор", "фон", "ця", "џем", "шум", "щит", "эхо", "юг", "яма"],
        [
            "ب", "پ", "ت", "ٹ", "ث", "ج", "چ", "ح", "د", "ڈ", "ذ", "ر", "ز", "ژ", "س", "ق", "ك", "گ", "ل", "ن", "ه",
            "و", "ي",
        ],
        ["ء", "ئاگر", "ا", "ب", "ي"],
        ["க", "ங", "ச"], ["क", "कं", "कम", "का", "कि", "क्या", "ख"],
        ["กา", "เกม", "ขา", "เขา", "คน"], ["가", "각", "까", "나", "닭", "한", "힣"],
        ["あ", "ああ", "アイ", "い", "か", "きよ", "く", "は", "はん", "ひ", "わ", "を", "ん"],
        ["א", "ב", "כל", "לב", "מים", "תל"], ["ა", "ბ", "ჰ"], ["ա", "բ", "և", "զ"],
    ])
    func `letters file in the order of their alphabet`(titles: [String]) {
        expectOrder(titles)
    }

    @Test func `spellings of one word file alike`() {
        expectSame(["ガール", "かある", "ｶﾞｰﾙ", "カ\u{3099}ール", "かーる"])
        expectSame(["きゃっと", "キヤツト"])
        expectSame(["ここ", "こゝ", "コヽ"])
        expectSame(["שלום", "שָׁלוֹם", "שלומ"])
        expectSame(["القرآن", "القرٱن", "القران", "الـقران", "ﺍلقران"])
        expectSame(["کتاب", "كتاب"])
        expectSame(["क़लम", "क\u{93C}लम", "कलम"])
        expectSame(["สี่", "สี", "สี้"])
        expectSame(["ㄱ", "가", "\u{1100}", "ﾡ"])
        expectSame(["ଡ଼", "ଡ"])
        expectSame(["Ёж", "Еж", "Е\u{308}ж"])
        expectSame(["ᲐᲑᲒ", "აბგ"])
        expectSame(["և", "եւ"])
        expectSame(["① ½", "1 1/2"])
        expectSame(["ئاگر", "\u{64A}\u{654}اگر"])
        expectSame(["שױ", "שוי"])
    }

    // MARK: Tailorings

    @Test func `each tailoring has its letters where its readers look`() {
        expectOrder(["Å", "Al", "Äpple", "Au", "Ñu", "Ny", "Ö", "Oa", "Ox", "Ü", "Ul", "Zz", "Ωδή"])
        expectOrder(
            ["Al", "Au", "Ny", "Oa", "Ul", "Yk", "Üm", "Yz", "Zz", "Ål", "Äpple", "Æven", "Öa", "Øb", "Ωδή"], .swedish)
        expectOrder(["Al", "Au", "Oa", "Yk", "Üm", "Zz", "Ægte", "Äh", "Øl", "Öm", "Aab", "Åc", "Ωδή"], .danish)
        expectOrder(["Nu", "Nz", "Nω", "Ñandú", "Ñu", "Oa", "Öb"], .spanish)
        expectOrder(["Ad", "Äd", "Af", "Od", "Öd", "Of", "Ud", "Üd", "Uf"], .germanPhoneBook)
        expectSame(["Aal", "Ål", "A\u{30A}l", "aaL"], .danish)
        expectSame(["Müller", "Mueller", "MÜLLER", "Mu\u{308}ller"], .germanPhoneBook)
        expectSame(["Isac", "Ísåc"], .standard)
        #expect(bytes("El Ñandú", .spanish, "es") == Array("n".utf8) + [0xFE] + Array("andu".utf8))
    }

    // MARK: Always true

    @Test func `random keys keep what others rely on, and their sections follow each other`() {
        var random = SeededGenerator.forTest("random filing keys", fallback: 20)
        let blocks: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x370...0x58F, 0x590...0x6FF, 0x900...0xEFF,
            0x1000...0x11FF,
            0x1C90...0x1FFF, 0x2000...0x2BFF, 0x3000...0x33FF, 0x4E00...0x4FFF, 0xAC00...0xD7FF, 0xF900...0xFFFD,
            0x10000...0x2FFFF, 0x30...0x39,
        ]
        for filing in FilingTailoring.allCases {
            var keys: [[UInt8]] = [[]]
            for _ in 0..<2_000 {
                let block = random.pick(blocks)!
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...(random.oneIn(10) ? 200 : 8), using: &random) {
                    let range = random.oneIn(4) ? random.pick(blocks)! : block
                    if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
                }
                let key = bytes(String(text), filing, random.pick(["en", "fr", "ar", "mt", "nl", "de"]))
                #expect(key.count <= 160 && key.allSatisfy { $0 >= 0x20 && $0 < 0xFF }, "\(Array(text))")
                #expect(key.last != 0x20 && key.first != 0x20, "\(Array(text))")
                if key.first != TitleKey.punctuationLead {
                    let readable = FilingKeyText.text(of: key, tailoring: filing)
                    let again = TitleKey.make(title: "", sortTitle: readable, language: nil, filing: filing)
                    #expect(again == key, "\(Array(text)) \(readable)")
                }
                keys.append(key)
                if let author = random.pick(["", ", "]) {
                    let name = AuthorSortName.key(String(text) + author + "B", filing: filing)
                    #expect(name.count <= 96 && name.allSatisfy { $0 >= 0x20 && $0 < 0xFF })
                    keys.append(name + [0] + key)
                }
            }
            keys.append([0xFF, 0] + keys[1])
            expectSections(of: keys.sorted { $0.lexicographicallyPrecedes($1) }, filing)
        }
    }

    @Test func `any bytes have a section, and its bound lies behind them`() {
        var random = SeededGenerator.forTest("random bytes have sections", fallback: 21)
        for filing in FilingTailoring.allCases {
            for _ in 0..<2_000 {
                let count = Int.random(in: 0...4, using: &random)
                let key = (0..<count).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
                let section = FilingSection(key: key, tailoring: filing)
                #expect(key.lexicographicallyPrecedes(section.upperBound), "\(key)")
                _ = FilingKeyText.text(of: key, tailoring: filing)
            }
        }
    }

    @Test func `a zero between two letters keeps them apart`() {
        // A number of zeros has no bytes before it ends. A final consonant, a vowel sign or a consonant behind it joined with
        // the letter before it, and the zero went in front of both (seed 113).
        #expect(bytes("가0\u{11AB}") != bytes("0간") && bytes("가0\u{11AB}").starts(with: bytes("가0")))
        #expect(bytes("カ0ー") == bytes("カ0"))
        #expect(bytes("เ0ก") == bytes("เ") + [UInt8(ascii: "0")] + bytes("ก"))
    }

    @Test(arguments: [
        ("1984", "#"), ("!!!", "#"), ("Émile", "E"), ("Åland", "A"), ("Ωδή", "Ω"), ("ёлка", "Е"), ("йод", "Й"),
        ("აბ", "ა"),
        ("한국", "ㅎ"), ("까치", "ㄱ"), ("ガリバー", "か"), ("んん", "わ"), ("紅樓夢", "漢"), ("\u{FA11}", "漢"), ("שלום", "ש"),
        ("گل", "گ"), ("Əli", "Ə"),
    ])
    func `a section is named for its letter`(title: String, label: String) {
        #expect(FilingSection(key: bytes(title), tailoring: .standard).label == label)
    }

    @Test func `tailored letters have sections of their own`() {
        func label(_ title: String, _ filing: FilingTailoring) -> String {
            FilingSection(key: bytes(title, filing) + [0, 1], tailoring: filing).label
        }
        #expect(["Ål", "Äl", "Öl", "Zoo"].map { label($0, .swedish) } == ["Å", "Ä", "Ö", "Z"])
        #expect(["Æg", "Øl", "Aal"].map { label($0, .danish) } == ["Æ", "Ø", "Å"])
        #expect(["Nandu", "Ñandú", "Oso"].map { label($0, .spanish) } == ["N", "Ñ", "O"])
        #expect(label("Öl", .germanPhoneBook) == "O")
        #expect(FilingSection(key: [], tailoring: .standard).label == "#")
    }

    @Test func `the alphabets name each letter once, and give each bytes that are its own`() {
        for letters in [FilingAlphabet.cyrillic, FilingAlphabet.arabic] {
            #expect(Set(letters).count == letters.count)
            for letter in letters {
                #expect(
                    FilingAlphabet.firstLetter(of: FilingAlphabet.letter(letter.value).bytes[...])?.scalar == letter)
            }
        }
        var seen: [[UInt8]: UInt32] = [:]
        for value in UInt32(0x80)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value), case .kept = Folding.filing.rule(for: value),
                !(0x1100...0x11FF).contains(value), !KanaRow.isRepetition(value)
            else { continue }
            let bytes = FilingAlphabet.letter(value).bytes
            #expect(seen.updateValue(value, forKey: bytes) == nil, "\(scalar) and another")
            if FilingAlphabet.firstLetter(of: bytes[...])?.scalar != scalar {
                Issue.record("\(String(value, radix: 16)) does not come back")
            }
        }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { self + String(repeating: "0", count: count - self.count) }
}
