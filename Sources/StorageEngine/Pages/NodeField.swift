/// The fields of the header of a page or memory node. `Formats/SNAPSHOT.md` draws the page's; the comments here say where a
/// node's differ.
///
/// Constants with offsets that are written out: loading a field of a node is one instruction in an optimised build, and no chain of
/// calls in another.
enum NodeField {
    /// One of those in `NodeLayout`.
    static let kind = Field<UInt8>("kind", at: 0)
    static let facetCount = Field<UInt8>("facetCount", at: 1)
    static let count = Field<UInt16>("count", at: 2)
    /// In a node, elements that the arrays have room for.
    static let capacity = Field<UInt16>("capacity", at: 4)
    static let prefixLength = Field<UInt16>("prefixLength", at: 6)
    /// In a patch leaf, within the page it amends.
    static let prefixOffset = Field<UInt16>("prefixOffset", at: 8)
    static let level = Field<UInt8>("level", at: 10)
    static let columnCount = Field<UInt8>("columnCount", at: 11)
    static let used = Field<UInt32>("used", at: 12)
    static let tree = Field<UInt32>("tree", at: 16)
    static let reserved = Field<UInt32>("reserved", at: 20)
    /// In place of the two before, in a node only: `NodeHeap.memoryMark`, and in a patch leaf the address of the page it amends.
    static let base = Field<UInt64>("base", at: 16)
    /// In a leaf node, the bytes it would fill as a page.
    static let pageNumber = Field<UInt32>("pageNumber", at: 24)
    /// In a page as `PageSeal` makes it, in a node 0.
    static let seal = Field<UInt32>("seal", at: 28)

    static var all: FieldTable {
        FieldTable(
            kind, facetCount, count, capacity, prefixLength, prefixOffset, level, columnCount, used, tree, reserved,
            pageNumber, seal)
    }
}
