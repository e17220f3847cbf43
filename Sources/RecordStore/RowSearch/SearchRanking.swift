import StorageEngine

/// Puts what a run finds in order, and counts it.
///
/// A band after the other, each in title order but for signals that somebody cares: of the first 1,000 rows of a band, those come
/// first of which more says that the reader cares for them. So the best fifty of 300,000 matches need no look at all of them, and
/// the same snapshot always gives the same order, however many are asked for. What is found by a guess comes nearest first, as far as it is
/// considered, too.
///
/// Typos and words run together are forgiven when fewer than 50 rows match as typed (in title order: when none does) and none of
/// them by its title: who typed a title has found it. Two typos in a word are forgiven when nothing was found until then, and
/// words that are not there at all when nothing was found even then.
package struct SearchRanking {
    static let consideredCount = 1000

    let run: SearchExecution
    let isRanked: Bool

    package init(run: SearchExecution, isRanked: Bool) { (self.run, self.isRanked) = (run, isRanked) }

    package struct Found {
        package let position: Int
        package let band: SearchBand
        /// A bit for each word typed that the row does not have.
        package var missing: UInt64 = 0
    }

    private var enoughCount: Int { isRanked ? SearchQuery.enoughCount : 1 }

    /// - Parameter tellsBands: whether matches in title order have their bands, too. Without, what matches as typed is `.substring` there.
    package func first(_ limit: Int, tellsBands: Bool = true) throws(StorageError) -> [Found] {
        // More than any library has, and few enough to be added to.
        let limit = min(limit, 1 << 40)
        // Of a row that a forged file tells in two ways the first counts.
        guard !isRanked else {
            var known: Set<Int> = []
            return Array(try ranked(limit).filter { known.insert($0.position).inserted }.prefix(limit))
        }
        var last: Int?
        let found = try inOrder(limit, tellsBands: tellsBands).filter { found in
            defer { last = found.position }
            return found.position != last
        }
        return Array(found.prefix(limit))
    }

    package func count() throws(StorageError) -> Int {
        let numbers = Set(run.numberPositions)
        let numberCount = try run.numberMatches(leavingOutTyped: false).count
        var count = try numberCount + run.countTyped(besides: numbers)
        let isMeant = numberCount > 0 && run.numbers?.areSure == true
        guard run.query.isForgiving, !isMeant, count < enoughCount, try !findsTitles() else { return count }
        var known = numbers
        for member in try NearTitles(run).members() where try !run.isTyped(member.position) {
            known.insert(member.position)
        }
        for kind in [MatchKind.joined, .edits(1), .edits(2)] {
            if case .edits(2) = kind, count + known.count - numbers.count > 0 { break }
            try run.forEachMatch(kind) { match in
                known.insert(match.position)
                return true
            }
        }
        count += known.count - numbers.count
        return count == 0 && forgivesWords ? try run.partialCount() : count
    }

    // MARK: In title order

    private func inOrder(_ limit: Int, tellsBands: Bool) throws(StorageError) -> [Found] {
        let numberBand: SearchBand = run.numbers?.areSure == true ? .number : .numberBeginning
        var found = try run.numberMatches(leavingOutTyped: numberBand == .numberBeginning).map {
            Found(position: $0.position, band: numberBand)
        }
        let known = Set(found.map(\.position))
        // Positions, since a match keeps what it was found in.
        var members: [(position: Int, beginsWords: Bool)] = []
        let add = { (match: SearchExecution.Match) throws(StorageError) -> Bool in
            let position = match.position
            if !known.contains(position) { members.append((position, match.beginsWords)) }
            return members.count < limit
        }
        if try !run.forEachTyped(in: 0..<run.count, isBounded: true, add) {
            members = []
            try run.forEachMatch(.typed, add)
        }
        if !members.isEmpty {
            let titles = tellsBands ? try SearchTitles(run) : nil
            for member in members {
                let band = try titles?.band(ofTyped: member.position, beginsWords: member.beginsWords)
                found.append(Found(position: member.position, band: band ?? .substring))
            }
        } else if found.isEmpty, run.query.isForgiving {
            found = try nearTitles()
            found += try guesses(limit, besides: Set(found.map(\.position)), nothingElse: found.isEmpty)
        }
        return found.sorted { $0.position < $1.position }
    }

    // MARK: By rank

    private func ranked(_ limit: Int) throws(StorageError) -> [Found] {
        var found: [Found] = []
        let isSure = run.numbers?.areSure ?? false
        let numbers = isSure ? Set(run.numberPositions) : []
        if isSure { found += try numberBand(.number, limit, leavingOutTyped: false) }
        let titles = try SearchTitles(run)
        var titled: Set<Int> = []
        for band in [SearchBand.exactTitle, .titleBeginning] where found.count < limit {
            var members = Band(band, run.list, need: limit)
            for match in try titles.matches(band, limit: members.need + numbers.count)
            where !numbers.contains(match.position) && titled.insert(match.position).inserted {
                members.add(match)
            }
            found += try members.found()
        }
        let isMeant = !found.isEmpty
        guard found.count < limit else { return found }
        let words = try words(limit) { match in !numbers.contains(match.position) && !titled.contains(match.position) }
        found += words.beginnings
        guard found.count < limit else { return found }
        var inside = words.inside
        if !isSure { inside += try numberBand(.numberBeginning, limit, leavingOutTyped: true) }
        guard run.query.isForgiving, !isMeant, found.count + inside.count < enoughCount else { return found + inside }
        let others = Set(found.map(\.position))
        let near = try nearTitles().filter { !others.contains($0.position) }
        let known = Set(near.map(\.position))
        found += near + inside.filter { !known.contains($0.position) }
        guard found.count < limit else { return found }
        return try found + guesses(limit, besides: Set(found.map(\.position)), nothingElse: found.isEmpty)
    }

    /// The matches as typed that are none of titles.
    private func words(
        _ limit: Int, _ isLeft: (SearchExecution.Match) -> Bool
    ) throws(StorageError) -> (beginnings: [Found], inside: [Found]) {
        var beginnings = Band(.wordBeginnings, run.list, need: limit)
        var inside = Band(.substring, run.list, need: limit)
        let isComplete = try run.forEachTyped(in: 0..<run.count, isBounded: true) { match in
            guard isLeft(match) else { return true }
            if match.beginsWords { beginnings.add(match) } else if !inside.isFull { inside.add(match) }
            return !beginnings.isFull
        }
        guard !isComplete else { return (try beginnings.found(), try inside.found()) }
        let found = try members(of: .wordBeginnings, .wordBeginnings, limit, isLeft)
        guard found.count < limit else { return (found, []) }
        return (found, try inside.isFull ? inside.found() : members(of: .substring, .inside, limit, isLeft))
    }

    private func members(
        of band: SearchBand, _ kind: MatchKind, _ limit: Int, _ isMember: (SearchExecution.Match) -> Bool
    ) throws(StorageError) -> [Found] {
        var members = Band(band, run.list, need: limit, isRanked: isRanked)
        try run.forEachMatch(kind) { match in
            if isMember(match) { members.add(match) }
            return !members.isFull
        }
        return try members.found()
    }

    private func numberBand(
        _ band: SearchBand, _ limit: Int, leavingOutTyped: Bool
    ) throws(StorageError) -> [Found] {
        var members = Band(band, run.list, need: limit)
        for match in try run.numberMatches(leavingOutTyped: leavingOutTyped) { members.add(match) }
        return try members.found()
    }

    // MARK: Forgiving

    /// Whether a title is what was typed, or begins so.
    private func findsTitles() throws(StorageError) -> Bool {
        let titles = try SearchTitles(run)
        for band in [SearchBand.exactTitle, .titleBeginning] {
            if try !titles.matches(band, limit: 1).isEmpty { return true }
        }
        return false
    }

    /// Whether a row may lack a word typed. The parts of a number are no words.
    private var forgivesWords: Bool { run.query.words.count > 1 && run.numbers == nil }

    /// The rows with titles near what was typed, the nearest first.
    private func nearTitles() throws(StorageError) -> [Found] {
        let numbers = Set(run.numberPositions)
        let members = try NearTitles(run).members().filter { !numbers.contains($0.position) }.sorted {
            ($0.distance, -run.list.signalCount($0.marks), $0.keyByteCount, $0.position)
                < ($1.distance, -run.list.signalCount($1.marks), $1.keyByteCount, $1.position)
        }
        return members.map { Found(position: $0.position, band: .nearTitle) }
    }

    /// What is found by forgiving words.
    ///
    /// - Parameter nothingElse: whether nothing was found before.
    private func guesses(
        _ limit: Int, besides known: Set<Int>, nothingElse: Bool
    ) throws(StorageError) -> [Found] {
        var known = known.union(run.numberPositions)
        var found: [Found] = []
        for (band, kind) in [(SearchBand.joinedWords, MatchKind.joined), (.typo, .edits(1))] {
            let members = try guessed(band, kind, limit, besides: known)
            known.formUnion(members.map(\.position))
            found += members
        }
        guard nothingElse, found.isEmpty else { return found }
        found = try guessed(.twoTypos, .edits(2), limit, besides: known)
        guard found.isEmpty, forgivesWords else { return found }
        return try someWords(limit)
    }

    private func guessed(
        _ band: SearchBand, _ kind: MatchKind, _ limit: Int, besides known: Set<Int>
    ) throws(StorageError) -> [Found] {
        let consideredCount = isRanked ? Self.consideredCount : 0
        var members = GuessedBand(band, run.list, run.matcher, consideredCount)
        let need = max(limit, consideredCount)
        try run.forEachMatch(kind) { (match) throws(StorageError) in
            if !known.contains(match.position) { try members.add(match) }
            return members.count < need
        }
        return members.found()
    }

    private func someWords(_ limit: Int) throws(StorageError) -> [Found] {
        var partials: [SearchExecution.Partial] = []
        if isRanked {
            partials = try run.partials(limit: max(limit, Self.consideredCount)).sorted {
                ($1.letterCount, $0.match.position) < ($0.letterCount, $1.match.position)
            }
            var considered: [(partial: SearchExecution.Partial, signalCount: Int)] = []
            for partial in partials.prefix(Self.consideredCount) {
                considered.append((partial, run.list.signalCount(try partial.match.marks(in: run.list))))
            }
            considered.sort {
                let (left, right) = ($0.partial, $1.partial)
                return (-left.letterCount, -$0.signalCount, left.match.position)
                    < (-right.letterCount, -$1.signalCount, right.match.position)
            }
            partials.replaceSubrange(..<considered.count, with: considered.map(\.partial))
        } else {
            partials = try run.firstPartials(limit)
        }
        return partials.map { Found(position: $0.match.position, band: .someWords, missing: $0.missing) }
    }
}

/// The matches of one band, in title order as they come.
private struct Band {
    private let band: SearchBand
    private let list: SearchedList
    let need: Int
    private let isRanked: Bool
    private var matches: [SearchExecution.Match] = []

    init(_ band: SearchBand, _ list: SearchedList, need limit: Int, isRanked: Bool = true) {
        self.band = band
        self.list = list
        self.isRanked = isRanked
        need = isRanked ? max(limit, SearchRanking.consideredCount) : limit
    }

    var isFull: Bool { matches.count >= need }

    mutating func add(_ match: SearchExecution.Match) { matches.append(match) }

    func found() throws(StorageError) -> [SearchRanking.Found] {
        let considered = matches.prefix(isRanked ? SearchRanking.consideredCount : 0)
        // By the number of signals; a sort would not keep the title order.
        var first: [[SearchExecution.Match]] = Array(
            repeating: [], count: list.maximumSignalCount + 1)
        for match in considered { first[list.signalCount(try match.marks(in: list))].append(match) }
        return (first.reversed().joined() + matches[considered.endIndex...]).map {
            SearchRanking.Found(position: $0.position, band: band)
        }
    }
}

/// The matches of a band that guesses: titles that have all words come first, then signals that somebody cares count, then short
/// titles, of which what was typed is more. So the first of them; those behind follow in title order.
private struct GuessedBand {
    private let band: SearchBand
    private let list: SearchedList
    private let matcher: SearchMatcher
    private let consideredCount: Int
    private var members: [Member] = []
    /// The positions of those that are not considered.
    private var others: [Int] = []

    private struct Member: Comparable {
        let position: Int
        let isOfTitle: Bool
        let signalCount: Int
        let titleByteCount: Int

        private var rank: (Int, Int, Int, Int) { (isOfTitle ? 0 : 1, -signalCount, titleByteCount, position) }

        static func < (left: Member, right: Member) -> Bool { left.rank < right.rank }
    }

    init(_ band: SearchBand, _ list: SearchedList, _ matcher: SearchMatcher, _ consideredCount: Int) {
        self.band = band
        self.list = list
        self.matcher = matcher
        self.consideredCount = consideredCount
    }

    var count: Int { members.count + others.count }

    /// Precondition: matches come in title order.
    mutating func add(_ match: SearchExecution.Match) throws(StorageError) {
        guard members.count < consideredCount else { return others.append(match.position) }
        let signalCount = list.signalCount(try match.marks(in: list))
        let title = try match.rows.withLine(of: match.row, in: list) { line in
            let title = line.extracting(SearchMatcher.title(of: line))
            return (byteCount: title.byteCount, hasAll: matcher.holdsAll(title))
        }
        members.append(
            Member(
                position: match.position, isOfTitle: title?.hasAll ?? false, signalCount: signalCount,
                titleByteCount: title?.byteCount ?? 0))
    }

    func found() -> [SearchRanking.Found] {
        (members.sorted().map(\.position) + others).map { SearchRanking.Found(position: $0, band: band) }
    }
}
