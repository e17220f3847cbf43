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
    public func withKey<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        defer { withExtendedLifetime(version) {} }
        let place = place
        return try version.generation.file.pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
            body(key)
        }
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

    /// Throws only when a value that lies in the cold region is damaged.
    public func withValue<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        defer { withExtendedLifetime(version) {} }
        let place = place
        if let result = place.leaf.withHotValue(place.index, body) { return result }
        return try place.leaf.withCell(place.index) { (word, cell) throws(StorageError) in
            var cold = ColdReader(version.generation.file)
            return try cold.value(word: word, cell: cell, body)
        }
    }
}
