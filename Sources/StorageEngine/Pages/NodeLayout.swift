/// What pages (4,096 bytes, mapped from the snapshot file) and memory nodes (any size) have in common, so that one reader
/// serves both: a header of `NodeField`s, then `NodeArrays`, then the prefix and the entries. `Formats/SNAPSHOT.md` draws it.
enum NodeLayout {
    static let headerByteCount = 32
    static let pageByteCount = 4096

    /// What a patch leaf may fill as a page before it is split. The pages of a snapshot are full, and a few more entries should not make
    /// two nodes of one. Compaction lays pages out again.
    static let patchByteLimit = 5120

    static let leaf: UInt8 = 1
    static let branch: UInt8 = 2
    /// In memory only: a leaf that holds new entries and amends a page, which holds the others.
    static let patchLeaf: UInt8 = 3
    /// A leaf of a tree with a home.
    static let permutationLeaf: UInt8 = 4
    /// In memory only: a leaf that amends such a page.
    static let permutationPatch: UInt8 = 5
    /// A leaf of entries whose keys have one length.
    static let packedLeaf: UInt8 = 6
    /// In memory only: a leaf that amends such a page.
    static let packedPatch: UInt8 = 7
    /// In a file only: the symbols that values of a tree are written in. No node.
    static let symbols: UInt8 = 8

    /// Those of nodes that a file has.
    static let pageKinds = [leaf, branch, permutationLeaf, packedLeaf]

    /// In a slot's offset: the entry lies in the base page of a patch leaf.
    static let inBase: UInt64 = 0x8000

    /// Slots reach entries up to here.
    static let offsetLimit = 0x7FFF

    /// Value words: a length up to `hotValueByteCount`, or where the value lies.
    static let coldValue: UInt16 = 0x8001
    static let largeValue: UInt16 = 0x8002
    /// Set in the word of a value that a page holds without its end. The other bits are the length of the part that is there; three bytes
    /// behind that part say where in the page the end lies (`SharedEndField`).
    static let sharedEnd: UInt16 = 0x4000
    /// What an entry of a leaf begins with. The key's suffix follows, then the cell: the value, or a reference to it.
    static let valueWord = Field<UInt16>("valueWord", at: 0)
    static let wordByteCount = 2
    /// Bytes of a reference to a value that lies elsewhere.
    @inline(__always) static var referenceByteCount: Int { ColdReferenceField.hash.end }

    /// Height is bounded by fan-out; deeper than this is damage.
    static let levelLimit = 12

    /// A leaf page would have so many bytes in use at most if it shared no ends, so that few nodes come of it when it is changed.
    static let unsharedByteLimit = 8192

    /// No leaf page has more entries: with a slot and a value word for each there is no room for more, and more are not put into a dense one.
    static let leafEntryLimit = 1024

    /// The slot of an entry whose key has these bytes behind the prefix, their head and their number.
    @inline(__always)
    static func slot(head: UInt32, count: Int, offset: Int) -> UInt64 {
        UInt64(head) << 32 | UInt64(count) << 16 | UInt64(offset)
    }

    @inline(__always)
    static func suffixByteCount(_ slot: UInt64) -> Int { Int((slot >> 16) & 0xFFFF) }

    @inline(__always)
    static func leafArraysByteCount(capacity: Int, facetCount: Int) -> Int {
        let arrays = NodeArrays(capacity: capacity, columnCount: 0)
        return (facetCount > 0 ? arrays.facets.end : arrays.slots.end) - headerByteCount
    }

    @inline(__always)
    static func branchArraysByteCount(capacity: Int, _ shape: NodeShape) -> Int {
        NodeArrays(capacity: capacity, columnCount: shape.columnCount).counts(shape.facetCount).end - headerByteCount
    }
}
