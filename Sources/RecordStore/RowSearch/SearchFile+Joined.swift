import StorageEngine

/// Words of the text that a typed word is made of, when it ran several together.
extension SearchFile {
    /// Rows among which are all that hold a typed word with blanks in it: those that have words it is made of, of which the last may go
    /// on. Of a chain of words the rare ones count: the list of a common one is read where that takes less time than to compare the
    /// lines of the rows that are left. `nil` when the words cannot be read. O(bytes typed * log words + bytes of the lists).
    func rows(withJoined typed: [UInt8], _ effort: SearchEffort) -> BitSet? {
        guard let parts = parts(of: typed) else { return nil }
        guard let longest = parts.map(\.words.byteCount).max() else { return BitSet.none }
        // Longer lists are read only where none that is shorter tells of a row.
        var limit = max(1, effort.listByteCount >> 6)
        while true {
            guard let rows = rows(of: parts, typed.count, limit: limit, lineCost: effort.lineCost) else { return nil }
            if case .known(let rows) = rows { return rows }
            guard limit <= longest else { return nil }
            limit *= 8
        }
    }

    private enum Rows {
        /// Nothing that was read tells of them.
        case unknown
        case known(BitSet)

        func union(_ others: Rows) -> Rows {
            guard case .known(var rows) = self, case .known(let others) = others else { return .unknown }
            if rows.isEmpty { return .known(others) }
            if !others.isEmpty { rows.formUnion(others) }
            return .known(rows)
        }
    }

    /// `nil` when the lists cannot be read.
    ///
    /// - Parameter limit: of bytes of a list that is read whatever is known.
    private func rows(of parts: [Part], _ typedCount: Int, limit: Int, lineCost: Int) -> Rows? {
        // Behind so many bytes, the rows that have words for all before.
        var reached: [Rows?] = Array(repeating: nil, count: typedCount + 1)
        reached[0] = .unknown
        for part in parts {
            guard let before = reached[part.start] else { continue }
            var found = before
            var readByteCount = limit
            if case .known(let rows) = before {
                let count = rows.roughCount
                if count == 0 { continue }
                readByteCount = max(limit, count * lineCost)
            }
            if part.words.byteCount <= readByteCount {
                guard var having = rows(with: part.words) else { return nil }
                if case .known(let rows) = before { having.formIntersection(rows) }
                found = .known(having.isEmpty ? .none : having)
            }
            reached[part.end] = reached[part.end].map { $0.union(found) } ?? found
        }
        return reached[typedCount] ?? .known(.none)
    }

    /// Words of the text that are, at one place of a typed word, part of it: one that is whole, or those that begin with its end.
    private struct Part {
        let words: Words
        /// Bytes of the typed word before it, and as far as it goes.
        let start: Int
        let end: Int
    }

    /// The parts that others lead to from the beginning and that lead to the end, by where they begin.
    private func parts(of typed: [UInt8]) -> [Part]? {
        withWords { (_, ends, _, bytes, listEnds) in
            /// `nil` for lists that do not ascend.
            func words(_ range: Range<Int>) -> Words? {
                var words = Words()
                for word in range {
                    guard let list = Self.range(word, listEnds, within: placesEnd - placesOffset) else { return nil }
                    words.append(word, byteCount: list.count)
                }
                return words
            }
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
                        guard let words = words(first..<first + 1) else { return nil }
                        parts.append(Part(words: words, start: start, end: end))
                        isReached[end] = true
                    }
                    let longer = (isWhole ? first + 1 : first)..<range.upperBound
                    if end == typed.count, start > 0, !longer.isEmpty {
                        guard let words = words(longer) else { return nil }
                        parts.append(Part(words: words, start: start, end: end))
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
