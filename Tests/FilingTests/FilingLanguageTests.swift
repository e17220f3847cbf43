import Testing

@testable import Filing

@Suite struct FilingLanguageTests {
    private func key(_ title: String, _ language: String?) -> String {
        let key = TitleKey.make(title: title, sortTitle: nil, language: language, filing: .standard)
        return FilingKeyText.text(of: key, tailoring: .standard)
    }

    @Test(arguments: [
        ("Der Zauberberg", "de", "zauberberg"), ("Eines Tages", "ger", "tages"),
        ("Les Misérables", "fre", "miserables"),
        ("El Aleph", "spa", "aleph"), ("I promessi sposi", "it", "promessi sposi"),
        ("Os Lusíadas", "pt-BR", "lusiadas"),
        ("Het Achterhuis", "dut", "achterhuis"), ("Ett drömspel", "sv_SE", "dromspel"), ("Az ajtó", "hu", "ajto"),
        ("Et dukkehjem", "Norwegian Bokmål", "dukkehjem"), ("Det syvende barn", "dan", "syvende barn"),
        ("Els sots feréstecs", "Catalan", "sots ferestecs"), ("O scrisoare", "rum", "scrisoare"),
        ("Bir gün", "tur", "gun"), ("Η Φόνισσα", "gre", "φονισσα"), ("Ένας άντρας", "ell", "αντρασ"),
        ("La Infana Raso", "epo", "infana raso"), ("An Béal Bocht", "gle", "beal bocht"), ("Y ddwy", "wel", "ddwy"),
        ("דער דיבוק", "yi", "דיבוק"), ("דאָס בוך", "Yiddish", "בוכ"), ("الأيام", "ara", "ايام"),
        ("اللهب المقدس", "ar", "لهب المقدس"), ("التيه", "ar", "تيه"), ("An ti", "br", "ti"),
        ("Il-ktieb", "mt", "ktieb"), ("Os vellos", "glg", "vellos"), ("The Hobbit", "GERMAN", "the hobbit"),
    ])
    func `a title loses an article of its own language`(title: String, language: String, expected: String) {
        #expect(key(title, language) == expected)
    }

    @Test(arguments: [
        ("Die Hard", "en"), ("I, Robot", "en"), ("Le Mans 1955", "en"), ("A hora", "pl"), ("A", "fr"),
        ("The Book", "ru"),
        ("The Book", "jpn"), ("An", "zh-Hant"), ("A talo", "finnish"), ("Des Moines", "de"), ("الله", "ar"),
        ("الله\u{64F}", "ar"), ("اللهم", "ar"), ("الذي رأى", "ar"),
        ("A se", "la"), ("الأيام", "fa"), ("O", "pt"), ("L'", "fr"), ("Un", "es"), ("ألف ليلة", "ar"),
        ("De la Terre", "fr"),
    ])
    func `a word that is no article of the title's language stays`(title: String, language: String) {
        let whole = FilingKeyWriter.key(Array(title.utf8)[...], limit: 160, tailoring: .standard)
        #expect(key(title, language) == FilingKeyText.text(of: whole, tailoring: .standard))
    }

    @Test(arguments: ["'", "’", "‘", "ʼ", "´", "`", "′", "＇"])
    func `an elided article joins with any apostrophe`(apostrophe: String) {
        #expect(key("L\(apostrophe)Étranger", "fr") == "etranger")
        #expect(key("Un\(apostrophe)estate", "it") == "estate")
        #expect(key("D\(apostrophe)autres vies", "fra") == "autres vies")
        #expect(key("\(apostrophe)n Zomer", "nl") == "zomer")
        #expect(key("“\(apostrophe)t Huis”", "nl") == "huis")
        #expect(key("L\(apostrophe)Aquila bella", "it") == "laquila bella")
    }

    @Test func `d' stays before a name and before another article`() {
        #expect(key("D'Artagnan", "fr") == "dartagnan")
        #expect(key("D’Émile", "fr") == "demile")
        #expect(key("D'un château l'autre", "fr") == "dun chateau lautre")
    }

    @Test(arguments: [
        ("Los Angeles", "es", "los angeles"), ("Los ángeles", "es", "angeles"), ("El Paso", "es", "el paso"),
        ("El paso", "es", "paso"), ("La Paz: guía", "es", "la paz guia"), ("Le Corbusier", "fr", "le corbusier"),
        ("Le Mansard", "fr", "mansard"), ("A Is for Alibi", "en", "a is for alibi"), ("A Island", "en", "island"),
        ("A & P", nil, "a p"), ("A to Z", nil, "a to z"), ("Las Vegas", nil, "las vegas"),
    ])
    func `an article that belongs to a name stays`(title: String, language: String?, expected: String) {
        #expect(key(title, language) == expected)
    }

    @Test func `a language nobody noted or knows counts as English, one without articles does not`() {
        for language in [nil, "", "und", "Klingon", "en-GB", "enm"] { #expect(key("The Door", language) == "door") }
        for language in ["rus", "Polish", "ja-JP", "fin", "kor", "lat"] {
            #expect(key("The Door", language) == "the door")
        }
        #expect(key("Die Tür", "de/en") == "tur")
    }

    @Test func `every language of the table is found by each of its codes, which no other has`() {
        let codes = ArticleTable.languages.split(separator: "\n").flatMap {
            $0.prefix { $0 != "|" }.split(separator: " ").map(String.init)
        }
        #expect(Set(codes).count == codes.count)
        #expect(ArticleTable.languages.split(separator: "\n").filter { !$0.hasSuffix("|") }.count >= 40)
    }
}
