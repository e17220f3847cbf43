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

    /// The words that have a text in them, and those that begin with it.
    func words(with text: [UInt8]) -> (anywhere: Words, atBeginning: Words)? {
        withWords { (_, ends, _, bytes, listEnds) in
            var anywhere = Words()
            var atBeginning = Words()
            var word = 0
            var offset = 0
            while let hit = bytes.firstOccurrence(of: text, from: offset) {
                word = Self.firstEnd(behind: hit, in: ends, from: word, count: wordCount)
                guard word < wordCount, let range = Self.range(word, ends, within: bytes.byteCount), range.contains(hit)
                else { return nil }
                offset = hit + 1
                // A hit may begin in one word and end in the next.
                guard hit + text.count <= range.upperBound else { continue }
                guard let list = Self.range(word, listEnds, within: placesEnd - placesOffset) else { return nil }
                anywhere.append(word, byteCount: list.count)
                if hit == range.lowerBound { atBeginning.append(word, byteCount: list.count) }
                offset = range.upperBound
            }
            return anywhere.byteCount <= placesEnd - placesOffset ? (anywhere, atBeginning) : nil
        }
    }

    /// The words whose letters allow them to be as near to another as it forgives.
    func words(reachableFrom pattern: TypoPattern) -> [UInt32]? {
        withWords { (masks, _, letters, _, _) in
            // First without a branch, which leaves out most of them, then those that are left one by one.
            var some = NumberSet.none(count: wordCount)
            for block in some.words.indices {
                var bits: UInt64 = 0
                for index in block << 6..<min(block << 6 + 64, wordCount) {
                    let isLeft = pattern.mayRoughlyReach(
                        letterCount: letters.byte(at: index),
                        mask: masks.loadLittleEndian(at: index * 4, as: UInt32.self))
                    bits |= (isLeft ? 1 : 0) << UInt64(index & 63)
                }
                some.words[block] = bits
            }
            var found: [UInt32] = []
            var index = some.next(from: 0, end: wordCount)
            while index < wordCount {
                let mask = masks.loadLittleEndian(at: index * 4, as: UInt32.self)
                if pattern.mayReach(letterCount: Int(letters.byte(at: index)), mask: mask, limit: pattern.allowed) {
                    found.append(UInt32(index))
                }
                index = some.next(from: index + 1, end: wordCount)
            }
            return found
        }
    }

    /// The words within so many edits of another, itself among them, of those reachable from it.
    func words(near pattern: TypoPattern, edits: Int, among reachable: [UInt32]) -> Words? {
        withWords { (masks, ends, letters, bytes, listEnds) in
            var found = Words()
            for index in reachable.lazy.map(Int.init) {
                let mask = masks.loadLittleEndian(at: index * 4, as: UInt32.self)
                guard pattern.mayReach(letterCount: Int(letters.byte(at: index)), mask: mask, limit: edits) else {
                    continue
                }
                guard let range = Self.range(index, ends, within: bytes.byteCount) else { return nil }
                guard pattern.edits(bytes, range, limit: edits) <= edits else { continue }
                guard let list = Self.range(index, listEnds, within: placesEnd - placesOffset) else { return nil }
                found.append(index, byteCount: list.count)
            }
            return found.byteCount <= placesEnd - placesOffset ? found : nil
        }
    }

    func withWords<Result>(
        _ body: (_ masks: RawSpan, _ ends: RawSpan, _ letters: RawSpan, _ bytes: RawSpan, _ listEnds: RawSpan) ->
            Result?
    ) -> Result? {
        let found = file.withBytes(masksOffset..<placesOffset) { all -> Result? in
            body(
                all.extracting(0..<endsOffset - masksOffset),
                all.extracting(endsOffset - masksOffset..<listEndsOffset - masksOffset),
                all.extracting(lettersOffset - masksOffset..<wordsOffset - masksOffset),
                all.extracting((wordsOffset - masksOffset)...),
                all.extracting(listEndsOffset - masksOffset..<lettersOffset - masksOffset))
        }
        return found ?? nil
    }

    /// The first word from `word` on that ends behind an offset. Quick when it is near.
    private static func firstEnd(behind offset: Int, in ends: RawSpan, from word: Int, count: Int) -> Int {
        var step = 1
        var low = word
        while low + step <= count, end(of: low + step - 1, ends) <= offset {
            low += step
            step *= 2
        }
        var high = min(low + step, count)
        while low < high {
            let middle = (low + high) / 2
            if end(of: middle, ends) <= offset { low = middle + 1 } else { high = middle }
        }
        return low
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
    func rows(with words: Words) -> NumberSet? {
        var rows = NumberSet.none(count: rowCount)
        return words.numbers.allSatisfy { addRows(withWord: $0, to: &rows) } ? rows : nil
    }

    private func addRows(withWord number: Int, to rows: inout NumberSet) -> Bool {
        let range = file.withBytes(listEndsOffset..<lettersOffset) {
            Self.range(number, $0, within: placesEnd - placesOffset)
        }
        guard let range = range ?? nil else { return false }
        return file.withBytes(placesOffset + range.lowerBound..<placesOffset + range.upperBound) { list in
            var row = -1
            var difference = 0
            var shift = 0
            for offset in 0..<list.byteCount {
                let byte = list.byte(at: offset)
                difference |= Int(byte & 0x7F) << shift
                shift += 7
                guard byte < 0x80 else {
                    if shift > 28 { return false }
                    continue
                }
                row += difference
                guard row >= 0, row < rowCount else { return false }
                rows.insert(row)
                (difference, shift) = (0, 0)
            }
            return true
        } ?? false
    }
}
