/// Invents titles, names and sentences.
struct SampleInvention {
    var random: SampleRandom

    struct Title {
        var title: String
        var subtitle: String?
    }

    mutating func title(in language: SampleLanguage) -> Title {
        if language.nouns.isEmpty { return englishTitle() }
        let noun = random.commonElement(language.nouns)
        let isJapanese = language.code == "ja"
        switch random.below(10) {
        case 0:
            return Title(title: noun)
        case 1..<4:
            let other = random.element(language.nouns)
            if isJapanese { return Title(title: noun + language.and + other) }
            return Title(title: "\(noun) \(language.and) \(Self.smallInitial(other))")
        case 4..<9:
            if isJapanese { return Title(title: place() + language.of + noun) }
            return Title(title: "\(noun) \(language.of) \(place())")
        default:
            return Title(title: "\(place()): \(noun)")
        }
    }

    mutating func name(in language: SampleLanguage) -> String {
        let family = familyName(in: language)
        let given = random.commonElement(language.givenNames)
        if language.code == "ja" { return "\(family) \(given)" }
        switch random.below(20) {
        case 0..<4: return "\(given) \(initial()) \(family)"
        case 4: return "\(initial()) \(initial()) \(family)"
        case 5: return "\(given) \(family)-\(familyName(in: language))"
        case 6 where language.code == "nl": return "\(given) van \(family)"
        case 6 where language.code == "de": return "\(given) von \(family)"
        case 7 where language.code == "en": return "\(given) \(family) Jr."
        default: return "\(given) \(family)"
        }
    }

    mutating func seriesName() -> String {
        switch random.below(4) {
        case 0: "The \(noun()) \(random.element(["Saga", "Trilogy", "Chronicles", "Sequence", "Quartet"]))"
        case 1: "\(place()) \(random.element(["Mysteries", "Tales", "Cycle"]))"
        case 2: "\(adjective()) \(nouns())"
        default: "Books of \(place())"
        }
    }

    /// Two to five sentences.
    mutating func description() -> String {
        (0..<2 + random.below(4)).map { _ in sentence() }.joined(separator: " ")
    }

    mutating func sentence() -> String {
        let noun = random.commonElement(SampleWords.nouns)
        let other = random.commonElement(SampleWords.nouns)
        let small = random.element(SampleWords.adjectives)
        return switch random.below(6) {
        case 0: "In \(place()), \(withArticle(noun)) meets \(withArticle(other)) and nothing stays as it was."
        case 1: "When the \(small) \(noun) disappears, only the \(other) knows why."
        case 2: "\(capitalised(withArticle(small))) story of \(withArticle(noun)) and \(withArticle(other))."
        case 3: "“\(plural(noun)) do not lie,” she says; the \(other) does."
        case 4: "With \(2 + random.below(60)) maps and a note on the \(noun)."
        default: "It begins with \(withArticle(noun)) and ends in \(place())."
        }
    }

    mutating func place() -> String {
        let middle = random.percent(60) ? random.element(SampleWords.syllables) : ""
        return capitalised(random.element(SampleWords.syllables) + middle + random.element(SampleWords.placeEndings))
    }

    private mutating func englishTitle() -> Title {
        switch random.below(20) {
        case 0..<3: Title(title: "The \(adjective()) \(noun())")
        case 3..<5: Title(title: "The \(noun()) of \(place())")
        case 5..<7: Title(title: "The \(adjective()) \(noun()) of \(place())")
        case 7: Title(title: "The \(noun()) and the \(adjective()) \(noun())")
        case 8: Title(title: "\(capitalised(withArticle(adjective()))) \(noun()) for \(givenName())")
        case 9: Title(title: "The \(noun())’s \(adjective()) \(noun())")
        case 10: Title(title: "\(random.element(SampleWords.numbers)) \(adjective()) \(nouns())")
        case 11: Title(title: "\(capitalised(random.element(SampleWords.verbs))) the \(noun()) of \(place())")
        case 12: Title(title: "\(adjective()) \(nouns()), \(adjective()) \(nouns())")
        case 13: Title(title: place(), subtitle: "A History in \(2 + random.below(90)) Objects")
        case 14: Title(title: "How to Draw \(adjective()) \(nouns())")
        case 15: Title(title: "\(noun()), \(noun()), \(noun())")
        case 16: Title(title: "Of \(nouns()) and \(adjective()) \(nouns())")
        case 17: Title(title: "\(givenName()) and the \(noun()) of \(place())")
        case 18: Title(title: "\(noun())", subtitle: "A Novel")
        default: Title(title: "\(place()) \(noun())")
        }
    }

    private mutating func givenName() -> String {
        random.element(SampleLanguage.english.givenNames)
    }

    private mutating func noun() -> String {
        capitalised(random.commonElement(SampleWords.nouns))
    }

    private mutating func nouns() -> String {
        plural(random.commonElement(SampleWords.nouns))
    }

    private mutating func familyName(in language: SampleLanguage) -> String {
        random.element(language.familyBeginnings) + random.element(language.familyEndings)
    }

    private mutating func adjective() -> String {
        capitalised(random.element(SampleWords.adjectives))
    }

    private mutating func initial() -> String {
        "\(UnicodeScalar(UInt8(ascii: "A") + UInt8(random.below(23))))."
    }

    private func withArticle(_ word: String) -> String {
        ("aeiouAEIOU".contains(word.prefix(1)) ? "an " : "a ") + word
    }

    private func capitalised(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    private func plural(_ word: String) -> String {
        let word = capitalised(word)
        if word.hasSuffix("s") || word.hasSuffix("ch") || word.hasSuffix("x") { return word + "es" }
        if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
            return word.dropLast() + "ies"
        }
        if word.hasSuffix("f") { return word.dropLast() + "ves" }
        return word + "s"
    }

    /// "Die Brücke" behind "und" is "die Brücke".
    private static func smallInitial(_ title: String) -> String {
        title.prefix(1).lowercased() + title.dropFirst()
    }
}
