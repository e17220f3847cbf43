/// The fields of the header of a page or memory node. `Formats/SNAPSHOT.md` draws the page's; the comments here say where a
/// node's differ.
///
/// Inlined where they are used: loading a field of a node is one instruction with a constant offset.
enum NodeField {
    /// One of those in `NodeLayout`.
    @inline(__always) static var kind: Field<UInt8> { Field("kind", at: 0) }
    @inline(__always) static var facetCount: Field<UInt8> { Field("facetCount", at: 1) }
    @inline(__always) static var count: Field<UInt16> { Field("count", at: 2) }
    /// In a node, elements that the arrays have room for.
    @inline(__always) static var capacity: Field<UInt16> { Field("capacity", at: 4) }
    @inline(__always) static var prefixLength: Field<UInt16> { Field("prefixLength", at: 6) }
    /// In a patch leaf, within the page it amends.
    @inline(__always) static var prefixOffset: Field<UInt16> { Field("prefixOffset", at: 8) }
    @inline(__always) static var level: Field<UInt8> { Field("level", at: 10) }
    @inline(__always) static var columnCount: Field<UInt8> { Field("columnCount", at: 11) }
    @inline(__always) static var used: Field<UInt32> { Field("used", at: 12) }
    @inline(__always) static var tree: Field<UInt32> { Field("tree", at: 16) }
    @inline(__always) static var reserved: Field<UInt32> { Field("reserved", at: 20) }
    /// In place of the two before, in a node only: `NodeHeap.memoryMark`, and in a patch leaf the address of the page it amends.
    @inline(__always) static var base: Field<UInt64> { Field("base", at: tree.offset) }
    /// In a leaf node, the bytes it would fill as a page.
    @inline(__always) static var pageNumber: Field<UInt32> { Field("pageNumber", at: 24) }
    /// In a page as `PageSeal` makes it, in a node 0.
    @inline(__always) static var seal: Field<UInt32> { Field("seal", at: 28) }

    static var all: FieldTable {
        FieldTable(
            kind, facetCount, count, capacity, prefixLength, prefixOffset, level, columnCount, used, tree, reserved,
            pageNumber, seal)
    }
}
