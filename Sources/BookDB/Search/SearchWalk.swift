import StorageEngine

/// Walks the rows of a version in title order as blocks of text: of leaves that are as they stand in the snapshot, the text in
/// the search file; of others, and where there is no such file, what their rows fold to.
///
/// Because it follows the version's own tree, deletions, insertions and positions are what the list shows.
struct SearchWalk {
    let version: Version
    let file: SearchFile?

    typealias Visit = (_ text: RawSpan, _ rows: SearchRows) throws(StorageError) -> Bool

    /// Leaves of the file that are searched as one text: enough that finding them costs little beside reading them.
    private static let blockLeafCount = 64

    init(_ version: Version) {
        self.version = version
        file = version.companion { SearchFile($0) }
    }

    /// Visits the blocks that hold rows at `positions` (and maybe others beside them), but for leaves and rows of the file that
    /// are not among `leaves`, until `body` returns false.
    func forEachBlock(_ positions: Range<Int>, _ leaves: LeafSet?, _ body: Visit) throws(StorageError) {
        var failure: StorageError?
        var stretch: Stretch?
        var folder = Folder()
        try version.forEachRun(in: LibraryTree.title, positions: positions) { run, position in
            do throws(StorageError) {
                switch run {
                case .unchanged(let page, let count):
                    if let next = self.stretch(page, count, position, guess: stretch?.leaves.upperBound) {
                        if stretch?.join(next) == true { return true }
                        let goesOn = try visit(stretch, positions, leaves, &folder, body)
                        stretch = goesOn ? next : nil
                        return goesOn
                    }
                    let goesOn = try visit(stretch, positions, leaves, &folder, body)
                    stretch = nil
                    guard goesOn else { return false }
                    return try fold(position..<position + count, positions, &folder, body)
                case .changed(let leaf):
                    let goesOn = try visit(stretch, positions, leaves, &folder, body)
                    stretch = nil
                    guard goesOn else { return false }
                    return try fold(leaf, at: position, onlyNew: isLeftOut(leaf, leaves), &folder, body)
                }
            } catch {
                failure = error
                stretch = nil
                return false
            }
        }
        if let failure { throw failure }
        _ = try visit(stretch, positions, leaves, &folder, body)
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

    private func visit(
        _ stretch: Stretch?, _ positions: Range<Int>, _ set: LeafSet?, _ folder: inout Folder, _ body: Visit
    ) throws(StorageError) -> Bool {
        guard let file, let stretch else { return true }
        let firstRow = file.leaf(stretch.leaves.lowerBound).firstRow
        let row = { (position: Int) in max(position - stretch.position, 0) + firstRow }
        // The leaf that a position lies in is the one before the first that begins behind it.
        let start = max(file.lowerBound(ofRow: row(positions.lowerBound) + 1) - 1, stretch.leaves.lowerBound)
        let end = min(file.lowerBound(ofRow: row(positions.upperBound)), stretch.leaves.upperBound)
        var leaf = set?.next(from: start, end: end) ?? start
        while leaf < end {
            var next = leaf + 1
            while next < end, next - leaf < Self.blockLeafCount, set?.contains(next) ?? true { next += 1 }
            let place = stretch.position + file.leaf(leaf).firstRow - firstRow
            guard try visit(leaf..<next, place, &folder, body) else { return false }
            leaf = set?.next(from: next, end: end) ?? next
        }
        return true
    }

    private func visit(
        _ leaves: Range<Int>, _ position: Int, _ folder: inout Folder, _ body: Visit
    ) throws(StorageError) -> Bool {
        guard let file else { return true }
        let firstRow = file.leaf(leaves.lowerBound).firstRow
        let rows = SearchRows(version, position: position, .file(file, firstRow: firstRow))
        let goesOn = try file.withText(of: leaves) { (text) throws(StorageError) in try body(text, rows) }
        if let goesOn { return goesOn }
        // The text is damaged in the file; what it was made of is in the tree.
        let count = file.leaf(leaves.upperBound).firstRow - firstRow
        return try fold(position..<position + count, position..<position + count, &folder, body)
    }

    // MARK: Folded on the way

    private func fold(
        _ range: Range<Int>, _ positions: Range<Int>, _ folder: inout Folder, _ body: Visit
    ) throws(StorageError) -> Bool {
        var position = max(range.lowerBound, positions.lowerBound)
        let end = min(range.upperBound, positions.upperBound)
        while position < end, let (leaf, start) = try version.leaf(at: position, in: LibraryTree.title) {
            guard try fold(leaf, at: start, onlyNew: false, &folder, body) else { return false }
            position = start + leaf.count
        }
        return true
    }

    /// Whether the rows that a changed leaf has kept are all of a leaf that is left out.
    private func isLeftOut(_ leaf: Leaf, _ leaves: LeafSet?) -> Bool {
        guard let file, let leaves, let page = leaf.page, let index = file.index(ofPage: page, guess: 0) else {
            return false
        }
        return !leaves.contains(index)
    }

    private func fold(
        _ leaf: Leaf, at position: Int, onlyNew: Bool, _ folder: inout Folder, _ body: Visit
    ) throws(StorageError) -> Bool {
        folder.removeAll()
        var slots: [Int] = []
        var marks: [SearchMarks] = []
        for slot in 0..<leaf.count where !onlyNew || !leaf.isInPage(slot) {
            let entry = leaf.entry(slot)
            let mark = try entry.withValue { row in
                SearchText.append(row, to: &folder)
                return SearchMarks(row, entry.facets)
            }
            slots.append(slot)
            marks.append(mark)
        }
        guard !slots.isEmpty else { return true }
        let rows = SearchRows(version, position: position, .leaf(slots: slots, marks: marks))
        return try folder.bytes.withBytes { (text) throws(StorageError) in try body(text, rows) }
    }
}

/// Where the rows of a block stand, by their numbers in it.
struct SearchRows {
    enum Source {
        case file(SearchFile, firstRow: Int)
        case leaf(slots: [Int], marks: [SearchMarks])
    }

    private let version: Version
    private let position: Int
    private let source: Source

    init(_ version: Version, position: Int, _ source: Source) {
        self.version = version
        self.position = position
        self.source = source
    }

    var areFromFile: Bool {
        if case .file = source { true } else { false }
    }

    /// The position of a row in the list by title.
    func position(of row: Int) -> Int {
        switch source {
        case .file: position + row
        case .leaf(let slots, _): position + slots[row]
        }
    }

    func marks(of row: Int) throws(StorageError) -> SearchMarks {
        switch source {
        case .leaf(_, let marks): return marks[row]
        case .file(let file, let firstRow):
            if let marks = file.marks(ofRow: firstRow + row) { return marks }
            let entry = try version.entry(at: position + row, in: LibraryTree.title)
            return try entry?.withValue { SearchMarks($0, entry?.facets ?? []) } ?? SearchMarks(rawValue: 0)
        }
    }
}
