import StorageEngine

/// One search of records: looks through the texts of each, by the rules by which works are searched.
///
/// Bands are those of `SearchBand`, the first text taken for the title; within a band records come as they are given, and what is
/// found by a guess comes nearest first. Typos and words run together are forgiven when fewer than 50 records match as typed and
/// none by its title, two typos in a word when nothing was found until then, and words that are not there at all when nothing was
/// found even then.
struct RecordSearchRun<Value: Record> {
    private let query: SearchQuery
    private let matcher: SearchMatcher
    private let texts: [(RecordRow<Value>) throws(BookError) -> [String]]

    /// Gives the records one after the other.
    typealias Rows = (_ body: (RecordRow<Value>) throws(BookError) -> Void) throws(BookError) -> Void

    init<each Text: SearchedText>(
        _ query: SearchQuery, in field: repeat KeyPath<Value, each Text> & Sendable
    ) {
        self.query = query
        matcher = SearchMatcher(query: query)
        var texts: [(RecordRow<Value>) throws(BookError) -> [String]] = []
        for field in repeat each field { texts.append(Self.texts(of: field)) }
        self.texts = texts
    }

    private static func texts(
        of field: KeyPath<Value, some SearchedText> & Sendable
    ) -> (RecordRow<Value>) throws(BookError) -> [String] {
        { (row) throws(BookError) in try row[dynamicMember: field].searchedTexts }
    }

    /// - Throws: `BookError.cancelled` when the task is cancelled; `.invalidArgument` for a negative limit; and what `rows` throws.
    func first(_ limit: Int, of rows: Rows) throws(BookError) -> RecordSearch<Value> {
        guard limit >= 0 else { throw .invalidArgument("A search gives zero or more records, not \(limit).") }
        var found = SearchBands<RecordRow<Value>>(limit)
        try rows { (row) throws(BookError) in
            if Task.isCancelled { throw .cancelled }
            if let band = withLine(of: row, band) ?? nil { found.add(row, band) }
        }
        if query.isForgiving, found.count < SearchRanking.enoughCount, !found.hasTitles {
            let nothingElse = found.count == 0
            try rows { (row) throws(BookError) in
                if Task.isCancelled { throw .cancelled }
                let guessed = withLine(of: row) { guess($0, nothingElse: nothingElse) } ?? nil
                if let guessed { found.add(row, guessed) }
            }
        }
        let matches = found.first().map { match in
            RecordMatch(
                row: match.row, band: match.place.band, missingWords: query.words(match.place.missing), query: query)
        }
        return RecordSearch(matches: matches, count: found.count)
    }

    /// `nil` for a record that cannot be read.
    private func withLine<Result>(of row: RecordRow<Value>, _ body: (RawSpan) -> Result) -> Result? {
        var line: [UInt8] = []
        for text in texts {
            guard let texts = try? text(row) else { return nil }
            for text in texts { line += SearchText.folded(Array(text.utf8)) + [SearchText.fieldEnd] }
        }
        while line.last == SearchText.fieldEnd { line.removeLast() }
        return line.withBytes(body)
    }

    /// How a line matches as typed.
    private func band(_ line: RawSpan) -> SearchBandPlace? {
        guard !query.isEmpty else { return SearchBandPlace(.titleBeginning) }
        guard let beginsWords = matcher.compare(line) else { return nil }
        if matcher.matches(line, .titleBeginning) {
            return SearchBandPlace(
                SearchMatcher.title(of: line).count == matcher.beginning.count ? .exactTitle : .titleBeginning)
        }
        return SearchBandPlace(beginsWords ? .wordBeginnings : .substring)
    }

    /// How a line matches that does not as typed.
    ///
    /// - Parameter nothingElse: whether no record matches as typed.
    private func guess(_ line: RawSpan, nothingElse: Bool) -> SearchBandPlace? {
        guard matcher.compare(line) == nil else { return nil }
        if matcher.matches(line, .joined) { return place(.joinedWords, line) }
        if matcher.matches(line, .edits(1)) { return place(.typo, line) }
        guard nothingElse else { return nil }
        if matcher.matches(line, .edits(2)) { return place(.twoTypos, line) }
        let held = matcher.heldWords(line)
        guard query.words.count > 1, held != 0 else { return nil }
        return SearchBandPlace(
            .someWords, distance: -query.letterCount(held), missing: query.allWords & ~held,
            wordCount: held.nonzeroBitCount)
    }

    /// Titles that have all words come first, then short ones, of which what was typed is more.
    private func place(_ band: SearchBand, _ line: RawSpan) -> SearchBandPlace {
        let title = line.extracting(SearchMatcher.title(of: line))
        return SearchBandPlace(band, distance: matcher.holdsAll(title) ? title.byteCount : .max)
    }
}
