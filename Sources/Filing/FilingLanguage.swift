/// What the language of a title does to its filing: its articles, and how it groups digits.
package struct FilingLanguage: Sendable {
    private var articles: [Article] = []
    private var names: [[UInt8]] = []
    private(set) var groupsByPeriod = false
    private var longestByteCount = 0

    fileprivate struct Article: Sendable {
        enum Joint { case blank, apostrophe, hyphen, letters }

        /// Folded, except for that of Arabic.
        let letters: [UInt8]
        let joint: Joint
        let beginsWithApostrophe: Bool
    }

    static let english = language(of: "eng") ?? FilingLanguage(articles: Array("a an the".utf8)[...])

    /// The language of a code, `de`, `deu` or `de-AT`, or of an English name. Of several the first: `de/en`.
    ///
    /// Unknown languages, and those nobody noted, count as English: most sources do not say, and their other titles
    /// rarely begin with English articles.
    static func named(_ name: String?) -> FilingLanguage {
        guard let name, !name.isEmpty, name != "en", name != "eng" else { return english }
        // Most codes are found as they are; the rest costs more than the whole key of a title.
        if let language = language(of: name) { return language }
        let primary = name.prefix { $0.isLetter }.lowercased()
        return language(of: primary) ?? english
    }

    private static func language(of code: String) -> FilingLanguage? { indexByCode[code].map { all[$0] } }

    /// Every language, and the byte count of the longest article. Read byte by byte, because the first title of each process waits for it.
    private static let (all, indexByCode, longestByteCount): ([FilingLanguage], [String: Int], Int) = {
        let (blank, bar, newline) = (UInt8(ascii: " "), UInt8(ascii: "|"), UInt8(ascii: "\n"))
        var all: [FilingLanguage] = []
        var indexByCode: [String: Int] = [:]
        for line in Array(ArticleTable.languages.utf8).split(separator: newline) {
            let parts = line.split(separator: bar, omittingEmptySubsequences: false)
            for code in parts[0].split(separator: blank) {
                indexByCode[String(decoding: code, as: UTF8.self)] = all.count
            }
            all.append(FilingLanguage(articles: parts[1]))
        }
        let longestByteCount = all.map(\.longestByteCount).max() ?? 0
        for name in Array(ArticleTable.names.utf8).split(whereSeparator: { $0 == bar || $0 == newline }) {
            let word = LeadingWord(name, longestByteCount: longestByteCount)
            for index in all.indices where all[index].textAfterArticle(in: name, word) != nil {
                all[index].names.append(Array(name))
            }
        }
        return (all, indexByCode, longestByteCount)
    }()

    /// The articles of any language that are words of three letters or more, each once, folded.
    package static let longArticles: [[UInt8]] = {
        let long = all.flatMap(\.articles).filter { $0.joint == .blank && $0.letters.count >= 3 }.map(\.letters)
        return Array(Set(long)).sorted { $0.lexicographicallyPrecedes($1) }
    }()

    private init(articles text: ArraySlice<UInt8>) {
        for word in text.split(separator: UInt8(ascii: " ")) {
            guard word != [UInt8(ascii: ".")] else {
                groupsByPeriod = true
                continue
            }
            let joint: Article.Joint =
                switch word.last {
                case UInt8(ascii: "'"): .apostrophe
                case UInt8(ascii: "-"): .hyphen
                default: word.elementsEqual(Self.al) ? .letters : .blank
                }
            let letters = FoldedText(utf8: word).bytes
            articles.append(
                Article(letters: letters, joint: joint, beginsWithApostrophe: word.first == UInt8(ascii: "'")))
            longestByteCount = max(longestByteCount, 2 * letters.count + 4)
        }
    }

    /// The text behind a leading article of the language; `nil` where there is none, or where it is part of a name.
    ///
    /// The article is a word of its own with a blank behind it, or joined by its own apostrophe or hyphen. So
    /// `“The Raven” and Other Poems` has one, and `A-Z of Birds`, `"A" Is for Alibi` and `A. B. C.` have none.
    func textAfterArticle(in utf8: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        textAfterArticle(in: utf8, LeadingWord(utf8, longestByteCount: longestByteCount))
    }

    private func textAfterArticle(in utf8: ArraySlice<UInt8>, _ word: LeadingWord) -> ArraySlice<UInt8>? {
        guard !articles.isEmpty else { return nil }
        guard word.ending != .other else { return articles[0].joint == .letters ? textAfterAl(utf8) : nil }
        for article in articles where article.matches(word) {
            let isName = names.contains { Self.begins(utf8[word.start...], with: $0) }
            return isName || article.isPreposition(before: word.rest) ? nil : word.rest
        }
        return articles[0].joint == .letters ? textAfterAl(utf8) : nil
    }

    /// The texts behind a leading article of any language, each once.
    static func textsAfterArticles(in utf8: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var rests: [ArraySlice<UInt8>] = []
        let word = LeadingWord(utf8, longestByteCount: longestByteCount)
        for language in all {
            guard let rest = language.textAfterArticle(in: utf8, word),
                !rests.contains(where: { $0.startIndex == rest.startIndex })
            else { continue }
            rests.append(rest)
        }
        return rests
    }

    /// As printed, and with no further letter behind; every apostrophe counts as the plain one.
    private static func begins(_ text: ArraySlice<UInt8>, with name: [UInt8]) -> Bool {
        var index = text.startIndex
        for byte in name {
            guard index < text.endIndex else { return false }
            if byte == UInt8(ascii: "'") {
                guard let end = LeadingWord.endOfApostrophe(text, at: index) else { return false }
                index = end
            } else {
                guard text[index] == byte else { return false }
                index += 1
            }
        }
        return index == text.endIndex || !LeadingWord.isLetter(text[index])
    }

    /// The Arabic article is written as one with its word: two letters, behind which at least two more follow. God's name
    /// and the relative pronouns keep it, and not the words that begin as they do.
    private func textAfterAl(_ utf8: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let text = LeadingArticle.withoutOpening(utf8)
        guard text.starts(with: Self.al), text.dropFirst(Self.al.count).prefix(4).allSatisfy({ $0 >= 0x80 }),
            text.count >= Self.al.count + 4, !Self.wordsWithAl.contains(where: { Self.begins(text, withWord: $0) })
        else { return nil }
        return text.dropFirst(Self.al.count)
    }

    /// Whatever vowel sign is behind it.
    private static func begins(_ text: ArraySlice<UInt8>, withWord word: [UInt8]) -> Bool {
        guard text.starts(with: word) else { return false }
        let rest = text.dropFirst(word.count)
        let isVowelled = rest.count > 1 && rest.first == 0xD9 && (0x8B...0x92).contains(rest[rest.startIndex + 1])
        let behind = rest.dropFirst(isVowelled ? 2 : 0)
        return behind.first.map { !LeadingWord.isLetter($0) } ?? true
    }

    /// The Arabic article.
    private static let al = Array("ال".utf8)

    private static let wordsWithAl = [
        "الله", "اللهم", "الذي", "التي", "الذين", "اللذان", "اللذين", "اللتان", "اللتين", "اللاتي", "اللواتي", "اللائي",
        "الى",
    ].map { Array($0.utf8) }
}

extension FilingLanguage.Article {
    fileprivate func matches(_ word: LeadingWord) -> Bool {
        switch joint {
        case .blank: word.ending == .blank && (word.beginsWithApostrophe || !beginsWithApostrophe) && word.is(letters)
        case .apostrophe: word.ending == .apostrophe && word.is(letters)
        case .hyphen: word.ending == .hyphen && word.is(letters)
        case .letters: false
        }
    }

    /// The elided `d'` is an article before a plain noun or adjective; before a name, `D'Artagnan`, and before another
    /// article, `D'un château l'autre`, it is a preposition or part of the name.
    fileprivate func isPreposition(before rest: ArraySlice<UInt8>) -> Bool {
        guard joint == .apostrophe, letters == [UInt8(ascii: "d")], let next = rest.first else { return false }
        let isCapital =
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(next)
            || next == 0xC3 && (0x80...0x9E).contains(rest.dropFirst().first ?? 0)
        let word = rest.prefix(while: LeadingWord.isLetter)
        return isCapital || word.elementsEqual("un".utf8) || word.elementsEqual("une".utf8)
    }
}
