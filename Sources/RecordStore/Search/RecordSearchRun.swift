import StorageEngine

/// One search of records: looks through the texts of each.
///
/// Bands are those of `SearchBand`, the first text taken for the title; within a band records come as they are given, and what is
/// found by a guess comes nearest first. Typos and words run together are forgiven when fewer than 50 records match as typed and
/// none by its title, two typos in a word when nothing was found until then, and words that are not there at all when nothing was
/// found even then.
struct RecordSearchRun {
    private let query: SearchQuery
    private let matcher: SearchMatcher
    private let fields: [SearchedField]

    /// What is looked for in a line.
    private enum Look {
        case asTyped
        /// With typos and the like, by whether no record matches as typed.
        case guessed(nothingElse: Bool)
    }

    /// Gives the records one after the other, until `body` returns false.
    typealias Records = (_ body: (_ id: UInt64, _ record: RawSpan) -> Bool) throws(LibraryError) -> Void

    init(_ query: SearchQuery, in fields: [SearchedField]) {
        self.query = query
        matcher = SearchMatcher(query: query)
        self.fields = fields
    }

    /// - Throws: `LibraryError.cancelled` when the task is cancelled; `.invalidArgument` for a negative limit; and what `records` throws.
    func first<Value: Record>(
        _ limit: Int, _ type: Value.Type, of records: Records
    ) throws(LibraryError) -> RecordSearch<Value> {
        let found = try found(limit, of: records)
        let known = RecordKind<Value>.current.fields.known
        let matches = found.first().map { (row, place) in
            RecordMatch(
                row: RecordRow<Value>(ID(rawValue: row.id), RecordBytes(row.bytes), known), band: place.band,
                missingWords: query.words(place.missing), query: query)
        }
        return RecordSearch(matches: matches, count: found.count)
    }

    /// The records found, as bytes. Throws as the other.
    func found(
        _ limit: Int, of records: Records
    ) throws(LibraryError) -> SearchBands<(id: UInt64, bytes: [UInt8])> {
        guard limit >= 0 else { throw .invalidArgument("A search gives zero or more records, not \(limit).") }
        var found = SearchBands<(id: UInt64, bytes: [UInt8])>(limit)
        try add(to: &found, of: records, .asTyped)
        if query.isForgiving, found.count < SearchQuery.enoughCount, !found.hasTitles {
            let nothingElse = found.count == 0
            try add(to: &found, of: records, .guessed(nothingElse: nothingElse))
        }
        return found
    }

    /// Adds the records that have a place. Those that cannot be read have none.
    private func add(
        to found: inout SearchBands<(id: UInt64, bytes: [UInt8])>, of records: Records, _ look: Look
    ) throws(LibraryError) {
        var line = SearchLine(of: fields)
        var lookedAt = 0
        var isCancelled = false
        try records { id, record in
            lookedAt += 1
            if lookedAt % Self.cancellationStride == 1, Task.isCancelled {
                isCancelled = true
                return false
            }
            if let place = line.with(record, id: id, { place(of: $0, look) }) ?? nil {
                found.add((id, record.copyBytes(0..<record.byteCount)), place)
            }
            return true
        }
        if isCancelled { throw .cancelled }
    }

    /// So many records are looked at before the task is asked again.
    private static let cancellationStride = 256

    private func place(of line: RawSpan, _ look: Look) -> SearchBandPlace? {
        switch look {
        case .asTyped: band(line)
        case .guessed(let nothingElse): guess(line, nothingElse: nothingElse)
        }
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
