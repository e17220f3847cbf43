import StorageEngine

@testable import BookDB

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

    init(_ snapshot: Snapshot) throws {
        rows = try snapshot.works.sorted().map { item in
            let details = try snapshot.works.details(item.id)!
            let work = details.work
            let others = [work.subtitle, work.originalTitle].compactMap { $0 } + work.series.map(\.name)
            let title = FoldedText(work.title).bytes
            return Row(
                id: item.id,
                key: TitleKey.make(
                    title: work.title, sortTitle: work.sortTitle, language: work.language,
                    filing: .standard),
                fields: [
                    title.isEmpty ? Array(work.title.utf8) : title,
                    FoldedText(details.authors.map(\.name).joined(separator: ", ")).bytes,
                    FoldedText(others.joined(separator: "\n")).bytes,
                ], details: details)
        }
    }

    struct Found: Equatable {
        let id: ID<Work>
        let band: SearchBand
    }

    /// All matches, in order.
    func matches(_ text: String, _ filter: WorkFilter, ranked: Bool) -> [Found] {
        let words = SearchText.words(text)
        guard !words.isEmpty else {
            return rows.filter { shows($0, filter) }.map { Found(id: $0.id, band: .titleBeginning) }
        }
        let shown = rows.filter { shows($0, filter) }
        var byBand: [SearchBand: [Row]] = [:]
        for row in shown { if let band = band(of: row, text, words) { byBand[band, default: []].append(row) } }
        var found: [Found] = []
        for band in SearchBand.allCases {
            let enough = ranked ? 50 : 1
            if band >= .typo, found.count >= enough { break }
            var members = byBand[band] ?? []
            if ranked {
                members = (0...3).reversed().flatMap { count in members.filter { $0.signalCount == count } }
            }
            found += members.map { Found(id: $0.id, band: band) }
        }
        guard !ranked else { return found }
        return rows.compactMap { row in found.first { $0.id == row.id } }
    }

    private func band(of row: Row, _ text: String, _ words: [[UInt8]]) -> SearchBand? {
        let digits = text.filter { $0 != "-" && $0 != " " }
        let hasISBN =
            isISBNBeginning(digits)
            && row.details.editions.flatMap(\.isbns).contains { isbn in
                (digits.hasPrefix("97") && digits.count >= 4 && isbn.description.hasPrefix(digits))
                    || (isbn.isbn10.map {
                        digits.count < 10 ? $0.dropLast().hasPrefix(digits) : $0 == digits.uppercased()
                    } ?? false)
            }
        if hasISBN, digits.count >= 7 { return .isbn }
        let line = row.line
        if words.allSatisfy({ line.firstRange(of: $0) != nil }) {
            let prefix = TitleKey.searchPrefix(text, filing: .standard)
            if !prefix.isEmpty, row.key == prefix { return .exactTitle }
            if !prefix.isEmpty, row.key.starts(with: prefix) { return .titleBeginning }
            if row.fields[0].starts(with: words.joined(separator: [0x20])), let band = foreignBand(of: row, text) {
                return band
            }
            let begins = words.allSatisfy { word in row.words.contains { $0.starts(with: word) } }
            return begins ? .wordBeginnings : .substring
        }
        if hasISBN { return .isbnBeginning }
        let edits = words.enumerated().map { index, word in
            line.firstRange(of: word) != nil ? 0 : leastEdits(word, isLast: index == words.count - 1, row.words)
        }
        return switch edits.max()! {
        case 1: .typo
        case 2: .twoTypos
        default: nil
        }
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
