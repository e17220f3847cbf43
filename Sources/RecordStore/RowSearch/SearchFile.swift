import StorageEngine

/// The text of a snapshot's rows, made ready for searching when the snapshot was written, and mapped: the file
/// `search-<generation>`. `Formats/SEARCH.md` draws it.
///
/// A function of the snapshot alone, so it may be missing or damaged: then rows are folded as they are searched. Every answer
/// is `nil` for bytes that are not what was written.
///
/// Of the body, whose counts stand at its end:
///
///     text         the line of each row, in title order
///     leaves       12 bytes for each leaf page, and once more for the end: page, first row, where its text begins
///     marks        2 bytes for each row
///     signatures   6,656 bitmaps of a bit for each leaf, in words of 64
///     letterSets   for each 64 different words, 32 bitmaps of 8 bytes: which of them have a letter
///     ends         4 bytes for each: where it ends in `words`
///     listEnds     4 bytes for each: where its list ends in `places`
///     letters      1 byte for each: how many, 255 for more
///     words        their bytes, in the order of these
///     places       for each the rows in which it occurs
///     counts       rule version, leaves, rows, words (4 bytes each), bytes of text, of words, of places (8 bytes each)
final class SearchFile: Sendable {
    static let leafByteCount = 12
    static let markByteCount = 2
    static let countsByteCount = 40
    static let letterSetsByteCount = TypoPattern.letterSetCount * 8

    let leafCount: Int
    let rowCount: Int
    let wordCount: Int
    let file: CompanionFile
    private let leavesOffset: Int
    private let marksOffset: Int
    private let signaturesOffset: Int
    let letterSetsOffset: Int
    let endsOffset: Int
    let listEndsOffset: Int
    let lettersOffset: Int
    let wordsOffset: Int
    let placesOffset: Int
    let placesEnd: Int

    /// Whether it is of the rules that this version searches by. One of others is not looked into.
    static func isOfTheseRules(_ file: CompanionFile) -> Bool {
        let start = file.byteCount - countsByteCount
        let version = file.withBytes(start..<start + 4) { $0.loadLittleEndian(at: 0, as: UInt32.self) }
        return version == SearchText.ruleVersion
    }

    /// `nil` when the file is of other rules, or its table of leaves is damaged: nothing can be found in it then. Reads the
    /// table once, half a megabyte at a million rows.
    init?(_ file: CompanionFile) {
        let end = file.byteCount - Self.countsByteCount
        let counts = file.withBytes(end..<file.byteCount) { counts in
            [0, 4, 8, 12].map { Int(counts.loadLittleEndian(at: $0, as: UInt32.self)) }
                + [16, 24, 32].map { Int(clamping: counts.loadLittleEndian(at: $0, as: UInt64.self)) }
        }
        guard let counts, counts[0] == Int(SearchText.ruleVersion), max(counts[4], counts[5], counts[6]) <= end else {
            return nil
        }
        self.file = file
        leafCount = counts[1]
        rowCount = counts[2]
        wordCount = counts[3]
        leavesOffset = counts[4]
        marksOffset = leavesOffset + (counts[1] + 1) * Self.leafByteCount
        signaturesOffset = marksOffset + counts[2] * Self.markByteCount
        letterSetsOffset = signaturesOffset + SearchSignature.rowCount * ((counts[1] + 63) / 64 * 8)
        endsOffset = letterSetsOffset + (counts[3] + 63) / 64 * Self.letterSetsByteCount
        listEndsOffset = endsOffset + counts[3] * 4
        lettersOffset = listEndsOffset + counts[3] * 4
        wordsOffset = lettersOffset + counts[3]
        placesOffset = wordsOffset + counts[5]
        placesEnd = end
        guard placesOffset + counts[6] == end, hasSoundLeaves(rowCount: counts[2], textByteCount: counts[4])
        else { return nil }
    }

    // MARK: Leaves

    struct Leaf {
        let page: UInt32
        let firstRow: Int
        let textStart: Int

        init(_ leaves: RawSpan, _ index: Int) {
            let offset = index * SearchFile.leafByteCount
            page = leaves.loadLittleEndian(at: offset, as: UInt32.self)
            firstRow = Int(leaves.loadLittleEndian(at: offset + 4, as: UInt32.self))
            textStart = Int(leaves.loadLittleEndian(at: offset + 8, as: UInt32.self))
        }
    }

    private func withLeaves<Result>(_ body: (RawSpan) -> Result) -> Result? {
        file.withBytes(leavesOffset..<marksOffset) { body($0) }
    }

    /// Whether pages, rows and text ascend from leaf to leaf, so that no later look can leave them.
    private func hasSoundLeaves(rowCount: Int, textByteCount: Int) -> Bool {
        withLeaves { leaves in
            let (first, end) = (Leaf(leaves, 0), Leaf(leaves, leafCount))
            guard first.firstRow == 0, first.textStart == 0, end.firstRow == rowCount, end.textStart == textByteCount
            else { return false }
            var last = first
            for index in stride(from: 1, through: leafCount, by: 1) {
                let next = Leaf(leaves, index)
                guard next.page > last.page, next.firstRow > last.firstRow, next.textStart >= last.textStart else {
                    return false
                }
                last = next
            }
            return true
        } ?? false
    }

    /// Precondition: 0...leafCount, the last for what lies behind all leaves.
    func leaf(_ index: Int) -> Leaf {
        let start = leavesOffset + index * Self.leafByteCount
        // Its chunks were sound when the file was opened.
        return file.withBytes(start..<start + Self.leafByteCount) { Leaf($0, 0) }!
    }

    /// Whether none of some rows are in a leaf.
    func hasNone(of rows: BitSet, inLeaf index: Int) -> Bool {
        let end = leaf(index + 1).firstRow
        return rows.next(from: leaf(index).firstRow, end: end) == end
    }

    /// The leaf that is on a page of the snapshot. `guess` is looked at first.
    func index(ofPage page: UInt32, guess: Int) -> Int? {
        if guess < leafCount, leaf(guess).page == page { return guess }
        let index = lowerBound { $0.page < page }
        return index < leafCount && leaf(index).page == page ? index : nil
    }

    /// The first leaf, or the end, that begins at or behind a row of the snapshot.
    func lowerBound(ofRow row: Int) -> Int { lowerBound { $0.firstRow < row } }

    private func lowerBound(_ isBefore: (Leaf) -> Bool) -> Int {
        withLeaves { leaves in
            var (low, high) = (0, leafCount)
            while low < high {
                let middle = (low + high) / 2
                if isBefore(Leaf(leaves, middle)) { low = middle + 1 } else { high = middle }
            }
            return low
        }!
    }

    // MARK: Rows

    /// The lines of some leaves.
    func withText<Result, Failure>(
        of leaves: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try file.withBytes(leaf(leaves.lowerBound).textStart..<leaf(leaves.upperBound).textStart, body)
    }

    /// The line of one row. O(rows of its leaf).
    func withLine<Result>(ofRow row: Int, _ body: (RawSpan) -> Result) -> Result? {
        let index = lowerBound(ofRow: row + 1) - 1
        let found = withText(of: index..<index + 1) { text in
            SearchText.line(row - leaf(index).firstRow, of: text).map { body(text.extracting($0)) }
        }
        return found ?? nil
    }

    func marks(ofRow row: Int) -> RowFlags? {
        let start = marksOffset + row * Self.markByteCount
        return file.withBytes(start..<start + Self.markByteCount) {
            RowFlags(rawValue: $0.loadLittleEndian(at: 0, as: UInt16.self))
        }
    }

    // MARK: Signatures

    /// The leaves that may hold the word. A damaged bitmap leaves none out.
    func leaves(withWord word: [UInt8]) -> BitSet {
        var leaves = BitSet(count: leafCount)
        let byteCount = (leafCount + 63) / 64 * 8
        for row in SearchSignature.rows(ofWord: word) {
            let start = signaturesOffset + row * byteCount
            _ = file.withBytes(start..<start + byteCount) { $0.intersect(into: &leaves.words) }
        }
        return leaves
    }
}
