import StorageEngine

/// The different words of the text, and the rows in which each occurs.
///
/// An answer is `nil` when the file's bytes are not what was written.
extension SearchFile {
    /// Some of the words, by their numbers, and how many bytes the lists of their rows take: what reading them costs.
    struct Words {
        private(set) var numbers: [Int] = []
        private(set) var byteCount = 0

        mutating func append(_ number: Int, byteCount: Int) {
            numbers.append(number)
            self.byteCount += byteCount
        }

        static func + (left: Words, right: Words) -> Words {
            var both = left
            both.numbers += right.numbers
            both.byteCount += right.byteCount
            return both
        }
    }

    /// The words that have another in them, and those that begin with it. O(words / 64 * letters): few have all its letters.
    func words(with typed: TypoPattern, _ text: [UInt8]) -> (anywhere: Words, atBeginning: Words)? {
        withWords { (letterSets, ends, _, bytes, listEnds) in
            var anywhere = Words()
            var atBeginning = Words()
            for block in 0..<(wordCount + 63) / 64 {
                var havers = typed.mayBeWithin { Self.havers(of: $0, block, letterSets) }
                while havers != 0 {
                    let word = block << 6 + havers.trailingZeroBitCount
                    havers &= havers - 1
                    guard word < wordCount, let range = Self.range(word, ends, within: bytes.byteCount) else {
                        return nil
                    }
                    guard let hit = bytes.extracting(range).firstOccurrence(of: text, from: 0) else { continue }
                    guard let list = Self.range(word, listEnds, within: placesEnd - placesOffset) else { return nil }
                    anywhere.append(word, byteCount: list.count)
                    if hit == 0 { atBeginning.append(word, byteCount: list.count) }
                }
            }
            return anywhere.byteCount <= placesEnd - placesOffset ? (anywhere, atBeginning) : nil
        }
    }

    /// Of a block of 64 words, a bit each, those that have a letter.
    @inline(__always)
    private static func havers(of letter: Int, _ block: Int, _ letterSets: RawSpan) -> UInt64 {
        letterSets.loadLittleEndian(at: block * letterSetsByteCount + letter * 8, as: UInt64.self)
    }

    /// The words whose letters allow them to be within one edit of another, and within two. O(words / 64 * letters).
    func words(reachableFrom pattern: TypoPattern) -> (one: BitSet, two: BitSet)? {
        withWords { (letterSets, _, _, _, _) in
            var (one, two) = (BitSet.none(count: wordCount), BitSet.none(count: wordCount))
            for block in one.words.indices {
                (one.words[block], two.words[block]) = pattern.mayReach { Self.havers(of: $0, block, letterSets) }
            }
            return (one, two)
        }
    }

    /// The words within so many edits of another, itself among them, of those reachable from it.
    func words(near pattern: TypoPattern, edits: Int, among reachable: BitSet) -> Words? {
        withWords { (_, ends, letters, bytes, listEnds) in
            var found = Words()
            var index = reachable.next(from: 0, end: wordCount)
            while index < wordCount {
                defer { index = reachable.next(from: index + 1, end: wordCount) }
                guard pattern.mayReach(letterCount: Int(letters.byte(at: index)), edits: edits) else { continue }
                guard let range = Self.range(index, ends, within: bytes.byteCount) else { return nil }
                guard pattern.edits(bytes, range, limit: edits) <= edits else { continue }
                guard let list = Self.range(index, listEnds, within: placesEnd - placesOffset) else { return nil }
                found.append(index, byteCount: list.count)
            }
            return found.byteCount <= placesEnd - placesOffset ? found : nil
        }
    }

    func withWords<Result>(
        _ body: (_ letterSets: RawSpan, _ ends: RawSpan, _ letters: RawSpan, _ bytes: RawSpan, _ listEnds: RawSpan) ->
            Result?
    ) -> Result? {
        let found = file.withBytes(letterSetsOffset..<placesOffset) { all -> Result? in
            body(
                all.extracting(0..<endsOffset - letterSetsOffset),
                all.extracting(endsOffset - letterSetsOffset..<listEndsOffset - letterSetsOffset),
                all.extracting(lettersOffset - letterSetsOffset..<wordsOffset - letterSetsOffset),
                all.extracting((wordsOffset - letterSetsOffset)...),
                all.extracting(listEndsOffset - letterSetsOffset..<lettersOffset - letterSetsOffset))
        }
        return found ?? nil
    }

    private static func end(of index: Int, _ ends: RawSpan) -> Int {
        Int(ends.loadLittleEndian(at: index * 4, as: UInt32.self))
    }

    /// What lies between two of the ends; `nil` when they do not ascend.
    static func range(_ index: Int, _ ends: RawSpan, within byteCount: Int) -> Range<Int>? {
        let start = index == 0 ? 0 : end(of: index - 1, ends)
        let end = end(of: index, ends)
        return start <= end && end <= byteCount ? start..<end : nil
    }

    // MARK: Rows

    /// The rows that have one of the words. O(rows / 64 + bytes of their lists).
    ///
    /// - Parameter isCancelled: asked now and then; `nil` once it is.
    func rows(with words: Words, isCancelled: () -> Bool = { false }) -> BitSet? {
        guard !words.numbers.isEmpty else { return BitSet.none }
        var rows = BitSet.none(count: rowCount)
        for (index, number) in words.numbers.enumerated() {
            if index & 0xFFF == 0xFFF, isCancelled() { return nil }
            guard addRows(withWord: number, to: &rows) else { return nil }
        }
        return rows
    }

    private func addRows(withWord number: Int, to rows: inout BitSet) -> Bool {
        let range = file.withBytes(listEndsOffset..<lettersOffset) {
            Self.range(number, $0, within: placesEnd - placesOffset)
        }
        guard let range = range ?? nil else { return false }
        return file.withBytes(placesOffset + range.lowerBound..<placesOffset + range.upperBound) { list in
            var words = rows.words.mutableSpan
            return Self.addRows(list, of: rowCount, to: &words)
        } ?? false
    }

    /// Sets the bits of the rows in a list. The rows of a common word are near each other, so eight differences lie in eight bytes.
    ///
    /// - Returns: whether the list is one, of rows that there are.
    static func addRows(_ list: RawSpan, of rowCount: Int, to words: inout MutableSpan<UInt64>) -> Bool {
        let count = list.byteCount
        var (row, offset) = (-1, 0)
        while offset < count {
            if count - offset >= 8 {
                var eight = list.loadLittleEndian(at: offset, as: UInt64.self)
                // Differences of a byte, which together are far from an overflow.
                if eight & 0x8080_8080_8080_8080 == 0, row + 8 * 0x7F < rowCount {
                    for _ in 0..<8 {
                        row += Int(truncatingIfNeeded: eight & 0xFF)
                        guard row >= 0 else { return false }
                        words[row >> 6] |= 1 << UInt64(truncatingIfNeeded: row & 63)
                        eight >>= 8
                    }
                    offset += 8
                    continue
                }
            }
            var (difference, shift) = (0, 0)
            var byte: UInt8
            repeat {
                guard offset < count, shift <= 28 else { return false }
                byte = list.byte(at: offset)
                difference |= Int(byte & 0x7F) << shift
                shift += 7
                offset += 1
            } while byte >= 0x80
            row += difference
            guard row >= 0, row < rowCount else { return false }
            words[row >> 6] |= 1 << UInt64(truncatingIfNeeded: row & 63)
        }
        return true
    }
}
