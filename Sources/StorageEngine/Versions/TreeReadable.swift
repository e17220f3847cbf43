/// What can be read from a committed version and within a transaction alike. Keys order by their bytes.
///
/// Every read throws `StorageError.damaged` when it meets a page whose bytes are not what was written, and nothing else.
public protocol TreeReadable: ~Copyable {
    /// The reader of a tree, and what keeps its memory alive meanwhile.
    borrowing func source(of tree: TreeNumber) -> TreeSource

    /// What a tree was declared as; `nil` when it never was.
    borrowing func declaration(of tree: TreeNumber) -> TreeDeclaration?

    /// The trees there are.
    var declarations: [TreeDeclaration] { get }

    /// `Options.attachment` of the store.
    var attachment: (any AnyObject & Sendable)? { get }

    /// The commit that made these trees; the highest number there is while one is being made.
    var commitNumber: UInt64 { get }

    /// Whether later commits are still being read from the log: what is found out of these trees does not hold of the store.
    var isCatchingUp: Bool { get }
}

extension TreeReadable where Self: ~Copyable {
    public var commitNumber: UInt64 { .max }

    public var isCatchingUp: Bool { false }
}

/// A tree's reader; opaque outside the engine.
public struct TreeSource {
    let reader: TreeReader
    let owner: Owner

    /// What keeps the tree's memory. A generation alone would not: it lets go of what its versions no longer need.
    enum Owner {
        case version(Version)
        /// What the writer is making, which it frees in no other way than by changing it.
        case head(Generation)

        var file: SnapshotFile {
            switch self {
            case .version(let version): version.generation.file
            case .head(let generation): generation.file
            }
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// Entries in a tree, or those of one facet. Reads the root only.
    public func count(in tree: TreeNumber, facet: Facet? = nil) throws(StorageError) -> Int {
        let source = source(of: tree)
        let count = try source.reader.count(column: facet.column)
        withExtendedLifetime(source.owner) {}
        return count
    }

    public func contains(_ key: [UInt8], in tree: TreeNumber) throws(StorageError) -> Bool {
        try value(forKey: key, in: tree) { _ in true } ?? false
    }

    /// What `body` makes of the value's bytes, which it sees in place; `nil` when there is no such key. One node per level.
    @inlinable public func value<Result>(
        forKey key: [UInt8], in tree: TreeNumber, _ body: (RawSpan) -> Result
    ) throws(StorageError) -> Result? {
        var result: Result?
        try source(of: tree).lendValue(forKey: key) { result = body($0) }
        return result
    }

    /// A copy of the value's bytes; `nil` when there is no such key. One node per level.
    public func bytes(forKey key: [UInt8], in tree: TreeNumber) throws(StorageError) -> [UInt8]? {
        try source(of: tree).value(forKey: key) { $0.copyBytes() }
    }

    /// The same for a key of eight bytes, the number in big-endian order.
    public func bytes(forKey key: UInt64, in tree: TreeNumber) throws(StorageError) -> [UInt8]? {
        try source(of: tree).value(forKey: key) { $0.copyBytes() }
    }

    /// The facets of an entry; `nil` when there is no such key. One node per level.
    public func facets(forKey key: [UInt8], in tree: TreeNumber) throws(StorageError) -> FacetSet? {
        let source = source(of: tree)
        defer { withExtendedLifetime(source.owner) {} }
        return try key.withBytes { (key) throws(StorageError) in
            try source.reader.find(key).map { FacetSet(rawValue: $0.leaf.facets($0.index)) }
        }
    }

    /// Copies of the values of several keys of eight bytes, each a number in big-endian order. One node per level each.
    public func values(forKeys numbers: [UInt64], in tree: TreeNumber) throws(StorageError) -> StoredValues {
        let source = source(of: tree)
        var values = StoredValues()
        values.ranges.reserveCapacity(numbers.count)
        source.ask(forKeys: numbers)
        for number in numbers {
            let start = values.bytes.count
            let isThere: Void? = try source.value(forKey: number) { values.bytes.append(contentsOf: $0) }
            values.ranges.append(isThere.map { start..<values.bytes.count })
        }
        return values
    }

    /// The same as `value(forKey:in:_:)` for a key of eight bytes, the number in big-endian order. Allocates nothing.
    @inlinable public func value<Result>(
        forKey key: UInt64, in tree: TreeNumber, _ body: (RawSpan) -> Result
    ) throws(StorageError) -> Result? {
        var result: Result?
        try source(of: tree).lendValue(forKey: key) { result = body($0) }
        return result
    }

    /// Entries whose key begins with `prefix` (all when empty), in key order, from behind `after` when it is given, until
    /// `body` returns false. The spans are valid during the call only.
    public func scan(
        _ tree: TreeNumber, prefix: [UInt8] = [], after: [UInt8]? = nil, descending: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(StorageError) {
        try source(of: tree).scan(prefix: prefix, after: after, descending: descending, body)
    }

    /// The entries at some positions (of the facet's entries, when one is given), in key order, until `body` returns false. The spans
    /// are valid during the call only.
    public func scan(
        _ tree: TreeNumber, facet: Facet? = nil, positions: Range<Int>,
        _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(StorageError) {
        try source(of: tree).scan(positions: positions, facet: facet, descending: false, body)
    }

    /// Values at some positions, in key order, until `body` returns false, where most keys are not asked for: the spans are valid during the call only,
    /// as is what gives the last eight bytes of an entry's key as `Entry.trailingInteger` does.
    public func scanValues(
        _ tree: TreeNumber, positions: Range<Int>,
        _ body: (_ value: RawSpan, _ trailingInteger: () throws(StorageError) -> UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try source(of: tree).scanValues(positions: positions, body)
    }

    /// How many entries of a facet stand before a position among all entries. One node per level.
    public func rank(of position: Int, in tree: TreeNumber, facet: Facet) throws(StorageError) -> Int {
        let source = source(of: tree)
        defer { withExtendedLifetime(source.owner) {} }
        return try source.reader.rank(of: position, column: facet.index + 1)
    }

    /// How many entries (of the facet) have a key less than `key`: the rank of a key that is there, and where one that is
    /// not would go. One node per level.
    public func lowerBound(
        of key: [UInt8], in tree: TreeNumber, facet: Facet? = nil
    ) throws(StorageError) -> Int {
        try source(of: tree).lowerBound(of: key, facet: facet)
    }
}

extension Facet? {
    /// The count column of a node: 0 for all entries.
    var column: Int { map { $0.index + 1 } ?? 0 }
}
