import StorageEngine

/// The bitmaps of a search file in the making: the leaves come one by one, and the file has one bitmap after the other. What was gathered of
/// many leaves is set aside, so that it takes memory for some thousand leaves at the most.
struct SearchBitmaps {
    /// Of the 64 leaves at hand a bit in each bitmap's word.
    private var words = [UInt64](repeating: 0, count: SearchSignature.rowCount)
    private var leafCount = 0
    /// The words of every 64 leaves before, as far as they are in memory.
    private var gathered: [[UInt64]] = []
    /// The stretches of leaves that were set aside, and of each the groups of bitmaps.
    private var aside: [[BytesAside]] = []

    private let gatheredCount: Int

    /// - Parameter gatheredCount: so many times 64 leaves are set aside together. Those of 64 take 3.4 MB.
    init(gatheredCount: Int = 64) { self.gatheredCount = gatheredCount }

    /// Bitmaps that are set aside, and read again, together. They divide into such groups.
    private static let groupRowCount = 104

    /// A word that the leaf at hand has.
    mutating func add(_ word: Range<Int>, of text: RawSpan) {
        let bit = UInt64(1) << UInt64(leafCount & 63)
        var bitmaps = words.mutableSpan
        SearchSignature.forEachRow(ofWord: word, in: text) { bitmaps[$0] |= bit }
    }

    mutating func endLeaf(_ output: inout CompanionWriter) throws(StorageError) {
        leafCount += 1
        guard leafCount % 64 == 0 else { return }
        gather()
        if gathered.count == gatheredCount { try setAside(&output) }
    }

    private mutating func gather() {
        gathered.append(words)
        for row in words.indices { words[row] = 0 }
    }

    private mutating func setAside(_ output: inout CompanionWriter) throws(StorageError) {
        var groups: [BytesAside] = []
        for rows in Self.groups {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(rows.count * gathered.count * 8)
            for row in rows {
                for words in gathered { bytes.appendLittleEndian(words[row]) }
            }
            groups.append(try output.setAside(bytes))
        }
        aside.append(groups)
        gathered.removeAll(keepingCapacity: true)
    }

    private static var groups: [Range<Int>] {
        stride(from: 0, to: SearchSignature.rowCount, by: groupRowCount).map { $0..<$0 + groupRowCount }
    }

    /// Writes every bitmap. Nothing is added afterwards.
    mutating func write(to output: inout CompanionWriter) throws(StorageError) {
        if leafCount % 64 != 0 { gather() }
        let rowByteCount = gatheredCount * 8
        for (number, rows) in Self.groups.enumerated() {
            var stretches: [[UInt8]] = []
            for groups in aside { stretches.append(try output.read(groups[number])) }
            var bytes: [UInt8] = []
            for (index, row) in rows.enumerated() {
                for stretch in stretches { bytes += stretch[index * rowByteCount..<(index + 1) * rowByteCount] }
                for words in gathered { bytes.appendLittleEndian(words[row]) }
            }
            try output.append(bytes)
        }
    }
}
