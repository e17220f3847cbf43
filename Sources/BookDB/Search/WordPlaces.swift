/// The rows in which each word occurs, as they are seen row by row.
struct WordPlaces {
    /// Each word of a row once, the rows one behind the other.
    private var words: [UInt32] = []
    /// For each row, where its words end.
    private var rowEnds: [UInt32] = []
    /// For each word, the last row it was seen in.
    private var lastRows: [UInt32] = []

    /// Precondition: rows and new words come in order.
    mutating func add(_ row: Int, toWord word: Int) {
        while rowEnds.count <= row { rowEnds.append(UInt32(words.count)) }
        if word == lastRows.count { lastRows.append(.max) }
        guard lastRows[word] != UInt32(row) else { return }
        lastRows[word] = UInt32(row)
        words.append(UInt32(word))
        rowEnds[row] = UInt32(words.count)
    }

    /// For each word its rows, ascending, as differences (the first from -1) of seven bits a byte, the high bit set where
    /// another byte follows; and where each list ends.
    ///
    /// - Parameter order: all words, in the order of their lists.
    func encoded(_ order: [Int]) -> (bytes: [UInt8], ends: [UInt32]) {
        var counts = [Int](repeating: 0, count: order.count)
        forEachDifference(order.count) { word, difference in
            counts[word] += Self.byteCount(difference)
        }
        // Where the next byte of each list goes: at the end, where the list ends.
        var places = [Int](repeating: 0, count: order.count)
        var start = 0
        for word in order {
            places[word] = start
            start += counts[word]
        }
        var bytes = [UInt8](repeating: 0, count: start)
        forEachDifference(order.count) { word, difference in
            var rest = difference
            while rest >= 0x80 {
                bytes[places[word]] = UInt8(truncatingIfNeeded: rest) | 0x80
                places[word] += 1
                rest >>= 7
            }
            bytes[places[word]] = UInt8(rest)
            places[word] += 1
        }
        return (bytes, order.map { UInt32(places[$0]) })
    }

    private static func byteCount(_ difference: UInt32) -> Int { max(1, (38 - difference.leadingZeroBitCount) / 7) }

    private func forEachDifference(_ wordCount: Int, _ body: (_ word: Int, _ difference: UInt32) -> Void) {
        var lasts = [UInt32](repeating: .max, count: wordCount)
        var start = 0
        for (row, end) in rowEnds.enumerated() {
            for index in start..<Int(end) {
                let word = Int(words[index])
                body(word, UInt32(row) &- lasts[word])
                lasts[word] = UInt32(row)
            }
            start = Int(end)
        }
    }
}
