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

    public var keyByteCount: Int { place.leaf.keyByteCount(place.index) }

    /// The key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it.
    public var trailingInteger: UInt64 { place.leaf.trailingInteger(place.index) }

    public func withKey<Result>(_ body: (RawSpan) -> Result) -> Result {
        defer { withExtendedLifetime(version) {} }
        return place.leaf.withKey(place.index, body)
    }

    /// Throws only when a value that lies in the cold region is damaged.
    public func withValue<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        defer { withExtendedLifetime(version) {} }
        // Safe because the cell lies within the leaf. Beside its key a value needs no reader: half the time of a list row
        // went into making one.
        let (word, bytes) = unsafe place.leaf.cell(place.index)
        let cell = unsafe bytes.bytes
        if word & 0x8000 == 0 { return body(cell) }
        var cold = ColdReader(version.generation.file)
        return try cold.value(word: word, cell: cell, body)
    }
}
