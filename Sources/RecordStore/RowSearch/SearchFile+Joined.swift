import StorageEngine

/// Words of the text that a typed word is made of, when it ran several together.
extension SearchFile {
    /// Of so many words that begin with the end of a typed word the lists are read.
    private static let maximumEndCount = 200

    /// The rows that may hold a typed word with blanks in it: those that have all the words it is made of, of which the last may go
    /// on. `nil` when the words cannot be read. O(bytes typed * log words + bytes of the lists).
    func rows(withJoined typed: [UInt8]) -> BitSet? {
        var rows = BitSet.none(count: rowCount)
        guard let parts = parts(of: typed) else { return nil }
        // Behind so many bytes, the rows that have words for all before.
        var reached: [BitSet?] = Array(repeating: nil, count: typed.count + 1)
        for part in parts {
            guard part.start == 0 || reached[part.start] != nil else { continue }
            var found: BitSet
            if part.isWhole || part.words.count <= Self.maximumEndCount {
                var words = Words()
                for word in part.words { words.append(word, byteCount: 0) }
                guard let having = self.rows(with: words) else { return nil }
                found = having
                if let before = reached[part.start] { found.formIntersection(before) }
            } else {
                found = reached[part.start] ?? rows
            }
            guard !found.isEmpty else { continue }
            if part.end == typed.count {
                rows.formUnion(found)
            } else if reached[part.end] == nil {
                reached[part.end] = found
            } else {
                reached[part.end]?.formUnion(found)
            }
        }
        return rows
    }

    /// Words of the text that are, at one place of a typed word, part of it: one that is whole, or those that begin with its end.
    private struct Part {
        let words: Range<Int>
        let isWhole: Bool
        /// Bytes of the typed word before it, and as far as it goes.
        let start: Int
        let end: Int
    }

    /// The parts that others lead to from the beginning and that lead to the end, by where they begin.
    private func parts(of typed: [UInt8]) -> [Part]? {
        withWords { (_, ends, _, bytes, _) in
            var parts: [Part] = []
            var isReached = [Bool](repeating: false, count: typed.count + 1)
            isReached[0] = true
            for start in typed.indices where isReached[start] {
                // The words that begin with the typed bytes from there on, one byte more at each step.
                var range = 0..<wordCount
                for end in start + 1...typed.count {
                    range = Self.narrowed(range, typed[end - 1], at: end - start - 1, ends, bytes)
                    guard let first = range.first else { break }
                    let isWhole = Self.range(first, ends, within: bytes.byteCount)?.count == end - start
                    if isWhole, start > 0 || end < typed.count {
                        parts.append(Part(words: first..<first + 1, isWhole: true, start: start, end: end))
                        isReached[end] = true
                    }
                    let longer = (isWhole ? first + 1 : first)..<range.upperBound
                    if end == typed.count, start > 0, !longer.isEmpty {
                        parts.append(Part(words: longer, isWhole: false, start: start, end: end))
                    }
                }
            }
            var leads = [Bool](repeating: false, count: typed.count + 1)
            leads[typed.count] = true
            for part in parts.reversed() where leads[part.end] { leads[part.start] = true }
            return parts.filter { leads[$0.end] }
        }
    }

    /// Of words that begin with the same `offset` bytes, those whose next byte is `byte`. O(log words).
    private static func narrowed(
        _ words: Range<Int>, _ byte: UInt8, at offset: Int, _ ends: RawSpan, _ bytes: RawSpan
    ) -> Range<Int> {
        func first(_ isBehind: (Int) -> Bool) -> Int {
            var (low, high) = (words.lowerBound, words.upperBound)
            while low < high {
                let middle = (low + high) / 2
                let range = range(middle, ends, within: bytes.byteCount) ?? 0..<0
                // A shorter word comes before.
                let next = offset < range.count ? Int(bytes.byte(at: range.lowerBound + offset)) : -1
                if isBehind(next) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let start = first { $0 >= Int(byte) }
        return start..<max(start, first { $0 > Int(byte) })
    }
}
