/// The name an author is filed under: family name first.
package enum AuthorSortName {
    static let maximumKeyByteCount = 96

    /// "J. R. R. Tolkien" gives "Tolkien, J. R. R.".
    ///
    /// Rules, the first that fits:
    /// 1. A remark in brackets is dropped: "Ann Lee (Translator)". So is a title that is not part of the name: "Dr".
    /// 2. A name with a comma is in filing order already, unless only suffixes follow: "Martin Luther King, Jr.".
    /// 3. Names in Han, Kana or Hangul put the family first already; names that begin with Ibn have no family name.
    /// 4. Names of groups stay: those with "and", "of", "&", a leading "The", or a word such as Inc, Society, Press.
    /// 5. A family name of several words that is known goes first as a whole: "García Márquez", "de la Mare".
    /// 6. Otherwise the last word goes first. Suffixes (Jr., III, PhD) and a capitalised particle (Le Guin, Van Vogt) go
    ///    with it, as do bin, ibn, du, des, le and la; a small particle stays behind (Beethoven, Ludwig van), and with it
    ///    a "la" behind "de" (Cruz, Juana Inés de la).
    package static func derive(from name: String) -> String {
        let name = withoutBrackets(name)
        var words = name.split(whereSeparator: \.isWhitespace).map(String.init)
        let whole = words.joined(separator: " ")
        let suffixStart = words.firstIndex { $0.last == "," }
        if whole.contains(",") {
            guard let suffixStart, suffixStart > 0, words[(suffixStart + 1)...].allSatisfy({ isSuffix(bare($0)) }),
                words.count > suffixStart + 1
            else { return whole }
            words = words.map(bare)
        }
        guard words.count > 1, !isFamilyFirst(whole), !isGroup(words) else { return whole }
        let titles = words.dropLast(2).prefix { AuthorNameTable.titles.contains($0.lowercased()) }
        words.removeFirst(titles.count)
        if words.count == 2, AuthorNameTable.titles.contains(words[0].lowercased()) { return words[1] }

        var suffixes: [String] = []
        while words.count > 2, isSuffix(words[words.count - 1]) { suffixes.append(words.removeLast()) }
        suffixes.reverse()
        let familyStart = familyStart(of: words)
        let family = words[familyStart...] + suffixes
        guard familyStart > 0 else { return family.joined(separator: " ") }
        return family.joined(separator: " ") + ", " + words[..<familyStart].joined(separator: " ")
    }

    /// What authors are ordered by: at most 96 bytes, none below 0x20 and none 0xFF.
    ///
    /// The comma files as two blanks and so before a blank: every Smith comes before Smith Jones.
    package static func key(_ sortName: String, filing: FilingTailoring) -> [UInt8] {
        let utf8 = Array(sortName.utf8)
        guard let comma = utf8.firstIndex(of: UInt8(ascii: ",")) else {
            return FilingKeyWriter.key(utf8[...], limit: maximumKeyByteCount, tailoring: filing)
        }
        var key = FilingKeyWriter.key(utf8[..<comma], limit: maximumKeyByteCount, tailoring: filing)
        let room = max(0, maximumKeyByteCount - key.count - 2)
        let given = FilingKeyWriter.key(utf8[(comma + 1)...], limit: room, tailoring: filing)
        if !given.isEmpty {
            if !key.isEmpty { key += [UInt8(ascii: " "), UInt8(ascii: " ")] }
            key += given
        }
        return key
    }

    // MARK: Pieces

    /// The index of the word the family name begins with.
    private static func familyStart(of words: [String]) -> Int {
        for count in stride(from: min(4, words.count), through: 2, by: -1)
        where AuthorNameTable.families.contains(words.suffix(count).joined(separator: " ")) {
            return words.count - count
        }
        var start = words.count - 1
        while start > 1, AuthorNameTable.familyParticles.contains(words[start - 1]) {
            let isBehindDe = words[start - 1] == "la" && start > 2 && words[start - 2] == "de"
            guard !isBehindDe else { break }
            start -= 1
        }
        return start
    }

    private static func bare(_ word: String) -> String { word.last == "," ? String(word.dropLast()) : word }

    private static func isSuffix(_ word: String) -> Bool {
        AuthorNameTable.suffixes.contains(word.lowercased())
    }

    private static func isGroup(_ words: [String]) -> Bool {
        words.first?.lowercased() == "the" || words.contains { AuthorNameTable.groupWords.contains($0.lowercased()) }
    }

    private static func isFamilyFirst(_ name: String) -> Bool {
        name.hasPrefix("Ibn ")
            || name.unicodeScalars.contains { scalar in
                switch scalar.value {
                case 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
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
        return kept.isBlank ? name : kept
    }
}
