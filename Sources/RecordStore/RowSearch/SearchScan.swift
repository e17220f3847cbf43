import Filing
import StorageEngine

/// Walks the rows of a version in title order as blocks of text: of leaves that are as they stand in the snapshot, the text in
/// the search file; of others, and where there is no such file, what their rows fold to.
///
/// Because it follows the version's own tree, deletions, insertions and positions are what the list shows.
struct SearchScan {
    let version: Version
    let list: SearchedList
    let file: SearchFile?
    /// What was folded on the way: a search may go that way several times.
    private let folded = FoldedLeaves()

    typealias Visit = (_ text: RawSpan, _ rows: SearchRows) throws(StorageError) -> Bool

    /// Leaves of the file that are searched as one text: enough that finding them costs little beside reading them.
    private static let blockLeafCount = 64

    init(_ version: Version, _ list: SearchedList) {
        self.version = version
        self.list = list
        file = version.companion { SearchFile($0) }
    }

    /// Visits the blocks that hold rows at `positions` (and maybe others beside them), but for leaves and rows of the file that
    /// are not among `leaves`, until `body` returns false.
    func forEachBlock(_ positions: Range<Int>, _ leaves: BitSet?, _ body: Visit) throws(StorageError) {
        try forEachPart(
            positions, body,
            isLeftOut: { leaf in leaves.map { !$0.contains(leaf) } ?? false },
            { (stretch) throws(StorageError) in try visit(stretch, positions, leaves, body) })
    }

    /// Visits those of some rows of the file that are at `positions`, and between them the blocks of rows that are not in the
    /// file, until either body returns false.
    func forEachRow(
        _ positions: Range<Int>, among candidates: BitSet, elsewhere: Visit,
        _ body: (_ rows: SearchRows, _ row: Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let file else { return try forEachBlock(positions, nil, elsewhere) }
        try forEachPart(
            positions, elsewhere, isLeftOut: { file.hasNone(of: candidates, inLeaf: $0) },
            { (stretch) throws(StorageError) in
                let (start, end) = rows(of: stretch, positions, file)
                let firstRow = file.leaf(stretch.leaves.lowerBound).firstRow
                let rows = SearchRows(version, position: stretch.position, .file(file, firstRow: firstRow))
                var row = candidates.next(from: start, end: end)
                while row < end {
                    guard try body(rows, row - firstRow) else { return false }
                    row = candidates.next(from: row + 1, end: end)
                }
                return true
            })
    }

    /// How many there are of some rows of the file, and of what `elsewhere` counts in rows that are not in it; it ends the walk by `nil`.
    /// O(rows / 64).
    func count(
        among candidates: BitSet, elsewhere: (_ text: RawSpan) throws(StorageError) -> Int?
    ) throws(StorageError) -> Int {
        guard let file else { return 0 }
        var found = 0
        try forEachPart(
            0..<version.count(in: list.tree),
            { (text, _) throws(StorageError) in
                guard let count = try elsewhere(text) else { return false }
                found += count
                return true
            },
            isLeftOut: { file.hasNone(of: candidates, inLeaf: $0) },
            { stretch in
                let end = file.leaf(stretch.leaves.upperBound).firstRow
                found += candidates.count(in: file.leaf(stretch.leaves.lowerBound).firstRow..<end)
                return true
            })
        return found
    }

    /// Visits stretches of the file, and the blocks of everything else, in title order.
    ///
    /// - Parameter isLeftOut: whether the rows of a leaf of the file need no visit.
    private func forEachPart(
        _ positions: Range<Int>, _ folded: Visit, isLeftOut: (Int) -> Bool,
        _ body: (Stretch) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var failure: StorageError?
        var last: Stretch?
        try version.forEachRun(in: list.tree, positions: positions) { run, position in
            do throws(StorageError) {
                var next: Stretch?
                if case .unchanged(let page, let count) = run {
                    next = self.stretch(page, count, position, guess: last?.leaves.upperBound)
                    if let next, last?.join(next) == true { return true }
                }
                let before = last
                last = nil
                guard try before.map(body) ?? true else { return false }
                last = next
                switch run {
                case .unchanged where next != nil: return true
                case .unchanged(_, let count): return try fold(position..<position + count, positions, folded)
                case .changed(let leaf): return try fold(leaf, at: position, onlyNew: isKept(leaf, isLeftOut), folded)
                }
            } catch {
                failure = error
                last = nil
                return false
            }
        }
        if let failure { throw failure }
        if let last { _ = try body(last) }
    }

    // MARK: In the file

    /// Neighbours in the file that are neighbours in the version.
    private struct Stretch {
        var leaves: Range<Int>
        /// Of the first row.
        let position: Int

        /// Takes in what follows; `false` when something lies between in the file.
        mutating func join(_ next: Stretch) -> Bool {
            guard next.leaves.lowerBound == leaves.upperBound else { return false }
            leaves = leaves.lowerBound..<next.leaves.upperBound
            return true
        }
    }

    /// `nil` when the file does not know the leaves.
    private func stretch(_ page: UInt32, _ count: Int, _ position: Int, guess: Int?) -> Stretch? {
        guard let file, let first = file.index(ofPage: page, guess: guess ?? 0) else { return nil }
        let end = file.leaf(first).firstRow + count
        let next = first + 1
        let last = file.leaf(next).firstRow == end ? next : file.lowerBound(ofRow: end)
        guard file.leaf(last).firstRow == end else { return nil }
        return Stretch(leaves: first..<last, position: position)
    }

    /// The rows of a stretch at `positions`.
    private func rows(of stretch: Stretch, _ positions: Range<Int>, _ file: SearchFile) -> (start: Int, end: Int) {
        let (first, end) = (
            file.leaf(stretch.leaves.lowerBound).firstRow, file.leaf(stretch.leaves.upperBound).firstRow
        )
        let row = { (position: Int) in min(max(position - stretch.position, 0) + first, end) }
        return (row(positions.lowerBound), row(positions.upperBound))
    }

    private func visit(
        _ stretch: Stretch, _ positions: Range<Int>, _ set: BitSet?, _ body: Visit
    ) throws(StorageError) -> Bool {
        guard let file else { return true }
        let firstRow = file.leaf(stretch.leaves.lowerBound).firstRow
        let rows = rows(of: stretch, positions, file)
        // The leaf that a row lies in is the one before the first that begins behind it.
        let start = max(file.lowerBound(ofRow: rows.start + 1) - 1, stretch.leaves.lowerBound)
        let end = min(file.lowerBound(ofRow: rows.end), stretch.leaves.upperBound)
        var leaf = set?.next(from: start, end: end) ?? start
        while leaf < end {
            var next = leaf + 1
            while next < end, next - leaf < Self.blockLeafCount, set?.contains(next) ?? true { next += 1 }
            let place = stretch.position + file.leaf(leaf).firstRow - firstRow
            guard try visit(leaf..<next, place, body) else { return false }
            leaf = set?.next(from: next, end: end) ?? next
        }
        return true
    }

    private func visit(_ leaves: Range<Int>, _ position: Int, _ body: Visit) throws(StorageError) -> Bool {
        guard let file else { return true }
        let firstRow = file.leaf(leaves.lowerBound).firstRow
        let rows = SearchRows(version, position: position, .file(file, firstRow: firstRow))
        let goesOn = try file.withText(of: leaves) { (text) throws(StorageError) in try body(text, rows) }
        if let goesOn { return goesOn }
        // The text is damaged in the file; what it was made of is in the tree.
        let count = file.leaf(leaves.upperBound).firstRow - firstRow
        return try fold(position..<position + count, position..<position + count, body)
    }

    // MARK: Folded on the way

    private func fold(_ range: Range<Int>, _ positions: Range<Int>, _ body: Visit) throws(StorageError) -> Bool {
        var position = max(range.lowerBound, positions.lowerBound)
        let end = min(range.upperBound, positions.upperBound)
        while position < end {
            if let known = folded.leaf(at: position, onlyNew: false) {
                guard try visit(known, at: position, body) else { return false }
                position += known.entryCount
                continue
            }
            guard let (leaf, start) = try version.leaf(at: position, in: list.tree) else { break }
            guard try fold(leaf, at: start, onlyNew: false, body) else { return false }
            position = start + leaf.count
        }
        return true
    }

    /// Whether the rows that a changed leaf has kept are all of a leaf that is left out.
    private func isKept(_ leaf: Leaf, _ isLeftOut: (Int) -> Bool) -> Bool {
        guard let file, let page = leaf.page, let index = file.index(ofPage: page, guess: 0) else { return false }
        return isLeftOut(index)
    }

    private func fold(_ leaf: Leaf, at position: Int, onlyNew: Bool, _ body: Visit) throws(StorageError) -> Bool {
        if let known = folded.leaf(at: position, onlyNew: onlyNew) { return try visit(known, at: position, body) }
        let block = try FoldedLeaf(leaf, of: list, onlyNew: onlyNew)
        folded.keep(block, at: position)
        return try visit(block, at: position, body)
    }

    private func visit(_ block: FoldedLeaf, at position: Int, _ body: Visit) throws(StorageError) -> Bool {
        guard !block.slots.isEmpty else { return true }
        let rows = SearchRows(version, position: position, .leaf(block))
        return try block.text.withBytes { (text) throws(StorageError) in try body(text, rows) }
    }
}

/// Where the rows of a block stand, by their numbers in it.
///
/// An object, since every match has it: a copy counts one reference.
final class SearchRows {
    enum Source {
        case file(SearchFile, firstRow: Int)
        case leaf(FoldedLeaf)
    }

    private let version: Version
    private let position: Int
    private let source: Source

    init(_ version: Version, position: Int, _ source: Source) {
        self.version = version
        self.position = position
        self.source = source
    }

    /// The position of a row in the list by title.
    func position(of row: Int) -> Int {
        switch source {
        case .file: position + row
        case .leaf(let leaf): position + leaf.slots[row]
        }
    }

    /// The number of a row in the file; `nil` for one that is not there.
    func fileRow(of row: Int) -> Int? {
        if case .file(_, let firstRow) = source { firstRow + row } else { nil }
    }

    /// The line of a row of the file.
    func withLine<Result>(
        of row: Int, in list: SearchedList, _ body: (RawSpan) -> Result
    ) throws(StorageError) -> Result? {
        switch source {
        case .file(let file, let firstRow):
            if let result = file.withLine(ofRow: firstRow + row, body) { return result }
        case .leaf(let leaf): return leaf.withLine(row, body)
        }
        // The text is damaged in the file; what it was made of is in the tree.
        var folder = TextFolder()
        try version.entry(at: position(of: row), in: list.tree)?.withValue {
            list.appendLine($0, &folder)
        }
        folder.removeLast { $0 == SearchText.rowEnd }
        return folder.bytes.withBytes(body)
    }

    func marks(of row: Int, in list: SearchedList) throws(StorageError) -> RowFlags {
        switch source {
        case .leaf(let leaf): return leaf.marks[row]
        case .file(let file, let firstRow):
            if let marks = file.marks(ofRow: firstRow + row) { return marks }
            let entry = try version.entry(at: position + row, in: list.tree)
            return try entry?.withValue { list.flags($0, entry?.facets ?? []) } ?? RowFlags(rawValue: 0)
        }
    }
}
