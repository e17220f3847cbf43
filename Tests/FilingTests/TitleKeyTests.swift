import Testing

@testable import Filing

@Suite struct TitleKeyTests {
    private func key(_ title: String, sortTitle: String? = nil, language: String? = nil) -> String {
        FilingKeyText.text(of: bytes(title, sortTitle: sortTitle, language: language), tailoring: .standard)
    }

    private func bytes(_ title: String, sortTitle: String? = nil, language: String? = nil) -> [UInt8] {
        TitleKey.make(title: title, sortTitle: sortTitle, language: language, filing: .standard)
    }

    private func prefix(_ query: String) -> String {
        FilingKeyText.text(of: TitleKey.searchPrefix(query, filing: .standard), tailoring: .standard)
    }

    @Test(arguments: [
        ("The Hobbit", "hobbit"),
        ("  The   Hobbit  ", "hobbit"),
        ("THE HOBBIT", "hobbit"),
        ("A Wizard of Earthsea", "wizard of earthsea"),
        ("An Unsuitable Job for a Woman", "unsuitable job for a woman"),
        ("“The Raven” and Other Poems", "raven and other poems"),
        ("‘A Rose for Émile’", "rose for emile"),
        ("Theatre", "theatre"),
        ("Anathem", "anathem"),
        ("Antic Hay", "antic hay"),
    ])
    func `an English leading article is not filed`(title: String, expected: String) {
        #expect(key(title) == expected)
    }

    @Test(arguments: [
        ("A", "a"),
        ("The", "the"),
        ("The ...", "the"),
        ("A-Z of Birds", "a z of birds"),
        ("\"A\" Is for Alibi", "a is for alibi"),
        ("A. B. C.", "a b c"),
        ("The: A Study", "the a study"),
        ("É a vida", "e a vida"),
    ])
    func `a word that only looks like an article stays`(title: String, expected: String) {
        #expect(key(title) == expected)
    }

    @Test(arguments: [
        ("Catch-22", "catch 22"),
        ("'Salem's Lot", "salems lot"),
        ("’Tis", "tis"),
        ("AC/DC: The Story", "ac dc the story"),
        ("The City & the City", "city the city"),
        ("11/22/63", "11 22 63"),
        ("Love★Com, Vol. 1", "love com vol 1"),
        ("What?! -- (No)", "what no"),
        ("Tab\tand\nline", "tab and line"),
        ("soft\u{AD}hyphen", "softhyphen"),
    ])
    func `punctuation is a blank and an apostrophe nothing`(title: String, expected: String) {
        #expect(key(title) == expected)
    }

    @Test(arguments: [
        ("Émile", "emile"),
        ("Über den Fluß", "uber den fluss"),
        ("Ærø", "aero"),
        ("Łódź", "lodz"),
        ("Đường", "duong"),
        ("Þórsmörk", "thorsmork"),
        ("İstanbul ışığı", "istanbul isigi"),
        ("Ệ", "e"),
        ("Œuvres", "oeuvres"),
        ("ﬁn", "fin"),
        ("Henry Ⅷ", "henry viii"),
        ("ＡＢＣ１２", "abc12"),
        ("٣ قصص", "3 قصص"),
    ])
    func `a letter files as its base letters`(title: String, expected: String) {
        #expect(key(title) == expected)
    }

    @Test(arguments: [
        ("Война и мир", "война и мир"),
        ("Ёлка", "елка"),
        ("Οδύσσεια", "οδυσσεια"),
        ("ΟΔΥΣΣΕΎΣ", "οδυσσευσ"),
        ("吾輩は猫である", "吾輩は猫てある"),
        ("ﺃلف", "الف"),
        ("أَلْف", "الف"),
        ("कि", "कि"),
        ("한국", "한국"),
    ])
    func `other scripts stay, in small letters and without their optional marks`(title: String, expected: String) {
        // By scalars: String's own == would call different bytes equal.
        #expect(Array(key(title).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(arguments: [
        ("Émile", "E\u{301}mile"), ("Ệ", "E\u{323}\u{302}"), ("ガン", "カ\u{3099}ン"), ("Ё", "Е\u{308}"),
        ("ᾷ", "α\u{342}\u{345}"), ("\u{212B}", "A\u{30A}"), ("שׁ", "ש\u{5C1}"), ("آ", "ا\u{653}"),
        ("Åäö", "A\u{30A}a\u{308}o\u{308}"), ("Ñandú", "N\u{303}andu\u{301}"), ("Müller", "Mu\u{308}ller"),
        ("Йод", "И\u{306}од"), ("її", "і\u{308}і\u{308}"), ("ў", "у\u{306}"), ("ѓ ќ", "г\u{301} к\u{301}"),
        ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"), ("각", "가\u{11A8}"), ("ড়", "ড\u{9BC}"),
        ("aä", "aa\u{308}"), ("豈", "\u{F900}"),
    ])
    func `both spellings of a character give one key`(composed: String, decomposed: String) {
        for filing in FilingTailoring.allCases {
            #expect(
                TitleKey.make(title: composed, sortTitle: nil, language: nil, filing: filing)
                    == TitleKey.make(title: decomposed, sortTitle: nil, language: nil, filing: filing))
        }
    }

    @Test func `only English and unknown languages have English articles`() {
        #expect(key("A Hard Rain", language: "en") == "hard rain")
        #expect(key("A Hard Rain", language: "en-GB") == "hard rain")
        #expect(key("A Hard Rain", language: "eng") == "hard rain")
        #expect(key("A Hard Rain", language: "") == "hard rain")
        #expect(key("A hora da estrela", language: "cs") == "a hora da estrela")
        #expect(key("The Hobbit", language: "fr") == "the hobbit")
    }

    @Test func `a filing title wins over the rules`() {
        #expect(key("The Hobbit", sortTitle: "There and Back Again") == "there and back again")
        #expect(key("Le Petit Prince", sortTitle: "Petit Prince, Le") == "petit prince le")
        #expect(key("The Who", sortTitle: "The Who") == "the who")
        #expect(key("The Hobbit", sortTitle: "") == "hobbit")
        #expect(key("The Hobbit", sortTitle: "—") == "hobbit")
    }

    @Test func `a title of punctuation files as written`() {
        #expect(key("!!!") == "!!!")
        #expect(key(" ?  ! ") == "? !")
        #expect(key("★") == "★")
        #expect(key("") == "")
        #expect(key("\u{1}\n") == "")
        #expect(prefix("!!") == "!!")
    }

    @Test func `titles file word by word, nothing before something`() {
        let inOrder = [
            "", "!!!", "1984", "A", "The A.B.C. Murders", "The Alchemist", "Émile", "New Moon", "New York", "Newark",
            "The Newsboys", "Zadig", "Βίβλος", "Анна Каренина",
        ]
        let keys = inOrder.map { bytes($0) }
        for (one, next) in zip(keys, keys.dropFirst()) {
            #expect(one.lexicographicallyPrecedes(next), "\(String(decoding: one, as: UTF8.self))")
        }
    }

    @Test func `a key ends at a whole character within 160 bytes and holds no control character`() {
        for title in [
            String(repeating: "あ", count: 400), "x" + String(repeating: "Ж", count: 400),
            String(repeating: "a ", count: 300), String(repeating: "😀", count: 200), String(repeating: "ß", count: 200),
        ] {
            let key = bytes(title)
            #expect(key.count <= 160 && key.count > 156)
            #expect(!FilingKeyText.text(of: key, tailoring: .standard).unicodeScalars.contains("\u{FFFD}"))
            #expect(key.allSatisfy { $0 >= 0x20 && $0 < 0xFF })
            #expect(key.last != 0x20)
        }
    }

    @Test func `folding a key again changes nothing`() {
        for title in ["The Hobbit", "Émile — ou de l’éducation", "Война и мир", "ガンダム", "Ǆungla", "ᾷ"] {
            let once = FoldedText(title)
            #expect(FoldedText(utf8: once.bytes[...]) == once)
        }
    }

    @Test(arguments: [
        ("the hob", "hob"), ("The Hob", "hob"), ("the", "the"), ("the ", "the"), ("a", "a"), ("an ice", "ice"),
        ("theat", "theat"), ("émi", "emi"), ("", ""), ("  ", ""), ("\u{3000}", ""), ("\u{A0}\u{200B}", ""),
        ("new york", "new york"), ("new ", "new"),
    ])
    func `a typed prefix folds as titles do`(query: String, expected: String) {
        #expect(prefix(query) == expected)
    }

    @Test func `the typed start of a title finds it`() {
        for title in ["The Hobbit", "A Wizard of Earthsea", "Émile", "Catch-22", "'Salem's Lot", "Война и мир"] {
            let key = bytes(title)
            var typed = ""
            for character in title {
                typed.append(character)
                // An article may still become another word; punctuation alone is looked for as written.
                // A number that goes on is another.
                if ["t", "th", "the", "a", "'", "catch 2"].contains(prefix(typed)) { continue }
                #expect(key.starts(with: TitleKey.searchPrefix(typed, filing: .standard)), "\(typed)")
            }
        }
    }

    @Test func `the folding table is whole`() {
        #expect(FoldingTable.unicodeVersion == "14.0.0")
        let groups = FoldingTable.replaced.unicodeScalars.split { $0 == " " || $0 == "\n" }
        #expect(groups.map { $0.split(separator: "=")[1].count }.reduce(0, +) == 3756)
        #expect(FoldingTable.composed.unicodeScalars.split { $0 == " " || $0 == "\n" }.count == 330)
        for value in UInt32(0x80)...0x2FFFF {
            guard case .replaced(let range) = Folding.shared.rule(for: value) else { continue }
            #expect(!range.isEmpty && Folding.shared.replacements[range].allSatisfy { $0 >= 0x20 })
        }
    }
}
