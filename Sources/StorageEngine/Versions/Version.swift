/// The store as one commit left it: immutable, `Sendable`, read without locks or waiting, kept for as long as you like.
///
/// Holding a version keeps the memory of what later commits replaced, and the one snapshot file it maps; nothing else.
public final class Version: TreeReadable, Sendable {
    /// The commit that made this version.
    public let commitNumber: UInt64
    let generation: Generation
    let trees: TreeTable
    /// Whether the log holds later commits that are still being read: this is the store as its snapshot has it.
    public let isCatchingUp: Bool
    /// Ascends with each version that readers get, also with those of one commit. 0 for one that nobody has got.
    package let ordinal = Ordinal()

    init(commitNumber: UInt64, generation: Generation, trees: TreeTable, isCatchingUp: Bool = false) {
        self.commitNumber = commitNumber
        self.generation = generation
        self.trees = trees
        self.isCatchingUp = isCatchingUp
        generation.add(commitNumber)
    }

    /// What readers have of a store that is not open: every read throws `reason`.
    convenience init(absent path: String, _ reason: StorageError, attachment: (any AnyObject & Sendable)?) {
        let file = SnapshotFile(absent: path, reason)
        self.init(commitNumber: 0, generation: Generation(file: file, attachment: attachment), trees: .absent)
    }

    /// Whether anything can be read. Before a store is open, and where it could not be opened, every read throws why.
    public var isLoaded: Bool { !trees.isAbsent }

    /// Whether both are of one store: a restore puts another in its place. A version that is absent is of none, and of any.
    package func isOfSameStore(as other: Version) -> Bool {
        !isLoaded || !other.isLoaded || generation.file.superblock.store == other.generation.file.superblock.store
    }

    /// Whether both lie in one snapshot file, and in the memory of what was changed since.
    package func isOfSameFile(as other: Version) -> Bool { generation === other.generation }

    /// Throws why nothing can be read.
    package func requireLoaded() throws(StorageError) {
        if trees.isAbsent { _ = try count(in: TreeNumber(1)) }
    }

    deinit { generation.remove(commitNumber) }

    public func source(of tree: TreeNumber) -> TreeSource {
        TreeSource(reader: trees.reader(of: tree, generation.file.pages), owner: .version(self))
    }

    public func declaration(of tree: TreeNumber) -> TreeDeclaration? { trees.declaration(of: tree) }

    /// The trees there are, in the order of the snapshot file.
    public var declarations: [TreeDeclaration] { trees.declarations }

    /// `Options.attachment` of the store.
    public var attachment: (any AnyObject & Sendable)? { generation.attachment }

    /// The first eight bytes of the store's identifier: another number in a store that was restored, or repaired.
    package var storeNumber: UInt64 { generation.storeNumber }

    /// Those that cannot be read.
    public var damagedTrees: [DamagedTree] { trees.damagedTrees(in: generation.file) }

    /// How many entries the first facets of a tree have, in their order: one node for all.
    ///
    /// - Parameter count: so many of them, where the tree has as many.
    public func facetCounts(in tree: TreeNumber, first count: Int = .max) throws(StorageError) -> [Int] {
        let source = source(of: tree)
        defer { withExtendedLifetime(self) {} }
        let count = max(0, min(count, source.reader.facetCount))
        guard let node = try source.reader.rootNode() else { return Array(repeating: 0, count: count) }
        return (0..<count).map { node.total(column: 1 + $0) }
    }

    /// The entry at a position among all entries, or among those of a facet; `nil` when there is none. One node per level.
    public func entry(at position: Int, in tree: TreeNumber, facet: Facet? = nil) throws(StorageError) -> Entry? {
        guard let (place, _) = try source(of: tree).reader.select(position, column: facet.column) else { return nil }
        return Entry(version: self, place)
    }

    public func entry(forKey key: [UInt8], in tree: TreeNumber) throws(StorageError) -> Entry? {
        try key.withBytes { (key) throws(StorageError) in try entry(forKey: key, in: tree) }
    }

    public func entry(forKey key: RawSpan, in tree: TreeNumber) throws(StorageError) -> Entry? {
        try source(of: tree).reader.find(key).map { Entry(version: self, $0) }
    }

    /// Visits the entries at `positions` (of the facet's entries, when one is given) in order until `body` returns false.
    /// One descent per leaf, then a few nanoseconds an entry.
    public func forEachEntry(
        in tree: TreeNumber, facet: Facet? = nil, positions: Range<Int>,
        _ body: (Entry) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try source(of: tree).reader.forEach(positions, column: facet.column) { (place) throws(StorageError) in
            try body(Entry(version: self, place))
        }
    }

    /// Visits the same entries as the last eight bytes of their keys, a big-endian number, and their values: without a handle for
    /// each, which is two thirds of the time of a row.
    public func forEachValue(
        in tree: TreeNumber, facet: Facet? = nil, positions: Range<Int>,
        _ body: (_ trailingInteger: UInt64, _ value: RawSpan) -> Bool
    ) throws(StorageError) {
        let source = source(of: tree)
        try source.reader.forEach(positions, column: facet.column) { (place) throws(StorageError) in
            let number = try source.reader.pages.trailingInteger(of: place.leaf, place.index)
            return try source.value(at: place) { body(number, $0) }
        }
    }
}
