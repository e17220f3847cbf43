import StorageEngine

/// The rows that have some of the words typed, when none has all.
extension SearchExecution {
    /// A row that has some of the words, or has them with a typo.
    struct Partial {
        let match: Match
        /// A bit for each word typed that it does not have.
        let missing: UInt64
        /// Letters of the words that it has.
        let letterCount: Int
    }

    /// Those with the most words that pass the filter, in title order: all, or those with the most letters in their words.
    ///
    /// - Parameter limit: so many at least, when there are as many.
    func partials(limit: Int) throws(StorageError) -> [Partial] {
        var partials: [Partial] = []
        var leastLetterCount = 0
        try forEachPartial { (match, held) throws(StorageError) in
            let letterCount = query.letterCount(held)
            guard letterCount >= leastLetterCount else { return }
            partials.append(Partial(match: match, missing: query.allWords & ~held, letterCount: letterCount))
            guard partials.count >= limit * 4 else { return }
            let kept = Self.mostLetters(partials, limit)
            leastLetterCount = kept.map(\.letterCount).min() ?? 0
            partials = kept
        }
        return Self.mostLetters(partials, limit)
    }

    func partialCount() throws(StorageError) -> Int {
        var count = 0
        try forEachPartial { _, _ in count += 1 }
        return count
    }

    /// In the order they have.
    private static func mostLetters(_ partials: [Partial], _ limit: Int) -> [Partial] {
        guard partials.count > limit else { return partials }
        let order = partials.indices.sorted {
            (-partials[$0].letterCount, $0) < (-partials[$1].letterCount, $1)
        }
        return order.prefix(limit).sorted().map { partials[$0] }
    }

    /// Visits the rows with the most words, with the words they have, in title order.
    private func forEachPartial(
        _ body: (Match, UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let held = plan?.heldWords()
        for wordCount in stride(from: query.words.count - 1, through: 1, by: -1) {
            var isFound = false
            try forEachHolding(wordCount, held) { (match, words) throws(StorageError) in
                isFound = true
                try body(match, words)
            }
            if isFound { return }
        }
    }

    private func forEachHolding(
        _ wordCount: Int, _ held: HeldWords?, _ body: (Match, UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let visit = { [self] (text: RawSpan, rows: SearchRows) throws(StorageError) -> Bool in
            var words: UInt64 = 0
            return try matcher.forEachRow(in: text, with: nil) { line in
                words = matcher.heldWords(line)
                return words.nonzeroBitCount == wordCount
            } _: { (row) throws(StorageError) in
                let match = Match(rows: rows, row: row, beginsWords: false)
                if try isShown(match) { try body(match, words) }
                return true
            } && !isCancelled()
        }
        guard let held else { return try walk.forEachBlock(0..<count, nil, visit) }
        try walk.forEachRow(0..<count, among: held.rows(wordCount), elsewhere: visit) {
            (rows, row) throws(StorageError) in
            let match = Match(rows: rows, row: row, beginsWords: false)
            if let number = rows.fileRow(of: row), try isShown(match) { try body(match, held.words(ofRow: number)) }
            return !isCancelled()
        }
    }
}
