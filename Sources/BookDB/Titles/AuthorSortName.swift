/// The name an author is filed under: family name first.
enum AuthorSortName {
    static let maximumKeyByteCount = 96

    /// "J. R. R. Tolkien" gives "Tolkien, J. R. R.".
    ///
    /// Rules, the first that fits:
    /// 1. A remark in brackets is dropped: "Ann Lee (Translator)".
    /// 2. A name with a comma is in filing order already, unless only a suffix follows: "Martin Luther King, Jr.".
    /// 3. Names in Han, Kana or Hangul put the family first already.
    /// 4. Names of groups stay: those with "and", "of", "&", a leading "The", or a word such as Inc, Society, Press.
    /// 5. Otherwise the last word goes first. A suffix (Jr., III) and a capitalised particle (Le Guin, Van Vogt) go
    ///    with it, as do du, des, le and la; a small particle stays behind (Beethoven, Ludwig van).
    static func derive(from name: String) -> String {
        let name = withoutBrackets(name)
        var words = name.split(whereSeparator: \.isWhitespace).map(String.init)
        let whole = words.joined(separator: " ")
        if let comma = whole.firstIndex(of: ",") {
            let behind = whole[whole.index(after: comma)...].split(separator: " ")
            guard behind.count == 1, isSuffix(behind[0]) else { return whole }
            words = words.map { $0.last == "," ? String($0.dropLast()) : $0 }
        }
        guard words.count > 1, !isFamilyFirst(whole), !isGroup(words) else { return whole }

        var suffix: String?
        if words.count > 2, isSuffix(words[words.count - 1]) {
            suffix = words.removeLast()
        }
        var familyStart = words.count - 1
        while familyStart > 1, isFamilyParticle(words[familyStart - 1]) {
            familyStart -= 1
        }
        let family = words[familyStart...] + (suffix.map { [$0] } ?? [])
        return family.joined(separator: " ") + ", " + words[..<familyStart].joined(separator: " ")
    }

    /// What authors are ordered by: at most 96 bytes, none below 0x20.
    ///
    /// The comma files as two blanks and so before a blank: every Smith comes before Smith Jones.
    static func key(_ sortName: String) -> [UInt8] {
        let utf8 = Array(sortName.utf8)
        guard let comma = utf8.firstIndex(of: UInt8(ascii: ",")) else {
            return FoldedText(utf8: utf8[...], limit: maximumKeyByteCount).bytes
        }
        var key = FoldedText(utf8: utf8[..<comma], limit: maximumKeyByteCount).bytes
        let given = FoldedText(utf8: utf8[(comma + 1)...], limit: max(0, maximumKeyByteCount - key.count - 2)).bytes
        if !given.isEmpty {
            if !key.isEmpty { key += [UInt8(ascii: " "), UInt8(ascii: " ")] }
            key += given
        }
        return key
    }

    private static let suffixes: Set<String> = [
        "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d.", "md", "m.d.",
    ]
    /// Capitalised, these begin a family name; so do the last four in any case, for French keeps them there.
    private static let familyParticles: Set<String> = [
        "Van", "Von", "De", "Da", "Di", "Del", "Della", "Dos", "Ter", "Le", "La", "Les", "Du", "Des", "St.", "San",
        "Mac", "Ben", "Al", "El", "du", "des", "le", "la",
    ]
    private static let groupWords: Set<String> = [
        "and", "of", "&", "for", "inc", "inc.", "ltd", "ltd.", "society", "company", "press", "team", "institute",
        "university", "association", "magazine", "editors", "staff", "museum", "committee",
    ]

    private static func isSuffix(_ word: some StringProtocol) -> Bool {
        suffixes.contains(word.lowercased())
    }

    private static func isFamilyParticle(_ word: String) -> Bool {
        familyParticles.contains(word)
    }

    private static func isGroup(_ words: [String]) -> Bool {
        words.first?.lowercased() == "the" || words.contains { groupWords.contains($0.lowercased()) }
    }

    private static func isFamilyFirst(_ name: String) -> Bool {
        name.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }

    private static func withoutBrackets(_ name: String) -> String {
        var depth = 0
        var kept = ""
        for character in name {
            if character == "(" {
                depth += 1
            } else if character == ")" {
                depth = max(0, depth - 1)
            } else if depth == 0 {
                kept.append(character)
            }
        }
        return kept.contains { !$0.isWhitespace } ? kept : name
    }
}
