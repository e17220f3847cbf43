import Filing
import StorageEngine

/// Makes the search file of a snapshot: one pass over the rows. Some 20 bytes of memory for each row: the different words and their rows are
/// written when all have been seen.
package struct SearchFileWriter {
    private let list: SearchedList
    private var folder = TextFolder()
    private var leaves: [UInt8] = []
    private var marks: [UInt8] = []
    private var words = WordSet()
    /// For each word, the last leaf that has it.
    private var lastLeaves: [UInt32] = []
    private var places = WordPlaces()
    private var leafCount = 0
    private var rowCount = 0
    private var textByteCount = 0
    private var bitmaps = SearchBitmaps()

    private init(_ list: SearchedList) { self.list = list }

    private static let outputByteCount = 1 << 16
    /// Offsets of text have 32 bits.
    private static let maximumTextByteCount = 1 << 32 - 1 << 16

    /// A companion for libraries of so many rows or more. Folding fewer rows as they are searched is as quick.
    package static func companion(of list: SearchedList, leastRowCount: Int) -> Companion {
        Companion(of: list.tree) { (version, output) throws(StorageError) in
            let count = try version.count(in: list.tree)
            guard count > 0, count >= leastRowCount, count < Int(UInt32.max) else { return false }
            var writer = SearchFileWriter(list)
            return try writer.write(version, rowCount: count, to: &output)
        }
    }

    private mutating func write(
        _ version: Version, rowCount count: Int, to output: inout CompanionWriter
    ) throws(StorageError) -> Bool {
        while rowCount < count, let (leaf, _) = try version.leaf(at: rowCount, in: list.tree) {
            guard let page = leaf.page else { return false }
            try add(leaf, on: page)
            try bitmaps.endLeaf(&output)
            guard textByteCount + folder.bytes.count < Self.maximumTextByteCount else { return false }
            if folder.bytes.count >= Self.outputByteCount { try flushText(to: &output) }
        }
        try flushText(to: &output)
        appendLeaf(page: .max)
        places.finish()
        try output.append(leaves)
        try output.append(marks)
        try bitmaps.write(to: &output)
        let placesByteCount = try writeWords(to: &output)
        var counts: [UInt8] = []
        for count in [SearchText.ruleVersion, UInt32(leafCount), UInt32(rowCount), UInt32(words.count)] {
            counts.appendLittleEndian(count)
        }
        counts.appendLittleEndian(UInt64(textByteCount))
        counts.appendLittleEndian(UInt64(words.bytes.count))
        counts.appendLittleEndian(UInt64(placesByteCount))
        try output.append(counts)
        return true
    }

    private mutating func add(_ leaf: Leaf, on page: UInt32) throws(StorageError) {
        appendLeaf(page: page)
        let start = folder.bytes.count
        for index in 0..<leaf.count {
            let entry = leaf.entry(index)
            let marks = try entry.withValue { row in
                list.appendLine(row, &folder)
                return list.flags(row, entry.facets)
            }
            self.marks.appendLittleEndian(marks.rawValue)
        }
        addWords(from: start)
        rowCount += leaf.count
        leafCount += 1
    }

    /// The words of a leaf, and what its bitmaps say of them. A word that the leaf has had says nothing new.
    private mutating func addWords(from start: Int) {
        let lines = folder.bytes
        lines.withBytes { text in
            var row = rowCount
            var wordStart = start
            for index in start..<text.byteCount where SearchText.endsWord(text.byte(at: index)) {
                if index > wordStart { add(wordStart..<index, of: text, row) }
                if text.byte(at: index) == SearchText.rowEnd { row += 1 }
                wordStart = index + 1
            }
        }
    }

    private mutating func add(_ range: Range<Int>, of text: RawSpan, _ row: Int) {
        let word = words.insert(text, range)
        places.add(row, toWord: word)
        if word == lastLeaves.count { lastLeaves.append(.max) }
        guard lastLeaves[word] != UInt32(leafCount) else { return }
        lastLeaves[word] = UInt32(leafCount)
        bitmaps.add(range, of: text)
    }

    private mutating func appendLeaf(page: UInt32) {
        leaves.appendLittleEndian(page)
        leaves.appendLittleEndian(UInt32(rowCount))
        leaves.appendLittleEndian(UInt32(textByteCount + folder.bytes.count))
    }

    private mutating func flushText(to output: inout CompanionWriter) throws(StorageError) {
        textByteCount += folder.bytes.count
        try output.append(folder.bytes)
        folder.removeAll()
    }

    /// Gives the number of bytes that the words' places take.
    private func writeWords(to output: inout CompanionWriter) throws(StorageError) -> Int {
        var letterSets: [UInt64] = []
        var wordEnds: [UInt8] = []
        var letters: [UInt8] = []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.bytes.count)
        let order = words.sorted
        for (index, word) in order.enumerated() {
            let range = words.range(word)
            if index & 63 == 0 { letterSets += [UInt64](repeating: 0, count: TypoPattern.letterSetCount) }
            let sets = letterSets.count - TypoPattern.letterSetCount
            var count = 0
            for letter in String(decoding: words.bytes[range], as: UTF8.self).unicodeScalars {
                letterSets[sets + TypoPattern.number(of: letter.value)] |= 1 << UInt64(index & 63)
                count += 1
            }
            bytes += words.bytes[range]
            wordEnds.appendLittleEndian(UInt32(bytes.count))
            letters.append(UInt8(clamping: count))
        }
        var sets: [UInt8] = []
        for set in letterSets { sets.appendLittleEndian(set) }
        try output.append(sets)
        let ends = places.listEnds(order)
        var listEnds: [UInt8] = []
        for end in ends { listEnds.appendLittleEndian(end) }
        try output.append(wordEnds)
        try output.append(listEnds)
        try output.append(letters)
        try output.append(bytes)
        try writePlaces(order, to: &output)
        return Int(ends.last ?? 0)
    }

    private func writePlaces(_ order: [Int], to output: inout CompanionWriter) throws(StorageError) {
        var bytes: [UInt8] = []
        try places.forEachList(order) { (list) throws(StorageError) in
            bytes += list
            guard bytes.count >= Self.outputByteCount else { return }
            try output.append(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        try output.append(bytes)
    }
}
