/// The rows in which each word occurs, as they are seen row by row: a million words of rows at a time as they come, and those
/// before packed as the search file has them.
struct WordPlaces {
    /// Each word of a row once, the rows one behind the other.
    private var words: [UInt32] = []
    /// For each row since `firstRow`, where its words end.
    private var rowEnds: [UInt32] = []
    private var firstRow = 0
    /// For each word, the last row it was seen in.
    private var lastRows: [UInt32] = []
    private var stretches: [Stretch] = []
    /// For each word, the last row that is packed.
    private var packedRows: [UInt32] = []

    /// The lists of some rows, in the order of the words' numbers.
    private struct Stretch {
        let bytes: [UInt8]
        /// Where each word's list ends.
        let ends: [UInt32]

        func list(of word: Int) -> Range<Int> {
            guard word < ends.count else { return 0..<0 }
            return (word == 0 ? 0 : Int(ends[word - 1]))..<Int(ends[word])
        }
    }

    private let stretchWordCount: Int

    init(stretchWordCount: Int = 1_000_000) { self.stretchWordCount = stretchWordCount }

    /// Precondition: rows and new words come in order.
    mutating func add(_ row: Int, toWord word: Int) {
        if row >= firstRow + rowEnds.count, words.count >= stretchWordCount { pack() }
        while firstRow + rowEnds.count <= row { rowEnds.append(UInt32(words.count)) }
        if word == lastRows.count { lastRows.append(.max) }
        guard lastRows[word] != UInt32(row) else { return }
        lastRows[word] = UInt32(row)
        words.append(UInt32(word))
        rowEnds[row - firstRow] = UInt32(words.count)
    }

    /// Is called after the last row: only then are `listEnds` and `forEachList` complete.
    mutating func finish() { pack() }

    /// Where the list of each word ends, when they follow each other in an order of words.
    func listEnds(_ order: [Int]) -> [UInt32] {
        var end = 0
        return order.map { word in
            for stretch in stretches { end += stretch.list(of: word).count }
            return UInt32(end)
        }
    }

    /// For each word its rows, ascending, as differences (the first from -1) of seven bits a byte, the high bit set where
    /// another byte follows. A list comes in pieces.
    func forEachList<Failure>(
        _ order: [Int], _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for word in order {
            for stretch in stretches { try body(stretch.bytes[stretch.list(of: word)]) }
        }
    }

    private mutating func pack() {
        packedRows += Array(repeating: .max, count: lastRows.count - packedRows.count)
        var ends = [UInt32](repeating: 0, count: lastRows.count)
        var rows = packedRows
        forEachDifference(&rows) { word, difference in ends[word] += UInt32(Self.byteCount(difference)) }
        // Where the next byte of each list goes: at the end, where the list ends.
        var count: UInt32 = 0
        for word in ends.indices {
            let start = count
            count += ends[word]
            ends[word] = start
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        forEachDifference(&packedRows) { word, difference in
            var rest = difference
            while rest >= 0x80 {
                bytes[Int(ends[word])] = UInt8(truncatingIfNeeded: rest) | 0x80
                ends[word] += 1
                rest >>= 7
            }
            bytes[Int(ends[word])] = UInt8(rest)
            ends[word] += 1
        }
        stretches.append(Stretch(bytes: bytes, ends: ends))
        firstRow += rowEnds.count
        words.removeAll(keepingCapacity: true)
        rowEnds.removeAll(keepingCapacity: true)
    }

    private static func byteCount(_ difference: UInt32) -> Int { max(1, (38 - difference.leadingZeroBitCount) / 7) }

    /// - Parameter lastRows: for each word the last row that was visited before; brought up to date on the way.
    private func forEachDifference(_ lastRows: inout [UInt32], _ body: (_ word: Int, _ difference: UInt32) -> Void) {
        var start = 0
        for (offset, end) in rowEnds.enumerated() {
            let row = UInt32(firstRow + offset)
            for index in start..<Int(end) {
                let word = Int(words[index])
                body(word, row &- lastRows[word])
                lastRows[word] = row
            }
            start = Int(end)
        }
    }
}
