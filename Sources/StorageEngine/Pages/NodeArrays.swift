/// The arrays that follow the header of a page or node, each with so many elements. `Formats/SNAPSHOT.md` lists them.
struct NodeArrays {
    /// The count of a page; of a node, the elements it has room for.
    let capacity: Int
    /// Of a branch; in a leaf nothing depends on it.
    let columnCount: Int

    @inline(__always) init(capacity: Int, columnCount: Int) {
        self.capacity = capacity
        self.columnCount = columnCount
    }

    @inline(__always) var slots: FieldArray<UInt64> {
        FieldArray("slots", at: Self.slotsOffset, count: capacity)
    }

    /// They lie at the same place in every node.
    static let slotsOffset = NodeLayout.headerByteCount

    /// Of a leaf whose tree counts facets.
    @inline(__always) var facets: FieldArray<UInt16> { FieldArray("facets", at: slots.end, count: capacity) }

    /// Of a branch: references, each a page number × 2 + 1 or the address of a node.
    @inline(__always) var children: FieldArray<UInt64> { FieldArray("children", at: slots.end, count: capacity) }

    /// Of a branch: what a `TreeColumn` of the tree holds of the entries below each child.
    @inline(__always) func column(_ column: Int) -> FieldArray<UInt128> {
        FieldArray("columns", at: children.end + column * (capacity * MemoryLayout<UInt128>.size), count: capacity)
    }

    /// Of a branch: 0 for a child in memory.
    @inline(__always) var checksums: FieldArray<UInt32> {
        FieldArray("checksums", at: column(columnCount).offset, count: capacity)
    }

    /// Of a branch: entries below each child, in column 0 all of them, in column 1 + f those of facet f.
    @inline(__always) func counts(_ column: Int) -> FieldArray<UInt32> {
        FieldArray("counts", at: checksums.end + column * (capacity * MemoryLayout<UInt32>.size), count: capacity)
    }
}
