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
        // Once there are enough, rows with as many letters come too late.
        var neededLetterCount = 0
        try forEachPartial(isWanted: { query.letterCount($0) >= neededLetterCount }) {
            (match, held) throws(StorageError) in
            let letterCount = query.letterCount(held)
            partials.append(Partial(match: match, missing: query.allWords & ~held, letterCount: letterCount))
            guard partials.count >= limit * 4 || (neededLetterCount == 0 && partials.count >= limit) else { return }
            partials = Self.mostLetters(partials, limit)
            neededLetterCount = (partials.map(\.letterCount).min() ?? 0) + 1
        }
        return Self.mostLetters(partials, limit)
    }

    /// The first of those with the most words that pass the filter, in title order, however many letters they have.
    func firstPartials(_ limit: Int) throws(StorageError) -> [Partial] {
        var partials: [Partial] = []
        try forEachPartial(isWanted: { _ in partials.count < limit }) { match, held in
            partials.append(
                Partial(match: match, missing: query.allWords & ~held, letterCount: query.letterCount(held)))
        }
        return partials
    }

    func partialCount() throws(StorageError) -> Int {
        guard facet == nil, let held = plan?.heldWords() else {
            var count = 0
            try forEachPartial(isWanted: { _ in true }) { _, _ in count += 1 }
            return count
        }
        for wordCount in stride(from: query.words.count - 1, through: 1, by: -1) {
            let count = try walk.count(among: held.rows(wordCount)) { (text) throws(StorageError) in
                var count = 0
                let isHolding = { [matcher] (line: RawSpan) in matcher.heldWords(line).nonzeroBitCount == wordCount }
                _ = try matcher.forEachRow(in: text, with: nil, isHolding) { _ in
                    count += 1
                    return true
                }
                return isCancelled() ? nil : count
            }
            if count > 0 { return count }
        }
        return 0
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
    ///
    /// - Parameter isWanted: whether rows that have these words are visited. Of the first ones they are.
    private func forEachPartial(
        isWanted: (UInt64) -> Bool, _ body: (Match, UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let held = plan?.heldWords() else {
            return try forEachHolding(mostHeldWords(), nil, isWanted, body)
        }
        for wordCount in stride(from: query.words.count - 1, through: 1, by: -1) {
            var isFound = false
            try forEachHolding(wordCount, held, isWanted) { (match, words) throws(StorageError) in
                isFound = true
                try body(match, words)
            }
            if isFound { return }
        }
    }

    /// The most words, at least one and not all, that a row has which passes the filter. One walk through all rows, which each number of words would need
    /// otherwise.
    private func mostHeldWords() throws(StorageError) -> Int {
        var most = 1
        guard query.words.count > 2 else { return most }
        try walk.forEachBlock(0..<count, nil) { (text, rows) throws(StorageError) in
            var wordCount = 0
            return try matcher.forEachRow(in: text, with: nil) { line in
                wordCount = matcher.heldWords(line).nonzeroBitCount
                return wordCount > most && wordCount < query.words.count
            } _: { (row) throws(StorageError) in
                if try isShown(Match(rows: rows, row: row, beginsWords: false)) { most = wordCount }
                return most < query.words.count - 1
            } && !isCancelled()
        }
        return most
    }

    /// - Parameter held: `nil` where the lines are to be looked at.
    private func forEachHolding(
        _ wordCount: Int, _ held: HeldWords?, _ isWanted: (UInt64) -> Bool,
        _ body: (Match, UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let visit = { [self] (text: RawSpan, rows: SearchRows) throws(StorageError) -> Bool in
            var words: UInt64 = 0
            return try matcher.forEachRow(in: text, with: nil) { line in
                words = matcher.heldWords(line)
                return words.nonzeroBitCount == wordCount && isWanted(words)
            } _: { (row) throws(StorageError) in
                let match = Match(rows: rows, row: row, beginsWords: false)
                if try isShown(match) { try body(match, words) }
                return true
            } && !isCancelled()
        }
        guard let held else { return try walk.forEachBlock(0..<count, nil, visit) }
        try walk.forEachRow(0..<count, among: held.rows(wordCount), elsewhere: visit) {
            (rows, row) throws(StorageError) in
            guard let number = rows.fileRow(of: row) else { return !isCancelled() }
            let words = held.words(ofRow: number)
            guard isWanted(words) else { return number & 0xFF != 0 || !isCancelled() }
            let match = Match(rows: rows, row: row, beginsWords: false)
            if try isShown(match) { try body(match, words) }
            return !isCancelled()
        }
    }
}
