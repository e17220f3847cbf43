import StorageEngine

/// One search of one version: where it looks, and what it finds there by position in the list by title.
struct SearchRun {
    let version: Version
    let query: SearchQuery
    let facet: Facet?
    /// How the library files titles.
    let filing: FilingTailoring
    let walk: SearchWalk
    let matcher: SearchMatcher
    let count: Int
    /// Positions of the works found by ISBN, ascending.
    let isbnPositions: [Int]

    /// Of one ISBN beginning at most so many works are found, the first by number.
    static let isbnWorkCount = 1000
    /// Words near a mistyped one that are looked up; of more, all leaves are looked through.
    private static let nearWordCount = 2000
    /// Of fewer words each is looked for in the text; of more, every word of the text is compared with the typed one.
    private static let anchorCount = 16

    private let typedLeaves: LeafSet?
    /// The word that is looked for first.
    private let anchor: [UInt8]

    struct Match {
        let position: Int
        var beginsWords = false
        fileprivate let rows: SearchRows
        fileprivate let row: Int

        var marks: SearchMarks {
            get throws(StorageError) { try rows.marks(of: row) }
        }
    }

    init(
        _ version: Version, _ query: SearchQuery, _ filter: WorkFilter, _ filing: FilingTailoring
    ) throws(StorageError) {
        self.version = version
        self.filing = filing
        self.query = query
        facet = filter.facet
        walk = SearchWalk(version)
        matcher = SearchMatcher(query: query)
        count = try version.count(in: LibraryTree.title)
        (typedLeaves, anchor) = Self.rarest(query.words, walk.file)
        isbnPositions =
            try query.isbns.map { isbns throws(StorageError) in
                try Self.positions(of: isbns, version)
            } ?? []
    }

    private func isShown(_ match: Match) throws(StorageError) -> Bool {
        guard let facet else { return true }
        return try match.marks.contains(facet)
    }

    // MARK: As typed

    /// Visits the works at `positions` that match as typed and pass the filter, in title order, until `body` returns false.
    func forEachMatch(
        in positions: Range<Int>, beginningsOnly: () -> Bool = { false },
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try walk.forEachBlock(positions, typedLeaves) { (text, rows) throws(StorageError) in
            try matcher.forEachRow(in: text, anchor: anchor, beginningsOnly: beginningsOnly) {
                (row, beginsWords) throws(StorageError) in
                let position = rows.position(of: row)
                guard position >= positions.lowerBound else { return true }
                guard position < positions.upperBound else { return false }
                let match = Match(position: position, beginsWords: beginsWords, rows: rows, row: row)
                return try isShown(match) ? body(match) : true
            }
        }
    }

    /// How many works match as typed, but for those at some positions. Ends early when it is cancelled.
    func countTyped(besides others: Set<Int>, isCancelled: () -> Bool) throws(StorageError) -> Int {
        var found = 0
        guard facet == nil, others.isEmpty else {
            var seen = 0
            try forEachMatch(in: 0..<count) { match in
                if !others.contains(match.position) { found += 1 }
                seen += 1
                return seen & 0xFF != 0 || !isCancelled()
            }
            return found
        }
        try walk.forEachBlock(0..<count, typedLeaves) { text, _ in
            found += matcher.count(in: text, anchor: anchor)
            return !isCancelled()
        }
        return found
    }

    /// The leaves that may hold every word, and the word that is in the fewest of them.
    private static func rarest(_ words: [[UInt8]], _ file: SearchFile?) -> (leaves: LeafSet?, anchor: [UInt8]) {
        guard let file else {
            // The longest is the rarest, mostly.
            return (nil, words.max { $0.count < $1.count } ?? [])
        }
        var all = LeafSet(count: file.leafCount)
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

    // MARK: With typos

    /// Visits the works that match with so many edits in a word and no fewer, in title order, until `body` returns false.
    func forEachMatch(edits: Int, _ body: (Match) throws(StorageError) -> Bool) throws(StorageError) {
        guard query.allows(edits: edits) else { return }
        let (leaves, anchors) = walk.file.map { near($0, edits: edits) } ?? (nil, nil)
        try walk.forEachBlock(0..<count, leaves) { (text, rows) throws(StorageError) in
            // The file knows no word that came since.
            let anchors = rows.areFromFile ? anchors : nil
            return try matcher.forEachRow(in: text, edits: edits, anchors: anchors) { (row) throws(StorageError) in
                let match = Match(position: rows.position(of: row), rows: rows, row: row)
                return try isShown(match) ? body(match) : true
            }
        }
    }

    /// The leaves that may hold for each word itself or one near it, for one of them the latter; and what to look for in them:
    /// the words near one, or near any.
    private func near(_ file: SearchFile, edits: Int) -> (leaves: LeafSet, anchors: SearchAnchors?) {
        var leaves = LeafSet(count: file.leafCount)
        var anyNear = LeafSet.none(count: file.leafCount)
        var all = SearchAnchors()
        var isKnown = true
        var best: (cost: Int, anchors: SearchAnchors)?
        for (word, pattern) in zip(query.words, query.patterns) {
            let limit = min(edits, pattern.allowed)
            var near = LeafSet.none(count: file.leafCount)
            let words = limit == 0 ? [] : file.words(near: pattern, edits: limit, limit: Self.nearWordCount)
            guard let words, words.allSatisfy({ file.addLeaves(withWord: $0.index, to: &near) }) else {
                isKnown = false
                continue
            }
            if limit == edits {
                anyNear.formUnion(near)
                all.words += words.map(\.bytes)
            }
            near.formUnion(file.leaves(withWord: word))
            leaves.formIntersection(near)
            let cost = near.roughCount * (words.count + 1)
            if cost < best?.cost ?? .max { best = (cost, SearchAnchors(words: words.map(\.bytes), typed: word)) }
        }
        if isKnown {
            leaves.formIntersection(anyNear)
            let cost = anyNear.roughCount * all.words.count
            if cost < best?.cost ?? .max { best = (cost, all) }
        }
        return (leaves, best.flatMap { $0.anchors.words.count < Self.anchorCount ? $0.anchors : nil })
    }

    // MARK: By ISBN

    private static func positions(
        of isbns: ISBNBeginning, _ version: Version
    ) throws(StorageError) -> [Int] {
        var works: [ID<Work>] = []
        var known: Set<ID<Work>> = []
        for numbers in isbns.numbers {
            let start = try version.lowerBound(of: .bigEndian(numbers.lowerBound), in: LibraryTree.isbns)
            let end = try version.lowerBound(of: .bigEndian(numbers.upperBound), in: LibraryTree.isbns)
            try version.forEachEntry(in: LibraryTree.isbns, positions: start..<max(start, end)) { entry in
                let work = entry.withKey { key in
                    key.byteCount == 24 ? ID<Work>(rawValue: key.loadBigEndian(at: 8)) : nil
                }
                if let work, known.insert(work).inserted { works.append(work) }
                return works.count < isbnWorkCount
            }
        }
        var positions: [Int] = []
        for work in works {
            // A record that cannot be read is found by its words all the same.
            guard let key = try? Snapshot.Works(version: version).key(of: work, in: .title),
                try version.contains(key, in: LibraryTree.title)
            else { continue }
            positions.append(try version.lowerBound(of: key, in: LibraryTree.title))
        }
        return positions.sorted()
    }

    /// The works found by ISBN that pass the filter, but for those that match as typed if they are left out.
    func isbnMatches(leavingOutTyped: Bool) throws(StorageError) -> [Match] {
        var matches: [Match] = []
        var folder = Folder()
        for position in isbnPositions {
            guard let entry = try version.entry(at: position, in: LibraryTree.title) else { continue }
            folder.removeAll()
            let marks = try entry.withValue { row in
                if leavingOutTyped { SearchText.append(row, to: &folder) }
                return SearchMarks(row, entry.facets)
            }
            if leavingOutTyped, folder.bytes.withBytes({ matcher.matches($0) }) { continue }
            let rows = SearchRows(version, position: position, .leaf(slots: [0], marks: [marks]))
            let match = Match(position: position, rows: rows, row: 0)
            if try isShown(match) { matches.append(match) }
        }
        return matches
    }
}
