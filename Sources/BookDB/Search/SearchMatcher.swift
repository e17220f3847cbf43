import StorageEngine

/// Compares the lines of a block with the words of a query.
struct SearchMatcher {
    let query: SearchQuery

    private static let rowEnd = [SearchText.rowEnd]

    /// Visits the rows that hold every word as typed until `body` returns false, and says whether it went on to the end.
    ///
    /// - Parameters:
    ///   - anchor: the word that is looked for first, the rarest.
    ///   - beginningsOnly: asked before each row; from then on only rows are visited in which the words begin words.
    func forEachRow(
        in text: RawSpan, anchor: [UInt8], beginningsOnly: () -> Bool,
        _ body: (_ row: Int, _ beginsWords: Bool) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var row = 0
        var rowStart = 0
        var offset = 0
        while let hit = text.firstOccurrence(of: anchor, from: offset) {
            let needsBeginnings = beginningsOnly()
            if needsBeginnings, hit > 0, !SearchText.endsWord(text.byte(at: hit - 1)) {
                offset = hit + 1
                continue
            }
            let start = text.lastOccurrence(of: SearchText.rowEnd, before: hit).map { $0 + 1 } ?? 0
            row += text.count(of: SearchText.rowEnd, in: rowStart..<start)
            rowStart = start
            let end = text.firstOccurrence(of: Self.rowEnd, from: hit) ?? text.byteCount
            offset = end + 1
            let line = text.extracting(start..<end)
            guard let beginsWords = compare(line), beginsWords || !needsBeginnings else { continue }
            guard try body(row, beginsWords) else { return false }
        }
        return true
    }

    /// How many rows hold every word as typed: quicker than visiting them.
    func count(in text: RawSpan, anchor: [UInt8]) -> Int {
        var count = 0
        var offset = 0
        while let hit = text.firstOccurrence(of: anchor, from: offset) {
            let end = text.firstOccurrence(of: Self.rowEnd, from: hit) ?? text.byteCount
            offset = end + 1
            if query.words.count > 1 {
                let start = text.lastOccurrence(of: SearchText.rowEnd, before: hit).map { $0 + 1 } ?? 0
                guard matches(text.extracting(start..<end)) else { continue }
            }
            count += 1
        }
        return count
    }

    /// `nil` when the line does not hold every word; otherwise whether each begins a word of it.
    private func compare(_ line: RawSpan) -> Bool? {
        var allBegin = true
        for word in query.words {
            guard let first = line.firstOccurrence(of: word) else { return nil }
            if allBegin { allBegin = Self.begins(word, first, line) }
        }
        return allBegin
    }

    /// Whether the word, which first occurs at `first`, begins a word there or further on.
    private static func begins(_ word: [UInt8], _ first: Int, _ line: RawSpan) -> Bool {
        var place: Int? = first
        while let offset = place {
            if offset == 0 || SearchText.endsWord(line.byte(at: offset - 1)) { return true }
            place = line.firstOccurrence(of: word, from: offset + 1)
        }
        return false
    }

    /// Whether a line, which may end in a line feed, holds every word as typed.
    func matches(_ line: RawSpan) -> Bool { query.words.allSatisfy { line.firstOccurrence(of: $0) != nil } }

    /// Visits the rows in which every word is as typed or within `edits` edits of a word, and one of them not nearer, until
    /// `body` returns false, and says whether it went on to the end.
    ///
    /// - Parameter anchors: texts of which each such row has one; `nil` when they are not known, and every row is looked at.
    func forEachRow(
        in text: RawSpan, edits: Int, anchors: SearchAnchors?, _ body: (_ row: Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var row = 0
        var counted = 0
        for start in Self.lineStarts(in: text, anchors) {
            let end = text.firstOccurrence(of: Self.rowEnd, from: start) ?? text.byteCount
            guard self.edits(text.extracting(start..<end), limit: edits) == edits else { continue }
            row += text.count(of: SearchText.rowEnd, in: counted..<start)
            counted = start
            guard try body(row) else { return false }
        }
        return true
    }

    /// Where the lines begin that have one of the anchors, ascending; all lines when they are not known.
    private static func lineStarts(in text: RawSpan, _ anchors: SearchAnchors?) -> [Int] {
        var starts: [Int] = []
        guard let anchors else {
            addLineStarts(in: text, rowEnd, isWord: false, to: &starts)
            return starts
        }
        for word in anchors.words { addLineStarts(in: text, word, isWord: true, to: &starts) }
        if let typed = anchors.typed { addLineStarts(in: text, typed, isWord: false, to: &starts) }
        starts.sort()
        return starts.indices.filter { $0 == 0 || starts[$0] != starts[$0 - 1] }.map { starts[$0] }
    }

    private static func addLineStarts(in text: RawSpan, _ anchor: [UInt8], isWord: Bool, to starts: inout [Int]) {
        var offset = 0
        while let hit = text.firstOccurrence(of: anchor, from: offset) {
            let end = hit + anchor.count
            let beginsWord = hit == 0 || SearchText.endsWord(text.byte(at: hit - 1))
            guard !isWord || (beginsWord && (end == text.byteCount || SearchText.endsWord(text.byte(at: end)))) else {
                offset = hit + 1
                continue
            }
            starts.append(text.lastOccurrence(of: SearchText.rowEnd, before: hit).map { $0 + 1 } ?? 0)
            offset = (text.firstOccurrence(of: rowEnd, from: hit) ?? text.byteCount) + 1
        }
    }

    /// The edits of the word that needs most; more than `limit` when one needs more.
    func edits(_ line: RawSpan, limit: Int) -> Int {
        var most = 0
        for (word, pattern) in zip(query.words, query.patterns) where line.firstOccurrence(of: word) == nil {
            let least = Self.leastEdits(of: line, pattern, limit: limit)
            guard least <= limit else { return least }
            most = max(most, least)
        }
        return most
    }

    private static func leastEdits(of line: RawSpan, _ pattern: TypoPattern, limit: Int) -> Int {
        var least = limit + 1
        forEachWord(in: line) { word in
            least = min(least, pattern.edits(line, word, limit: limit))
            return least > 1
        }
        return least
    }

    static func forEachWord(in line: RawSpan, _ body: (Range<Int>) -> Bool) {
        var start = 0
        for offset in 0...line.byteCount where offset == line.byteCount || SearchText.endsWord(line.byte(at: offset)) {
            if offset > start, !body(start..<offset) { return }
            start = offset + 1
        }
    }
}

/// What to look for to find the rows with typos: each has one of these.
struct SearchAnchors {
    /// Whole words.
    var words: [[UInt8]] = []
    /// A word as it was typed, anywhere.
    var typed: [UInt8]?
}
