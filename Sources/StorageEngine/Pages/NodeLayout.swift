/// Where the fields of a page or node lie. Shared by mapped pages (4,096 bytes, in the snapshot file) and memory nodes
/// (any size), so that one reader serves both. `Formats/SNAPSHOT.md` draws it.
///
///     0   kind            u8     1 leaf, 2 branch, 3 patch leaf (memory only)
///     1   facetCount      u8     facets counted per entry or child, 0...16
///     2   count           u16    entries or children
///     4   capacity        u16    slots the arrays have room for; equals count in a page
///     6   prefixLength    u16    bytes that all keys share, stored once
///     8   prefixOffset    u16
///     10  level           u16    0 in a leaf
///     12  used            u32    end of the bytes in use
///     16  base            u64    0 in a page; in a patch leaf the page it amends; 2 in any other node
///     24  pageNumber      u32    in a page; in a leaf node: bytes it would fill as a page
///     28  seal            u32    in a page, see PageSeal; 0 in a node
///     32  slots           u64[capacity]   key head (4 bytes, big endian) << 32 | suffix length << 16 | offset
///     leaf:    facets     u16[capacity]   only where facetCount > 0
///     branch:  children   u64[capacity]   page number << 1 | 1, or a node's address
///              checksums  u32[capacity]   of the child pages, 0 for nodes
///              counts     u32[capacity] × (1 + facetCount)   entries below, all and per facet
///     then    the prefix and the entries: leaf  u16 value word, key suffix, value; branch  key suffix
enum NodeLayout {
    static let headerByteCount = 32
    static let pageByteCount = 4096

    static let leaf: UInt8 = 1
    static let branch: UInt8 = 2
    static let patchLeaf: UInt8 = 3

    /// In a slot's offset: the entry lies in the base page of a patch leaf.
    static let inBase: UInt64 = 0x8000

    /// Slots reach entries up to here.
    static let offsetLimit = 0x7FFF

    /// Value words: a length up to `hotValueByteCount`, or where the value lies.
    static let coldValue: UInt16 = 0x8001
    static let largeValue: UInt16 = 0x8002
    /// Bytes of a reference to a value that lies elsewhere.
    static let referenceByteCount = 16

    /// Height is bounded by fan-out; deeper than this is damage.
    static let levelLimit = 12

    /// No leaf page has so many entries: each takes a slot and a value word at least.
    static let leafEntryLimit = 512

    /// The slot of an entry whose key has these bytes behind the prefix, their head and their number.
    @inline(__always)
    static func slot(head: UInt32, count: Int, offset: Int) -> UInt64 {
        UInt64(head) << 32 | UInt64(count) << 16 | UInt64(offset)
    }

    @inline(__always)
    static func leafArraysByteCount(capacity: Int, facetCount: Int) -> Int {
        capacity * (facetCount > 0 ? 10 : 8)
    }

    @inline(__always)
    static func branchArraysByteCount(capacity: Int, facetCount: Int) -> Int {
        capacity * (24 + 4 * facetCount)
    }
}
