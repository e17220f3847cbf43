import Filing
import StorageEngine

/// The lines of a leaf's rows, folded as it is searched.
package struct FoldedLeaf {
    package let text: [UInt8]
    /// For each line, where its row stands in the leaf, and its marks.
    let slots: [Int]
    let marks: [RowFlags]
    /// Of the leaf.
    let entryCount: Int

    /// Whether all of its rows are here.
    var isWhole: Bool { slots.count == entryCount }

    /// One line, without its end. O(lines).
    func withLine<Result>(_ row: Int, _ body: (RawSpan) -> Result) -> Result {
        text.withBytes { body($0.extracting(SearchText.line(row, of: $0) ?? 0..<0)) }
    }

    /// - Parameter onlyNew: whether rows that stand so in the snapshot are left out.
    init(_ leaf: Leaf, of list: SearchedList, onlyNew: Bool = false) throws(StorageError) {
        let slots = (0..<leaf.count).filter { !onlyNew || !leaf.isInPage($0) }
        try self.init(slots: slots, entryCount: leaf.count, list) { leaf.entry($0) }
    }

    /// A row by itself, as of a leaf that has no other.
    package init(_ entry: Entry, of list: SearchedList) throws(StorageError) {
        try self.init(slots: [0], entryCount: 1, list) { _ in entry }
    }

    private init(
        slots: [Int], entryCount: Int, _ list: SearchedList, _ entry: (Int) -> Entry
    ) throws(StorageError) {
        var folder = TextFolder()
        var marks: [RowFlags] = []
        for slot in slots {
            let entry = entry(slot)
            let mark = try entry.withValue { row in
                list.appendLine(row, &folder)
                return list.flags(row, entry.facets)
            }
            marks.append(mark)
        }
        text = folder.bytes
        self.slots = slots
        self.marks = marks
        self.entryCount = entryCount
    }
}

/// The leaves that a search has folded, by the positions of their first rows; at most some 64 MB of text.
final class FoldedLeaves {
    private var leaves: [Int: FoldedLeaf] = [:]
    private var byteCount = 0

    private static let maximumByteCount = 1 << 26

    /// - Parameter onlyNew: whether it is enough to have the rows that do not stand so in the snapshot.
    func leaf(at position: Int, onlyNew: Bool) -> FoldedLeaf? {
        guard let leaf = leaves[position], onlyNew || leaf.isWhole else { return nil }
        return leaf
    }

    func keep(_ leaf: FoldedLeaf, at position: Int) {
        guard byteCount < Self.maximumByteCount else { return }
        byteCount += leaf.text.count
        leaves[position] = leaf
    }
}
