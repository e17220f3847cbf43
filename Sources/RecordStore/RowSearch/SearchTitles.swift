import Filing
import StorageEngine

/// The rows whose titles are what was typed, or begin so, as they are filed.
///
/// What was typed is filed as a title of unknown language is, without an English article. A title of another language may be
/// filed without another article: *Der Prozess*, in German, under `prozess`. So where what was typed begins with an article of
/// any language, the titles filed under the rest are looked at, and those that are printed with it count, too; and so do
/// those filed with an article that only English drops, such as *A la recherche* in French.
struct SearchTitles {
    private let run: SearchExecution
    private let filed: Titles?
    private let printed: [Titles]

    /// Positions of the rows filed under a key, and of those under what begins with it.
    private struct Titles {
        let exact: Range<Int>
        let beginning: Range<Int>

        init?(_ key: [UInt8], _ run: SearchExecution) throws(StorageError) {
            guard !key.isEmpty, let end = LibraryKey.end(ofPrefix: key) else { return nil }
            let start = try run.version.lowerBound(of: key, in: run.list.tree)
            let middle = try run.version.lowerBound(of: key + [LibraryKey.separator + 1], in: run.list.tree)
            let last = try run.version.lowerBound(of: end, in: run.list.tree)
            exact = start..<max(start, middle)
            beginning = exact.upperBound..<max(exact.upperBound, last)
        }

        func positions(_ band: SearchBand) -> Range<Int> { band == .exactTitle ? exact : beginning }
    }

    init(_ run: SearchExecution) throws(StorageError) {
        self.run = run
        let text = run.query.text
        let key = TitleKey.searchPrefix(text, filing: run.filing)
        filed = try Titles(key, run)
        var printed: [Titles] = []
        for other in TitleKey.searchPrefixesByLanguage(text, filing: run.filing) where other != key {
            if let titles = try Titles(other, run) { printed.append(titles) }
        }
        self.printed = printed
    }

    /// The matches of one of the two bands, in title order; at most `limit`.
    func matches(_ band: SearchBand, limit: Int) throws(StorageError) -> [SearchExecution.Match] {
        var matches: [SearchExecution.Match] = []
        if let filed {
            try run.forEachTyped(in: filed.positions(band)) { match in
                matches.append(match)
                return matches.count < limit
            }
        }
        guard !printed.isEmpty else { return matches }
        var known = Set(matches.map(\.position))
        for titles in printed {
            let end = matches.count + limit
            try run.forEachMatch(.titleBeginning, in: titles.positions(band)) { match in
                if self.band(ofFiled: match.position) == nil, known.insert(match.position).inserted {
                    matches.append(match)
                }
                return matches.count < end
            }
        }
        return Array(matches.sorted { $0.position < $1.position }.prefix(limit))
    }

    /// The band of a match as typed.
    func band(ofTyped position: Int, beginsWords: Bool) throws(StorageError) -> SearchBand {
        if let band = band(ofFiled: position) { return band }
        for band in [SearchBand.exactTitle, .titleBeginning] {
            for titles in printed where titles.positions(band).contains(position) {
                var isPrinted = false
                try run.forEachMatch(.titleBeginning, in: position..<position + 1) { _ in
                    isPrinted = true
                    return false
                }
                if isPrinted { return band }
            }
        }
        return beginsWords ? .wordBeginnings : .substring
    }

    private func band(ofFiled position: Int) -> SearchBand? {
        [.exactTitle, .titleBeginning].first { filed?.positions($0).contains(position) ?? false }
    }
}
