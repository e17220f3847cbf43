import StorageEngine

@testable import BookDB
@testable import RecordStore
@testable import Filing

/// A search the slow and obvious way: every record read whole, every word compared with every word.
struct SearchOracle {
    private struct Row {
        let id: ID<Work>
        let key: [UInt8]
        let fields: [[UInt8]]
        let details: WorkDetails

        var line: [UInt8] { Array(fields.joined(separator: [0x1E])) }
        var words: [[UInt8]] { fields.flatMap { $0.split(separator: 0x20).map(Array.init) } }
        var signalCount: Int {
            guard let entry = details.entry else { return 0 }
            return (entry.status == .none ? 0 : 1) + (entry.rating == nil ? 0 : 1) + (entry.isOwned ? 1 : 0)
        }
    }

    /// In title order.
    private let rows: [Row]
    private let scope: SearchScope
    private let matching: WordMatching

    init(
        _ snapshot: Snapshot, _ scope: SearchScope = .everything, _ matching: WordMatching = .anywhere
    ) throws {
        self.scope = scope
        self.matching = matching
        rows = try snapshot.works.list().map { item in
            let details = try snapshot.works.details(item.id)!
            let work = details.work
            let others = [work.subtitle, work.originalTitle].compactMap { $0 } + work.series.map(\.name)
            let title = FoldedText(work.title).bytes
            return Row(
                id: item.id,
                key: TitleKey.make(
                    title: work.title, sortTitle: work.sortTitle, language: work.language,
                    filing: .standard),
                fields: [title.isEmpty ? Array(work.title.utf8) : title]
                    + (scope == .titles
                        ? []
                        : [
                            FoldedText(details.authors.map(\.name).joined(separator: ", ")).bytes,
                            FoldedText(others.joined(separator: "\n")).bytes,
                        ]),
                details: details)
        }
    }

    struct Found: Equatable {
        let id: ID<Work>
        let band: SearchBand
        var missing: [String] = []
    }

    /// All matches, in order.
    func matches(_ text: String, _ filter: WorkFilter, ranked: Bool) -> [Found] {
        let words = SearchText.words(text)
        let shown = rows.indices.filter { shows(rows[$0], filter) }
        guard !words.isEmpty else { return shown.map { Found(id: rows[$0].id, band: .titleBeginning) } }
        var byBand: [SearchBand: [Int]] = [:]
        for row in shown { if let band = band(of: rows[row], text, words) { byBand[band, default: []].append(row) } }
        let typed = [SearchBand.number, .exactTitle, .titleBeginning, .wordBeginnings, .substring, .numberBeginning]
        func members(_ bands: [SearchBand]) -> [(row: Int, band: SearchBand)] {
            bands.flatMap { band in
                let rows = byBand[band] ?? []
                return (0...3).reversed().flatMap { count in rows.filter { self.rows[$0].signalCount == count } }.map {
                    ($0, band)
                }
            }
        }
        let asTyped = members(typed)
        let isMeant = !members([.number, .exactTitle, .titleBeginning]).isEmpty
        var found = asTyped
        var missing: [Int: [String]] = [:]
        if ranked ? asTyped.count < 50 && !isMeant : asTyped.isEmpty {
            let certain = Set((byBand[.wordBeginnings] ?? []) + shown.filter { hasISBN(rows[$0], text) })
            let near = nearTitles(text, words, shown).filter { !certain.contains($0) }
            found =
                members([.wordBeginnings]) + near.map { ($0, .nearTitle) }
                + members([.substring, .numberBeginning]).filter { !near.contains($0.row) }
            for band in [SearchBand.joinedWords, .typo, .twoTypos] where band != .twoTypos || found.isEmpty {
                let known = Set(found.map(\.row))
                let guessed = shown.filter { row in
                    guard !known.contains(row), !hasISBN(rows[row], text) else { return false }
                    return band == .joinedWords
                        ? joins(words, rows[row]) : edits(words, rows[row]) == (band == .typo ? 1 : 2)
                }
                found += guessed.sorted { isNearer($0, $1, words) }.map { ($0, band) }
            }
            if found.isEmpty, scope == .titles || !isISBNBeginning(text.filter { $0 != "-" && $0 != " " }) {
                let partial = someWords(words, shown)
                found = partial.map { ($0.row, .someWords) }
                for (row, words) in partial { missing[row] = words.map { String(decoding: $0, as: UTF8.self) } }
            }
        }
        if !ranked { found.sort { $0.row < $1.row } }
        return found.map { Found(id: rows[$0.row].id, band: $0.band, missing: missing[$0.row] ?? []) }
    }

    /// How many have all words as typed, or the ISBN.
    func typedCount(_ text: String, _ filter: WorkFilter) -> Int {
        let words = SearchText.words(text)
        return rows.count { shows($0, filter) && (words.isEmpty || band(of: $0, text, words) != nil) }
    }

    // MARK: Guesses

    /// Titles first that have all words, then what the reader cares for, then short titles.
    private func isNearer(_ left: Int, _ right: Int, _ words: [[UInt8]]) -> Bool {
        func rank(_ row: Int) -> (Int, Int, Int, Int) {
            let title = Row(
                id: rows[row].id, key: [], fields: [rows[row].fields[0]], details: rows[row].details)
            return (edits(words, title) <= 2 ? 0 : 1, -rows[row].signalCount, rows[row].fields[0].count, row)
        }
        return rank(left) < rank(right)
    }

    /// The nearest first.
    private func nearTitles(_ text: String, _ words: [[UInt8]], _ shown: [Int]) -> [Int] {
        let patterns = TitlePattern.all(text, words, filing: .standard)
        var distances: [Int: TitleDistance] = [:]
        func look(_ pattern: TitlePattern, _ row: Int) {
            guard let distance = Self.distance(pattern, rows[row].key) else { return }
            distances[row] = min(distances[row] ?? distance, distance)
        }
        for pattern in patterns {
            for row in shown where rows[row].key.starts(with: pattern.firstBytes) { look(pattern, row) }
        }
        if distances.isEmpty {
            for pattern in patterns where pattern.allowed > 0 {
                // A letter of ASCII is not mistaken for one of another script.
                let isPlain = pattern.firstBytes[0] < 0x80
                for row in shown where (rows[row].key[0] < 0x80) == isPlain { look(pattern.allowing(edits: 1), row) }
            }
        }
        return distances.keys.sorted { left, right in
            let (first, second) = (distances[left]!, distances[right]!)
            guard first == second else { return first < second }
            return (-rows[left].signalCount, rows[left].key.count, left)
                < (-rows[right].signalCount, rows[right].key.count, right)
        }
    }

    /// The table of distances, whole.
    static func distance(_ pattern: TitlePattern, _ key: [UInt8]) -> TitleDistance? {
        var letters: [UInt32] = []
        var ends: [Int] = []
        key.withBytes { bytes in
            var offset = 0
            while let letter = TitlePattern.letter(of: bytes, &offset) {
                letters.append(letter)
                ends.append(offset)
            }
        }
        let typed = pattern.letters
        let never = 100
        func cost(_ letter: UInt32) -> Int { TitlePattern.isOfNumber(letter) ? never : 1 }
        var table = [[0] + letters.map { _ in 0 }]
        for column in stride(from: 1, through: letters.count, by: 1) {
            table[0][column] = table[0][column - 1] + cost(letters[column - 1])
        }
        for row in stride(from: 1, through: typed.count, by: 1) {
            var line = [table[row - 1][0] + cost(typed[row - 1])]
            for column in stride(from: 1, through: letters.count, by: 1) {
                let (left, right) = (typed[row - 1], letters[column - 1])
                var least = min(table[row - 1][column] + cost(left), line[column - 1] + cost(right))
                least = min(least, table[row - 1][column - 1] + (left == right ? 0 : max(cost(left), cost(right))))
                if row > 1, column > 1, left == letters[column - 2], right == typed[row - 2], left != right {
                    least = min(least, table[row - 2][column - 2] + max(cost(left), cost(right)))
                }
                line.append(least)
            }
            table.append(line)
        }
        var nearest: TitleDistance?
        for column in stride(from: 1, through: letters.count, by: 1) where table[typed.count][column] <= pattern.allowed
        {
            let edits = table[typed.count][column]
            let next = ends[column - 1] < key.count ? key[ends[column - 1]] : 0
            let ending: TitleDistance.Ending = next < 0x20 ? .title : next == 0x20 ? .word : .letter
            if ending == .letter, edits > 1, typed.count < 12 { continue }
            let found = TitleDistance(edits: edits + pattern.spent, ending: ending)
            nearest = min(nearest ?? found, found)
        }
        return nearest
    }

    private func joins(_ words: [[UInt8]], _ row: Row) -> Bool {
        var hasJoined = false
        for word in words where !has(word, row) {
            let isJoined = row.fields.contains { field in
                let parts = field.split(separator: 0x20)
                return parts.indices.contains { Array(parts[$0...].joined()).starts(with: word) }
            }
            guard word.count >= 4, isJoined else { return false }
            hasJoined = true
        }
        return hasJoined
    }

    /// Of the rows with the most words, in their order, which words each has not.
    private func someWords(_ words: [[UInt8]], _ shown: [Int]) -> [(row: Int, missing: [[UInt8]])] {
        let held = shown.map { row in
            words.indices.filter { index in
                has(words[index], rows[row])
                    || leastEdits(words[index], isLast: index == words.count - 1, rows[row].words) == 1
            }
        }
        guard let most = held.map(\.count).max(), most > 0, words.count > 1 else { return [] }
        func rank(_ index: Int) -> (Int, Int, Int) {
            let letterCount = held[index].reduce(0) { $0 + Self.letters(words[$1]).count }
            return (-letterCount, -rows[shown[index]].signalCount, index)
        }
        return held.indices.filter { held[$0].count == most }.sorted { rank($0) < rank($1) }.map { index in
            (shown[index], words.indices.filter { !held[index].contains($0) }.map { words[$0] })
        }
    }

    private func band(of row: Row, _ text: String, _ words: [[UInt8]]) -> SearchBand? {
        let hasISBN = hasISBN(row, text)
        if hasISBN, text.count(where: { $0 != "-" && $0 != " " }) >= 7 { return .number }
        if words.allSatisfy({ has($0, row) }) {
            let prefix = TitleKey.searchPrefix(text, filing: .standard)
            if !prefix.isEmpty, row.key == prefix { return .exactTitle }
            if !prefix.isEmpty, row.key.starts(with: prefix) { return .titleBeginning }
            if row.fields[0].starts(with: words.joined(separator: [0x20])), let band = foreignBand(of: row, text) {
                return band
            }
            let begins = words.allSatisfy { word in row.words.contains { $0.starts(with: word) } }
            return begins ? .wordBeginnings : .substring
        }
        return hasISBN ? .numberBeginning : nil
    }

    private func has(_ word: [UInt8], _ row: Row) -> Bool {
        switch matching {
        case .anywhere: row.line.firstRange(of: word) != nil
        case .beginnings: row.words.contains { $0.starts(with: word) }
        }
    }

    private func hasISBN(_ row: Row, _ text: String) -> Bool {
        let digits = text.filter { $0 != "-" && $0 != " " }
        return scope == .everything && isISBNBeginning(digits)
            && row.details.editions.flatMap(\.isbns).contains { isbn in
                (digits.hasPrefix("97") && digits.count >= 4 && isbn.description.hasPrefix(digits))
                    || (isbn.isbn10.map {
                        digits.count < 10 ? $0.dropLast().hasPrefix(digits) : $0 == digits.uppercased()
                    } ?? false)
            }
    }

    /// Of the word that needs most.
    private func edits(_ words: [[UInt8]], _ row: Row) -> Int {
        words.enumerated().map { index, word in
            has(word, row) ? 0 : leastEdits(word, isLast: index == words.count - 1, row.words)
        }.max()!
    }

    /// A title that is printed as typed, by how the typed text is filed in any language.
    private func foreignBand(of row: Row, _ text: String) -> SearchBand? {
        let keys = Self.languages.map { language in
            TitleKey.make(title: text, sortTitle: nil, language: language, filing: .standard)
        }.filter { !$0.isEmpty }
        if keys.contains(row.key) { return .exactTitle }
        return keys.contains { row.key.starts(with: $0) } ? .titleBeginning : nil
    }

    /// A code of each.
    private static let languages = ArticleTable.languages.split(separator: "\n").map { line in
        String(line.prefix { $0 != " " })
    }

    private func isISBNBeginning(_ digits: String) -> Bool {
        guard (4...13).contains(digits.count) else { return false }
        let isNumber = { (text: Substring) in text.allSatisfy { $0.isASCII && $0.isNumber } }
        return isNumber(digits[...])
            || (digits.count == 10 && isNumber(digits.dropLast()) && digits.last?.lowercased() == "x")
    }

    private func leastEdits(_ word: [UInt8], isLast: Bool, _ others: [[UInt8]]) -> Int {
        let letters = Self.letters(word)
        let allowed =
            letters.count < 3 || letters.contains { (48...57).contains($0.value) } ? 0 : letters.count < 6 ? 1 : 2
        let least =
            others.map { other -> Int in
                let table = Self.distances(letters, Self.letters(other))
                return isLast && letters.count >= 4 ? table.dropFirst().min() ?? 9 : table.last!
            }.min() ?? 9
        return least <= allowed ? least : 9
    }

    private static func letters(_ word: [UInt8]) -> [Unicode.Scalar] {
        Array(String(decoding: word, as: UTF8.self).unicodeScalars)
    }

    /// The edits between the first word and each beginning of the second, the empty one first.
    static func distances(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> [Int] {
        var rows = [Array(0...second.count)]
        for i in stride(from: 1, through: first.count, by: 1) {
            var row = [i]
            for j in stride(from: 1, through: second.count, by: 1) {
                var least = min(rows[i - 1][j] + 1, row[j - 1] + 1)
                least = min(least, rows[i - 1][j - 1] + (first[i - 1] == second[j - 1] ? 0 : 1))
                if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
                    least = min(least, rows[i - 2][j - 2] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[first.count]
    }

    private func shows(_ row: Row, _ filter: WorkFilter) -> Bool {
        switch filter {
        case .all: true
        case .status(let status): (row.details.entry?.status ?? .none) == status
        case .review(let status): row.details.work.reviewStatus == status
        case .owned: row.details.entry?.isOwned ?? false
        }
    }
}
