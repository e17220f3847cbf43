import StorageEngine

/// Compares the lines of a block with the words of a query.
package struct SearchMatcher {
    let query: SearchQuery
    /// The words as typed, a blank apart.
    let beginning: [UInt8]

    package init(query: SearchQuery) {
        self.query = query
        beginning = Array(query.words.joined(separator: [0x20]))
    }

    /// Visits the lines that have a text, or all, until `body` returns false, and says whether it went on to the end.
    ///
    /// - Parameters:
    ///   - isMatch: asked for each of them.
    ///   - body: gets the number of each that matches.
    package func forEachRow(
        in text: RawSpan, with anchor: [UInt8]?, _ isMatch: (RawSpan) -> Bool,
        _ body: (_ row: Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var row = 0
        var rowStart = 0
        var offset = 0
        while let hit = anchor.map({ text.firstOccurrence(of: $0, from: offset) }) ?? offset, hit < text.byteCount {
            let start = text.lastOccurrence(of: SearchText.rowEnd, before: hit).map { $0 + 1 } ?? 0
            let end = text.firstOccurrence(of: SearchText.rowEnds, from: hit) ?? text.byteCount
            offset = end + 1
            guard isMatch(text.extracting(start..<end)) else { continue }
            row += text.count(of: SearchText.rowEnd, in: rowStart..<start)
            rowStart = start
            guard try body(row) else { return false }
        }
        return true
    }

    /// How many rows hold every word as typed: quicker than visiting them.
    package func count(in text: RawSpan, anchor: [UInt8]) -> Int {
        var count = 0
        var offset = 0
        while let hit = text.firstOccurrence(of: anchor, from: offset) {
            let end = text.firstOccurrence(of: SearchText.rowEnds, from: hit) ?? text.byteCount
            offset = end + 1
            if query.words.count > 1 || !isPlain {
                let start = text.lastOccurrence(of: SearchText.rowEnd, before: hit).map { $0 + 1 } ?? 0
                guard matches(text.extracting(start..<end)) else { continue }
            }
            count += 1
        }
        return count
    }

    /// Whether a line matches so.
    package func matches(_ line: RawSpan, _ kind: MatchKind) -> Bool {
        switch kind {
        case .typed: matches(line)
        case .wordBeginnings: compare(line) == true
        case .inside: compare(line) == false
        case .titleBeginning: begins(line)
        case .joined: joins(line)
        case .edits(let count): edits(line, limit: count) == count
        }
    }

    /// Whether all of a line is looked through, and words may be anywhere.
    private var isPlain: Bool { query.scope == .everything && query.matching == .anywhere }

    /// What is looked through of a line.
    private func searched(_ line: RawSpan) -> Range<Int> {
        switch query.scope {
        case .everything: 0..<line.byteCount
        case .titles: Self.title(of: line)
        }
    }

    package static func title(of line: RawSpan) -> Range<Int> {
        0..<(line.firstOccurrence(of: [SearchText.fieldEnd]) ?? line.byteCount)
    }

    /// Whether a text has a word as typed.
    private func has(_ word: [UInt8], _ text: RawSpan) -> Bool {
        guard let first = text.firstOccurrence(of: word) else { return false }
        return query.matching == .anywhere || Self.begins(word, first, text)
    }

    /// Whether a line holds every word as typed or run together with its neighbours, and not all as typed.
    private func joins(_ line: RawSpan) -> Bool {
        let line = line.extracting(searched(line))
        var hasJoined = false
        for word in query.words where !has(word, line) {
            guard Self.joinedRange(of: word, in: line) != nil else { return false }
            hasJoined = true
        }
        return hasJoined
    }

    /// Words of so many bytes may be several run together.
    package static let joinedByteCounts = 4...60

    /// Where a line holds a typed word with blanks in it, from the beginning of a word on.
    static func joinedRange(of typed: [UInt8], in line: RawSpan) -> Range<Int>? {
        guard joinedByteCounts.contains(typed.count) else { return nil }
        for start in 0..<line.byteCount
        where line.byte(at: start) == typed[0] && (start == 0 || SearchText.endsWord(line.byte(at: start - 1))) {
            var (place, offset) = (0, start)
            while place < typed.count, offset < line.byteCount {
                let byte = line.byte(at: offset)
                if byte == typed[place] { place += 1 } else if byte != LibraryKey.blank { break }
                offset += 1
            }
            if place == typed.count { return start..<offset }
        }
        return nil
    }

    /// Whether a line holds every word, with as many typos as are ever forgiven.
    package func holdsAll(_ line: RawSpan) -> Bool { edits(line, limit: 2) <= 2 }

    /// Whether a line matches in any way but by its title or a number: also when words of it are left out.
    package func mayMatch(_ line: RawSpan) -> Bool {
        holdsAll(line) || joins(line) || (query.words.count > 1 && heldWords(line) != 0)
    }

    /// Whether a line, which may end in a line feed, holds every word as typed.
    package func matches(_ line: RawSpan) -> Bool {
        let line = line.extracting(searched(line))
        return query.words.allSatisfy { has($0, line) }
    }

    private func begins(_ line: RawSpan) -> Bool {
        guard line.byteCount >= beginning.count else { return false }
        return line.extracting(0..<beginning.count).firstOccurrence(of: beginning) == 0
    }

    /// `nil` when the line does not hold every word; otherwise whether each begins a word of it.
    package func compare(_ line: RawSpan) -> Bool? {
        let line = line.extracting(searched(line))
        var allBegin = true
        for word in query.words {
            guard let first = line.firstOccurrence(of: word) else { return nil }
            if allBegin { allBegin = Self.begins(word, first, line) }
            if !allBegin, query.matching == .beginnings { return nil }
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

    /// A bit for each word typed that a line has, or has with a typo.
    package func heldWords(_ line: RawSpan) -> UInt64 {
        let line = line.extracting(searched(line))
        var held: UInt64 = 0
        for (index, (word, pattern)) in zip(query.words, query.patterns).enumerated() {
            let isHeld =
                has(word, line)
                || (pattern.allowed > 0 && Self.leastEdits(of: line, pattern, limit: 1) <= 1)
            if isHeld { held |= 1 << UInt64(index) }
        }
        return held
    }

    /// The edits of the word that needs most; more than `limit` when one needs more.
    private func edits(_ line: RawSpan, limit: Int) -> Int {
        let line = line.extracting(searched(line))
        var most = 0
        for (word, pattern) in zip(query.words, query.patterns) where !has(word, line) {
            guard pattern.allowed > 0 else { return limit + 1 }
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
