/// One entry of a version: a handle of a few words that keeps the version alive. Key and value are read in place.
public struct Entry: Sendable {
    public let version: Version
    private let leaf: UInt64
    private let index: Int32

    init(version: Version, _ place: TreeReader.Place) {
        self.version = version
        leaf = place.leaf.reference
        index = Int32(place.index)
    }

    // Safe because the leaf belongs to the version, which this handle keeps.
    private var place: TreeReader.Place { unsafe TreeReader.Place(leaf: Node(reference: leaf), index: Int(index)) }

    public var facets: FacetSet { FacetSet(rawValue: place.leaf.facets(place.index)) }

    /// The key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it. Throws as `withKey` does.
    public var trailingInteger: UInt64 {
        get throws(StorageError) {
            defer { withExtendedLifetime(version) {} }
            let place = place
            return try version.generation.file.pages.trailingInteger(of: place.leaf, place.index)
        }
    }

    public var keyByteCount: Int {
        get throws(StorageError) {
            defer { withExtendedLifetime(version) {} }
            let place = place
            return try version.generation.file.pages.keyByteCount(of: place.leaf, place.index)
        }
    }

    /// Throws only when the key is that of a tree with a home, and the page that its end lies in is damaged.
    @inlinable public func withKey<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        var result: Result?
        try lendKey { result = body($0) }
        guard let result else { preconditionFailure("a key is lent") }
        return result
    }

    /// Throws only when a value that lies in the cold region is damaged.
    @inlinable public func withValue<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        var result: Result?
        try lendValue { result = body($0) }
        guard let result else { preconditionFailure("a value is lent") }
        return result
    }

    /// The entry of a tree with whose key this one's ends; `nil` when there is none. Where both are as the snapshot has them it takes no
    /// descent: the tree is the home of this entry's.
    ///
    /// - Parameter lead: what comes before that key.
    public func homeEntry(behind lead: KeyLead, in tree: TreeNumber) throws(StorageError) -> Entry? {
        defer { withExtendedLifetime(version) {} }
        let place = place
        let reader = version.source(of: tree).reader
        if place.leaf.isPermuted, let index = place.leaf.indexInPage(place.index), !reader.root.isUnreadable {
            let page = place.leaf.permutation
            if page.homeTree == tree.rawValue, reader.pages.isInPlace(page.home(of: page.place(index)).page) {
                return Entry(version: version, try reader.pages.home(of: index, in: page))
            }
        }
        return try reader.pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
            guard let count = lead.byteCount(in: key) else { return nil }
            return try reader.find(key.extracting(count...)).map { Entry(version: version, $0) }
        }
    }

    // MARK: Lending

    // A generic function of another module is not made for the type that a caller wants, and looks it up each time. So these give nothing back,
    // and what is generic is a few words in the caller's module.

    @usableFromInline func lendKey(_ body: (RawSpan) -> Void) throws(StorageError) {
        defer { withExtendedLifetime(version) {} }
        let place = place
        try version.generation.file.pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in body(key)
        }
    }

    @usableFromInline func lendValue(_ body: (RawSpan) -> Void) throws(StorageError) {
        defer { withExtendedLifetime(version) {} }
        let place = place
        if place.leaf.withHotValue(place.index, body) != nil { return }
        try place.leaf.withCell(place.index) { (word, cell) throws(StorageError) in
            var cold = ColdReader(forOneOf: version.generation.file)
            try cold.value(word: word, cell: cell, body)
        }
    }
}
