import StorageEngine

/// Puts what a run finds in order, and counts it.
///
/// A band after the other, each in title order but for the reader's own signals: of the first 1,000 works of a band, those come
/// first of which more says that the reader cares for them. So the best fifty of 300,000 matches need no look at all of them, and
/// the same snapshot always gives the same order.
///
/// A typo is forgiven when fewer than 50 works match without (in title order: when none does), a second one when fewer than 50
/// match with one.
struct SearchRanking {
    static let consideredCount = 1000
    static let enoughCount = 50

    let run: SearchRun
    let isRanked: Bool

    struct Found {
        let position: Int
        let band: SearchBand
    }

    private var enoughCount: Int { isRanked ? Self.enoughCount : 1 }

    private static let typoBands: [(edits: Int, band: SearchBand)] = [(1, .typo), (2, .twoTypos)]

    func first(_ limit: Int) throws(StorageError) -> [Found] {
        var found = isRanked ? try ranked(limit) : try inOrder(limit)
        for (edits, band) in Self.typoBands where found.count < min(limit, enoughCount) {
            let isbns = Set(run.isbnPositions)
            var members = Band(band, need: limit, isRanked: isRanked)
            try run.forEachMatch(edits: edits) { match in
                if !isbns.contains(match.position) { members.add(match) }
                return !members.isFull
            }
            found += try members.found()
        }
        return Array(found.prefix(limit))
    }

    func count(isCancelled: () -> Bool) throws(StorageError) -> Int {
        let isbns = Set(run.isbnPositions)
        var count = try run.isbnMatches(leavingOutTyped: false).count
        count += try run.countTyped(besides: isbns, isCancelled: isCancelled)
        for (edits, _) in Self.typoBands where count < enoughCount && !isCancelled() {
            try run.forEachMatch(edits: edits) { match in
                if !isbns.contains(match.position) { count += 1 }
                return count & 0xFF != 0 || !isCancelled()
            }
        }
        return count
    }

    // MARK: In title order

    private func inOrder(_ limit: Int) throws(StorageError) -> [Found] {
        let isbnBand: SearchBand = run.query.isbns?.isSure == true ? .isbn : .isbnBeginning
        var found = try run.isbnMatches(leavingOutTyped: isbnBand == .isbnBeginning).map {
            Found(position: $0.position, band: isbnBand)
        }
        let titles = try TitleRange(run)
        let known = Set(found.map(\.position))
        var members: [Found] = []
        try run.forEachMatch(in: 0..<run.count) { match in
            guard !known.contains(match.position) else { return true }
            members.append(Found(position: match.position, band: titles.band(of: match)))
            return members.count < limit
        }
        found += members
        return found.sorted { $0.position < $1.position }
    }

    // MARK: By rank

    private func ranked(_ limit: Int) throws(StorageError) -> [Found] {
        var found: [Found] = []
        let isSure = run.query.isbns?.isSure ?? false
        let isbns = isSure ? Set(run.isbnPositions) : []
        if isSure { found += try isbnBand(.isbn, limit, leavingOutTyped: false) }
        let titles = try TitleRange(run)
        for (positions, band) in [(titles.exact, SearchBand.exactTitle), (titles.beginning, .titleBeginning)]
        where found.count < limit {
            var members = Band(band, need: limit)
            try run.forEachMatch(in: positions) { match in
                if !isbns.contains(match.position) { members.add(match) }
                return !members.isFull
            }
            found += try members.found()
        }
        guard found.count < limit else { return found }
        var beginnings = Band(.wordBeginnings, need: limit)
        var inside = Band(.substring, need: limit)
        try run.forEachMatch(in: 0..<run.count, beginningsOnly: { inside.isFull }) { match in
            guard !isbns.contains(match.position), !titles.all.contains(match.position) else { return true }
            if match.beginsWords { beginnings.add(match) } else if !inside.isFull { inside.add(match) }
            return !beginnings.isFull
        }
        found += try beginnings.found() + inside.found()
        if !isSure, found.count < limit { found += try isbnBand(.isbnBeginning, limit, leavingOutTyped: true) }
        return found
    }

    private func isbnBand(
        _ band: SearchBand, _ limit: Int, leavingOutTyped: Bool
    ) throws(StorageError) -> [Found] {
        var members = Band(band, need: limit)
        for match in try run.isbnMatches(leavingOutTyped: leavingOutTyped) { members.add(match) }
        return try members.found()
    }
}

/// The matches of one band, in title order as they come.
private struct Band {
    private let band: SearchBand
    private let need: Int
    private let isRanked: Bool
    private var matches: [SearchRun.Match] = []

    init(_ band: SearchBand, need limit: Int, isRanked: Bool = true) {
        self.band = band
        self.isRanked = isRanked
        need = isRanked ? max(limit, SearchRanking.consideredCount) : limit
    }

    var isFull: Bool { matches.count >= need }

    mutating func add(_ match: SearchRun.Match) { matches.append(match) }

    func found() throws(StorageError) -> [SearchRanking.Found] {
        let considered = matches.prefix(isRanked ? SearchRanking.consideredCount : 0)
        // By the number of signals; a sort would not keep the title order.
        var first: [[SearchRun.Match]] = Array(repeating: [], count: SearchMarks.maximumSignalCount + 1)
        for match in considered { first[try match.marks.signalCount].append(match) }
        return (first.reversed().joined() + matches[considered.endIndex...]).map {
            SearchRanking.Found(position: $0.position, band: band)
        }
    }
}

/// The works that are filed under what was typed, or under what begins so.
private struct TitleRange {
    let exact: Range<Int>
    let beginning: Range<Int>

    var all: Range<Int> { exact.lowerBound..<beginning.upperBound }

    init(_ run: SearchRun) throws(StorageError) {
        let key = TitleKey.searchPrefix(run.query.text, filing: run.filing)
        guard !key.isEmpty, let end = LibraryKey.end(ofPrefix: key) else {
            (exact, beginning) = (0..<0, 0..<0)
            return
        }
        let start = try run.version.lowerBound(of: key, in: LibraryTree.title)
        let middle = try run.version.lowerBound(of: key + [LibraryKey.separator + 1], in: LibraryTree.title)
        let last = try run.version.lowerBound(of: end, in: LibraryTree.title)
        exact = start..<max(start, middle)
        beginning = exact.upperBound..<max(exact.upperBound, last)
    }

    func band(of match: SearchRun.Match) -> SearchBand {
        if exact.contains(match.position) { return .exactTitle }
        if beginning.contains(match.position) { return .titleBeginning }
        return match.beginsWords ? .wordBeginnings : .substring
    }
}
