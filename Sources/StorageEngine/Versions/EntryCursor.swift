/// Entries of one tree of a version by position, for who asks for many that lie near each other: those of the leaf that was asked for last
/// take no descent.
package struct EntryCursor: ~Copyable {
    private let version: Version
    private let source: TreeSource
    /// The leaf of the last entry, and how many entries precede it. It belongs to the version.
    private var last: (leaf: Node, start: Int)?

    package init(_ version: Version, in tree: TreeNumber) {
        self.version = version
        source = version.source(of: tree)
    }

    /// The entry at a position; `nil` when there is none. One node per level, or none.
    package mutating func entry(at position: Int) throws(StorageError) -> Entry? {
        try place(at: position).map { Entry(version: version, $0) }
    }

    /// Lends the same as the last eight bytes of its key, a big-endian number, and its value. Gives whether it is there.
    package mutating func lendValue(
        at position: Int, _ body: (_ trailingInteger: UInt64, _ value: RawSpan) -> Void
    ) throws(StorageError) -> Bool {
        guard let place = try place(at: position) else { return false }
        let number = try source.reader.pages.trailingInteger(of: place.leaf, place.index)
        try source.value(at: place) { body(number, $0) }
        return true
    }

    private mutating func place(at position: Int) throws(StorageError) -> TreeReader.Place? {
        if let (leaf, start) = last, position >= start, position - start < leaf.count {
            return TreeReader.Place(leaf: leaf, index: position - start)
        }
        guard let (place, start) = try source.reader.select(position, column: 0) else { return nil }
        last = (place.leaf, start)
        return place
    }
}
