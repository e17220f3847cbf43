import StorageEngine

/// Which rows of the search file can match, from the lists of the rows in which its words occur.
///
/// For each word typed there are words in the file that have it, begin with it, or are near it. The rows that have one of them
/// for each word typed are those that match; what remains to do is to take them in order. The words with the shortest lists go
/// first. Where reading the lists of a word takes longer than comparing the lines of the rows that are left, they are not read,
/// and the lines are compared. Long lists are not read at first: the matches wanted may be among the first lines.
final class SearchPlan {
    private let file: SearchFile
    private let query: SearchQuery
    private let effort: SearchEffort
    private let isCancelled: () -> Bool

    struct Candidates {
        let rows: BitSet
        /// Whether all of them match.
        let areCertain: Bool
    }

    init(_ file: SearchFile, _ query: SearchQuery, _ effort: SearchEffort, isCancelled: @escaping () -> Bool) {
        self.file = file
        self.query = query
        self.effort = effort
        self.isCancelled = isCancelled
        known = Array(repeating: nil, count: query.words.count)
        near = Array(repeating: [:], count: query.words.count)
        reachable = Array(repeating: nil, count: query.words.count)
    }

    /// For each word typed that was looked for, the words that have it, and those that begin with it.
    private var known: [(anywhere: SearchFile.Words, atBeginning: SearchFile.Words)?]

    /// The words that have a word typed, and those that begin with it; `nil` when the words cannot be read.
    private func typed(_ index: Int) -> (anywhere: SearchFile.Words, atBeginning: SearchFile.Words)? {
        if known[index] == nil { known[index] = file.words(with: query.patterns[index], query.words[index]) }
        return known[index]
    }

    /// Of those the ones that count as having the word.
    private func having(_ index: Int) -> SearchFile.Words? {
        switch query.matching {
        case .anywhere: typed(index)?.anywhere
        case .beginnings: typed(index)?.atBeginning
        }
    }

    /// The same for each word typed.
    private func typed() -> (anywhere: [SearchFile.Words], atBeginning: [SearchFile.Words])? {
        let all = query.words.indices.compactMap(typed)
        return all.count == query.words.count ? (all.map(\.anywhere), all.map(\.atBeginning)) : nil
    }

    /// By the word typed and the number of edits, the words that have it or are near it.
    private var near: [[Int: SearchFile.Words]]

    /// For each word typed, those that may be within one edit of it, and within two.
    private var reachable: [(one: BitSet, two: BitSet)?]

    /// The words that have a word typed or are within so many edits of it.
    private func words(_ index: Int, edits: Int) -> SearchFile.Words? {
        if let known = near[index][edits] { return known }
        guard var words = having(index) else { return nil }
        let pattern = query.patterns[index]
        if pattern.allowed > 0, edits > 0 {
            if reachable[index] == nil { reachable[index] = file.words(reachableFrom: pattern) }
            let edits = min(edits, pattern.allowed)
            guard let among = reachable[index],
                let found = file.words(near: pattern, edits: edits, among: edits == 1 ? among.one : among.two)
            else { return nil }
            words = words + found
        }
        near[index][edits] = words
        return words
    }

    private func words(edits: Int) -> [SearchFile.Words]? {
        var all: [SearchFile.Words] = []
        for index in query.words.indices {
            guard let words = words(index, edits: edits) else { return nil }
            all.append(words)
        }
        return all
    }

    /// The rows that match as typed, wherever words begin; `nil` when the file's lists cannot be read.
    func typedRows() -> Candidates? {
        var words: [SearchFile.Words] = []
        for index in query.words.indices {
            guard let having = having(index) else { return nil }
            words.append(having)
        }
        return intersection(words, true).map {
            // The lists are of words anywhere in a row.
            Candidates(rows: $0.rows, areCertain: $0.areCertain && query.scope == .everything)
        }
    }

    /// The rows that can match so; `nil` when the file's lists cannot be read.
    ///
    /// - Parameter isThorough: whether long lists are read, too.
    func candidates(_ kind: MatchKind, isThorough: Bool) -> Candidates? {
        switch kind {
        // The lines have to tell which words they begin.
        case .typed:
            typed().flatMap { intersection($0.anywhere, isThorough) }.map {
                Candidates(rows: $0.rows, areCertain: false)
            }
        // Asked of few positions: lists of the whole library would cost more.
        case .titleBeginning: nil
        case .wordBeginnings: difference(typed()?.atBeginning, [], isThorough)
        case .inside where query.matching == .beginnings:
            Candidates(rows: .none, areCertain: true)
        case .inside: difference(typed()?.anywhere, typed()?.atBeginning, isThorough)
        case .joined: joined()
        case .edits(let edits): near(edits, isThorough)
        }
    }

    /// The rows that have each word typed, or may have it run together.
    private func joined() -> Candidates? {
        let none = Candidates(rows: .none, areCertain: true)
        var joined: [BitSet?] = []
        for word in query.words {
            guard SearchMatcher.joinedByteCounts.contains(word.count) else {
                joined.append(nil)
                continue
            }
            guard let rows = file.rows(withJoined: word, effort) else { return nil }
            joined.append(rows.isEmpty ? nil : rows)
        }
        let some = joined.compactMap(\.self)
        guard var either = some.first else { return none }
        for rows in some.dropFirst() { either.formUnion(rows) }
        if either.roughCount <= SearchEffort.fewRowCount { return Candidates(rows: either, areCertain: false) }
        var all: BitSet?
        for (index, joined) in joined.enumerated() {
            guard let words = having(index), var rows = self.rows(with: words) else { return nil }
            if let joined { rows.formUnion(joined) }
            if let all { rows.formIntersection(all) }
            guard !rows.isEmpty else { return none }
            all = rows
        }
        return all.map { Candidates(rows: $0, areCertain: false) }
    }

    /// The rows that have for each word typed one within so many edits. A look for such words goes through all there are, so a word
    /// that few rows are left for is not looked for, and the lines are compared; the longest have the fewest near them.
    private func near(_ edits: Int, _ isThorough: Bool) -> Candidates? {
        let order = query.words.indices.sorted { query.patterns[$0].letterCount > query.patterns[$1].letterCount }
        var rows: BitSet?
        for index in order {
            guard (rows?.roughCount ?? .max) > SearchEffort.fewRowCount else { break }
            guard let words = words(index, edits: edits), var found = self.rows(with: words) else { return nil }
            if let rows { found.formIntersection(rows) }
            rows = found
        }
        guard let rows else { return nil }
        let count = rows.roughCount
        if count == 0 { return Candidates(rows: .none, areCertain: true) }
        if count <= SearchEffort.fewRowCount { return Candidates(rows: rows, areCertain: false) }
        return difference(words(edits: edits), words(edits: edits - 1), isThorough)
    }

    /// The words typed that each row has, or has with a typo; `nil` when the words cannot be read, or are
    /// not only those that are looked through.
    func heldWords() -> HeldWords? {
        guard query.scope == .everything else { return nil }
        var all: [BitSet] = []
        for index in query.words.indices {
            guard let words = words(index, edits: 1), let rows = self.rows(with: words) else { return nil }
            all.append(rows)
        }
        return HeldWords(all)
    }

    /// The rows with one of the words for each word typed, but for those that have one of the others for each.
    private func difference(
        _ words: [SearchFile.Words]?, _ others: [SearchFile.Words]?, _ isThorough: Bool
    ) -> Candidates? {
        guard let words, let others, let all = intersection(words, isThorough) else { return nil }
        // The lists are of words anywhere in a row.
        guard query.scope == .everything else { return Candidates(rows: all.rows, areCertain: false) }
        guard all.areCertain, !others.isEmpty, !all.rows.words.isEmpty else {
            return Candidates(rows: all.rows, areCertain: all.areCertain)
        }
        guard others.reduce(0, { $0 + $1.byteCount }) <= limit(all.rows.roughCount, isThorough),
            let left = intersection(others, isThorough), left.areCertain
        else { return Candidates(rows: all.rows, areCertain: false) }
        guard !left.rows.words.isEmpty else { return Candidates(rows: all.rows, areCertain: true) }
        var rows = all.rows
        rows.subtract(left.rows)
        return Candidates(rows: rows, areCertain: true)
    }

    private func intersection(
        _ words: [SearchFile.Words], _ isThorough: Bool
    ) -> (rows: BitSet, areCertain: Bool)? {
        guard words.allSatisfy({ !$0.numbers.isEmpty }) else { return (.none, true) }
        var all: BitSet?
        for words in words.sorted(by: { $0.byteCount < $1.byteCount }) {
            if let all {
                let count = all.roughCount
                if count == 0 { break }
                guard words.byteCount <= limit(count, isThorough) else { return (all, false) }
            }
            guard var rows = self.rows(with: words) else { return nil }
            if let all { rows.formIntersection(all) }
            all = rows
        }
        return all.map { ($0, true) }
    }

    /// The rows that have one of the words; `nil` when the lists cannot be read, or nobody waits for them any more.
    private func rows(with words: SearchFile.Words) -> BitSet? { file.rows(with: words, isCancelled: isCancelled) }

    /// Of lists beside so many rows more bytes are not read.
    private func limit(_ rowCount: Int, _ isThorough: Bool) -> Int {
        isThorough ? max(rowCount * effort.lineCost, effort.listByteCount) : effort.listByteCount
    }
}
