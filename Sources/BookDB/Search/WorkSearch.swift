import StorageEngine

/// A search of a snapshot for works, as one types: a lazy value.
///
/// ```swift
/// let search = snapshot.works.search("tolkien hob")
/// for match in try search.first(50) { print(match.item.title, match.titleHighlights) }
/// let total = try await search.count()
/// ```
///
/// Looked through are title, subtitle, original title, authors and series, as far as the list keeps them, and ISBNs. Words may
/// come in any order, each may be anywhere, from one letter on; case, accents, apostrophes and punctuation do not count. When
/// little matches as typed, typos and words run together are forgiven, and at last words that no work has (`SearchMatch.isGuess`). In title order, where a
/// guess would stand among what matches, they are forgiven only when nothing does: so such a search may find fewer works.
///
/// What is found is what the list of the same snapshot shows. After a compaction a search file makes it fast; works that were
/// added or changed since are folded as they are searched, some 0.4 microseconds each.
public struct WorkSearch: Sendable {
    public let text: String
    public let filter: WorkFilter

    /// Whether the best matches come first; otherwise all come in title order.
    public let isRanked: Bool

    /// Tests make it less, so that small libraries go all ways.
    var effort = SearchEffort()

    let version: Version
    private let query: SearchQuery

    init(_ version: Version, _ query: SearchQuery, _ filter: WorkFilter, isRanked: Bool) {
        self.version = version
        self.filter = filter
        self.isRanked = isRanked
        self.query = query
        text = query.text
    }

    public var scope: SearchScope { query.scope }

    public var matching: WordMatching { query.matching }

    public var isForgiving: Bool { query.isForgiving }

    /// The first matches; all works in title order when nothing was typed.
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative limit.
    public func first(_ limit: Int = 50) throws(LibraryError) -> [SearchMatch] {
        guard limit >= 0 else { throw .invalidArgument("A search gives zero or more works, not \(limit).") }
        guard !query.isEmpty else {
            return try list.page(offset: 0, limit: limit).map {
                SearchMatch(item: $0, band: .titleBeginning, highlighter: highlighter(.titleBeginning))
            }
        }
        guard limit > 0 else { return [] }
        var rows = EntryCursor(version, in: LibraryTree.title)
        return try ranked(limit) { (found) throws(StorageError) in
            try rows.entry(at: found.position).map { (entry) throws(StorageError) in
                SearchMatch(
                    item: try WorkListItem(row: entry), band: found.band, missingWords: query.words(found.missing),
                    highlighter: highlighter(found.band))
            }
        }
    }

    /// The positions of the first matches among all works by title. Ends early when the task is cancelled.
    ///
    /// - Throws: `LibraryError.cancelled` then; `.damaged` when a row cannot be read.
    func positions(_ limit: Int) throws(LibraryError) -> [Int32] {
        let positions = try ranked(limit, tellsBands: false, isCancelled: { Task.isCancelled }) { Int32($0.position) }
        guard !Task.isCancelled else { throw .cancelled }
        return positions
    }

    /// The first matches in their order, as what is made of each.
    func ranked<Match>(
        _ limit: Int, tellsBands: Bool = true, isCancelled: @escaping () -> Bool = { false },
        _ make: (SearchRanking.Found) throws(StorageError) -> Match?
    ) throws(LibraryError) -> [Match] {
        return try translatingErrors {
            let run = try execution(isCancelled: isCancelled)
            var matches: [Match] = []
            for found in try SearchRanking(run: run, isRanked: isRanked).first(limit, tellsBands: tellsBands) {
                if let match = try make(found) { matches.append(match) }
            }
            return matches
        }
    }

    private func execution(isCancelled: @escaping () -> Bool) throws -> SearchExecution {
        try SearchExecution(
            version, .works, query, filter.facet, query.isbns?.found(in: version, filter.facet),
            LibraryMeta.filing(version), effort, isCancelled: isCancelled)
    }

    /// Whether anything was typed that a search could look for.
    var isEmpty: Bool { query.isEmpty }

    /// Whether the search may find a work of one of these rows: `false` only when it finds none of them, whatever else there is.
    func mayFind(_ rows: [SearchedRow]) throws(LibraryError) -> Bool {
        guard query.isbns == nil else { return true }
        let matcher = SearchMatcher(query: query)
        var titles = TitlePattern.all(text, query.words, filing: try LibraryMeta.filing(version)).map(
            TitleComparison<UInt128>.init)
        return rows.contains { row in
            row.line.withBytes { matcher.mayMatch($0) }
                || titles.indices.contains { index in row.key.withBytes { titles[index].distance(to: $0) } != nil }
        }
    }

    /// How many works match, off the caller's actor. O(matches), and a look at every leaf.
    ///
    /// - Throws: `LibraryError.cancelled` when the task is cancelled; `.damaged` when a row cannot be read.
    @concurrent
    public func count() async throws(LibraryError) -> Int {
        guard !query.isEmpty else {
            let list = list
            if let failure = list.failure { throw failure }
            return list.count
        }
        let count = try translatingErrors {
            let run = try execution { Task.isCancelled }
            return try SearchRanking(run: run, isRanked: isRanked).count()
        }
        guard !Task.isCancelled else { throw .cancelled }
        return count
    }

    /// Where a text, such as a title, holds the words typed, in its order; words near them when it holds none as typed.
    public func highlights(in text: String) -> [Range<String.Index>] {
        let exact = highlighter(.substring).ranges(in: text)
        return exact.isEmpty ? highlighter(.twoTypos).ranges(in: text) : exact
    }

    private func highlighter(_ band: SearchBand) -> SearchHighlighter {
        SearchHighlighter(query: query, edits: band.editCount)
    }

    var list: WorkItems { Snapshot.Works(version: version).list(by: .title, filter) }
}

extension Snapshot.Works {
    /// Works by words of their title, subtitle, original title, authors and series, or by ISBN. O(1): nothing is read yet.
    ///
    /// - Parameters:
    ///   - text: what was typed. Its first 1,024 bytes are looked for, up to 64 words; what comes behind them is not, and no match says that it is missing.
    ///   - scope: `.titles` looks through titles alone.
    ///   - matching: `.beginnings` finds words by how they begin, and not by what is within them.
    ///   - forgiving: whether typos, words run together and words that no work has are forgiven when little matches as typed.
    ///     Otherwise only works are found that have every word as typed, and those of an ISBN.
    ///   - ranked: whether the best matches come first, or all in title order. Little is fewer than 50 matches, none of them by its title, in the first case,
    ///     and none in the second.
    public func search(
        _ text: String, in scope: SearchScope = .everything, matching: WordMatching = .anywhere,
        forgiving: Bool = true, filter: WorkFilter = .all, ranked: Bool = true
    ) -> WorkSearch {
        let query = SearchQuery(text, in: scope, matching, isForgiving: forgiving)
        return WorkSearch(version, query, filter, isRanked: ranked)
    }
}
