import Filing
import StorageEngine

/// One search of one version: where it looks, and what it finds there by position in the list by title.
///
/// A reference, since it goes into the closures that visit blocks and rows: a copy counts twenty references.
package final class SearchExecution {
    let version: Version
    let list: SearchedList
    let query: SearchQuery
    let facet: Facet?
    /// How the library files titles.
    let filing: FilingTailoring
    let walk: SearchScan
    let matcher: SearchMatcher
    let count: Int
    /// The rows found by a number; `nil` when none was typed.
    let numbers: SearchedNumbers?

    var numberPositions: [Int] { numbers?.positions ?? [] }

    private let typedLeaves: BitSet?
    /// The word that is looked for first.
    private let anchor: [UInt8]
    /// `nil` without a search file.
    let plan: SearchPlan?
    let effort: SearchEffort
    let isCancelled: () -> Bool

    struct Match {
        let rows: SearchRows
        let row: Int
        /// Whether every word begins a word; known where the line was compared as typed.
        var beginsWords: Bool

        var position: Int { rows.position(of: row) }

        func marks(in list: SearchedList) throws(StorageError) -> RowFlags { try rows.marks(of: row, in: list) }
    }

    /// - Parameter isCancelled: asked now and then; once it is, whatever goes on ends early.
    package init(
        _ version: Version, _ list: SearchedList, _ query: SearchQuery, _ facet: Facet?, _ numbers: SearchedNumbers?,
        _ filing: FilingTailoring,
        _ effort: SearchEffort = SearchEffort(), isCancelled: @escaping () -> Bool = { false }
    ) throws(StorageError) {
        self.version = version
        self.list = list
        self.numbers = numbers
        self.filing = filing
        self.query = query
        self.effort = effort
        self.isCancelled = isCancelled
        self.facet = facet
        walk = SearchScan(version, list)
        matcher = SearchMatcher(query: query)
        plan = walk.file.map { SearchPlan($0, query, effort, isCancelled: isCancelled) }
        count = try version.count(in: list.tree)
        (typedLeaves, anchor) = Self.rarest(query.words, walk.file)
    }

    /// Whether the row at a position matches as typed.
    func isTyped(_ position: Int) throws(StorageError) -> Bool {
        guard let entry = try version.entry(at: position, in: list.tree) else { return false }
        return try FoldedLeaf(entry, of: list).text.withBytes { matcher.matches($0) }
    }

    func isShown(_ match: Match) throws(StorageError) -> Bool {
        guard let facet else { return true }
        return try match.marks(in: list).contains(facet)
    }

    /// The leaves that may hold every word, and the word that is in the fewest of them.
    private static func rarest(_ words: [[UInt8]], _ file: SearchFile?) -> (leaves: BitSet?, anchor: [UInt8]) {
        guard let file else {
            // The longest is the rarest, mostly.
            return (nil, words.max { $0.count < $1.count } ?? [])
        }
        if words.count == 1 { return (file.leaves(withWord: words[0]), words[0]) }
        var all = BitSet(count: file.leafCount)
        var anchor: (count: Int, word: [UInt8])?
        for word in words {
            let leaves = file.leaves(withWord: word)
            let count = leaves.roughCount
            all.formIntersection(leaves)
            if let known = anchor, (known.count, -known.word.count) <= (count, -word.count) { continue }
            anchor = (count, word)
        }
        return (all, anchor?.word ?? [])
    }

    // MARK: Matches

    /// Visits the rows at `positions` that match as typed and pass the filter, in title order, until `body` returns false.
    ///
    /// - Parameter isBounded: whether it stops where the file's lists would take less time.
    /// - Returns: whether it got to the end, or `body` ended it.
    @discardableResult
    func forEachTyped(
        in positions: Range<Int>, isBounded: Bool = false, _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let limit = isBounded && plan != nil ? effort.lineCount : .max
        var compared = 0
        var hasEnded = false
        try walk.forEachBlock(positions, typedLeaves) { (text, rows) throws(StorageError) in
            guard compared < limit else { return false }
            compared += text.byteCount / SearchEffort.bytesPerLine
            var beginsWords = false
            let goesOn = try matcher.forEachRow(in: text, with: anchor) { line in
                compared += 1
                guard let begins = matcher.compare(line) else { return false }
                beginsWords = begins
                return true
            } _: { (row) throws(StorageError) in
                let match = Match(rows: rows, row: row, beginsWords: beginsWords)
                let position = match.position
                guard position >= positions.lowerBound else { return true }
                guard position < positions.upperBound else { return false }
                return try isShown(match) ? body(match) : true
            }
            hasEnded = !goesOn
            return goesOn && !isCancelled()
        }
        return hasEnded || compared < limit
    }

    /// Visits the rows at `positions`, or all, that match so and pass the filter, in title order, until `body` returns false.
    /// Where the file knows the words, only the rows that have them are looked at.
    func forEachMatch(
        _ kind: MatchKind, in positions: Range<Int>? = nil, isThorough: Bool = false,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if case .edits(let edits) = kind, !query.allows(edits: edits) { return }
        guard !isCancelled() else { return }
        let positions = positions ?? 0..<count
        guard let candidates = plan?.candidates(kind, isThorough: isThorough) else {
            return try walk.forEachBlock(positions, kind.isTyped ? typedLeaves : nil) {
                (text, rows) throws(StorageError) in
                try forEachMatch(kind, in: text, rows, positions, body) && !isCancelled()
            }
        }
        try forEachMatch(kind, in: positions, among: candidates, isThorough: isThorough, body)
    }

    private func forEachMatch(
        _ kind: MatchKind, in positions: Range<Int>, among candidates: SearchPlan.Candidates, isThorough: Bool,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let visit = { [self] (text: RawSpan, rows: SearchRows) throws(StorageError) in
            try forEachMatch(kind, in: text, rows, positions, body) && !isCancelled()
        }
        var visited = 0
        var compared = 0
        var rest: Range<Int>?
        try walk.forEachRow(positions, among: candidates.rows, elsewhere: visit) { (rows, row) throws(StorageError) in
            visited += 1
            if visited & 0xFF == 0, isCancelled() { return false }
            var match = Match(rows: rows, row: row, beginsWords: false)
            guard try isShown(match) else { return true }
            guard !candidates.areCertain else { return try body(match) }
            guard isThorough || compared < effort.lineCount else {
                rest = match.position..<positions.upperBound
                return false
            }
            compared += 1
            let isMatch = try rows.withLine(of: row, in: list) { line in
                match.beginsWords = matcher.compare(line) ?? false
                return matcher.matches(line, kind)
            }
            return try isMatch == true ? body(match) : true
        }
        if let rest { try forEachMatch(kind, in: rest, isThorough: true, body) }
    }

    private func forEachMatch(
        _ kind: MatchKind, in text: RawSpan, _ rows: SearchRows, _ positions: Range<Int>,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var beginsWords = false
        return try matcher.forEachRow(in: text, with: kind.isTyped ? anchor : nil) { line in
            guard matcher.matches(line, kind) else { return false }
            beginsWords = matcher.compare(line) ?? false
            return true
        } _: { (row) throws(StorageError) in
            let match = Match(rows: rows, row: row, beginsWords: beginsWords)
            guard match.position >= positions.lowerBound else { return true }
            guard match.position < positions.upperBound else { return false }
            return try isShown(match) ? body(match) : true
        }
    }

    /// How many rows match as typed, but for those at some positions.
    func countTyped(besides others: Set<Int>) throws(StorageError) -> Int {
        var found = 0
        let count = { (match: Match) in
            if !others.contains(match.position) { found += 1 }
            return true
        }
        let isSimple = facet == nil && others.isEmpty
        if let typed = plan?.typedRows() {
            if isSimple, typed.areCertain {
                return try walk.count(among: typed.rows) { text in
                    isCancelled() ? nil : matcher.count(in: text, anchor: anchor)
                }
            }
            if typed.areCertain || isFew(typed.rows) {
                try forEachMatch(.typed, in: 0..<self.count, among: typed, isThorough: true, count)
                return found
            }
        }
        guard isSimple else {
            try forEachTyped(in: 0..<self.count, count)
            return found
        }
        try walk.forEachBlock(0..<self.count, typedLeaves) { text, _ in
            found += matcher.count(in: text, anchor: anchor)
            return !isCancelled()
        }
        return found
    }

    /// Whether going to the lines of some rows takes less time than through the text of all.
    private func isFew(_ rows: BitSet) -> Bool {
        rows.roughCount < count / Self.linesPerLookUp
    }

    /// So many lines are looked through while one is found by its row.
    private static let linesPerLookUp = 16
}
