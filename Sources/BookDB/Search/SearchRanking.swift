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
            found += try members(of: band, .edits(edits), limit) { !isbns.contains($0.position) }
        }
        // Of a work that a forged file tells in two ways the first counts.
        var known: Set<Int> = []
        return found.prefix(limit).filter { known.insert($0.position).inserted }
    }

    func count() throws(StorageError) -> Int {
        let isbns = Set(run.isbnPositions)
        var count = try run.isbnMatches(leavingOutTyped: false).count
        count += try run.countTyped(besides: isbns)
        for (edits, _) in Self.typoBands where count < enoughCount {
            try run.forEachMatch(.edits(edits)) { match in
                if !isbns.contains(match.position) { count += 1 }
                return true
            }
        }
        return count
    }

    private func members(
        of band: SearchBand, _ kind: MatchKind, _ limit: Int, _ isMember: (SearchRun.Match) -> Bool
    ) throws(StorageError) -> [Found] {
        var members = Band(band, need: limit, isRanked: isRanked)
        try run.forEachMatch(kind) { match in
            if isMember(match) { members.add(match) }
            return !members.isFull
        }
        return try members.found()
    }

    // MARK: In title order

    private func inOrder(_ limit: Int) throws(StorageError) -> [Found] {
        let isbnBand: SearchBand = run.query.isbns?.isSure == true ? .isbn : .isbnBeginning
        var found = try run.isbnMatches(leavingOutTyped: isbnBand == .isbnBeginning).map {
            Found(position: $0.position, band: isbnBand)
        }
        let known = Set(found.map(\.position))
        var members: [SearchRun.Match] = []
        let add = { (match: SearchRun.Match) throws(StorageError) -> Bool in
            if !known.contains(match.position) { members.append(match) }
            return members.count < limit
        }
        if try !run.forEachTyped(in: 0..<run.count, isBounded: true, add) {
            members = []
            try run.forEachMatch(.typed, add)
        }
        guard !members.isEmpty else { return found.sorted { $0.position < $1.position } }
        let titles = try SearchTitles(run)
        for match in members { found.append(Found(position: match.position, band: try titles.band(of: match))) }
        return found.sorted { $0.position < $1.position }
    }

    // MARK: By rank

    private func ranked(_ limit: Int) throws(StorageError) -> [Found] {
        var found: [Found] = []
        let isSure = run.query.isbns?.isSure ?? false
        let isbns = isSure ? Set(run.isbnPositions) : []
        if isSure { found += try isbnBand(.isbn, limit, leavingOutTyped: false) }
        let titles = try SearchTitles(run)
        var titled: Set<Int> = []
        for band in [SearchBand.exactTitle, .titleBeginning] where found.count < limit {
            var members = Band(band, need: limit)
            for match in try titles.matches(band, limit: members.need + isbns.count)
            where !isbns.contains(match.position) && titled.insert(match.position).inserted {
                members.add(match)
            }
            found += try members.found()
        }
        guard found.count < limit else { return found }
        let isLeft = { (match: SearchRun.Match) in
            !isbns.contains(match.position) && !titled.contains(match.position)
        }
        found += try words(limit, isLeft)
        if !isSure, found.count < limit { found += try isbnBand(.isbnBeginning, limit, leavingOutTyped: true) }
        return found
    }

    /// The matches that are none of titles.
    private func words(_ limit: Int, _ isLeft: (SearchRun.Match) -> Bool) throws(StorageError) -> [Found] {
        var beginnings = Band(.wordBeginnings, need: limit)
        var inside = Band(.substring, need: limit)
        let isComplete = try run.forEachTyped(in: 0..<run.count, isBounded: true) { match in
            guard isLeft(match) else { return true }
            if match.beginsWords { beginnings.add(match) } else if !inside.isFull { inside.add(match) }
            return !beginnings.isFull
        }
        guard !isComplete else { return try beginnings.found() + inside.found() }
        let found = try members(of: .wordBeginnings, .wordBeginnings, limit, isLeft)
        guard found.count < limit else { return found }
        return try found + (inside.isFull ? inside.found() : members(of: .substring, .inside, limit, isLeft))
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
    let need: Int
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
