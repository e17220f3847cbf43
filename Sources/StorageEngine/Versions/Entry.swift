/// One entry of a version: a handle of a few words that keeps the version alive. Key and value are read in place.
public struct Entry: Sendable {
    public let version: Version
    private let leaf: UInt
    private let index: Int32

    init(version: Version, _ place: TreeReader.Place) {
        self.version = version
        leaf = UInt(bitPattern: place.leaf.address)
        index = Int32(place.index)
    }

    // Safe because the leaf belongs to the version, which this handle keeps.
    private var place: TreeReader.Place {
        TreeReader.Place(leaf: Node(UnsafeRawPointer(bitPattern: leaf)!), index: Int(index))
    }

    public var facets: FacetSet { FacetSet(rawValue: place.leaf.facets(place.index)) }

    public var keyByteCount: Int { place.leaf.keyByteCount(place.index) }

    /// The key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it.
    public var trailingInteger: UInt64 {
        let suffix = place.leaf.suffix(place.index)
        if suffix.count >= 8 {
            return UInt64(bigEndian: suffix.loadUnaligned(fromByteOffset: suffix.count - 8, as: UInt64.self))
        }
        var number: UInt64 = 0
        for byte in place.leaf.prefix.suffix(8 - suffix.count) { number = number << 8 | UInt64(byte) }
        for byte in suffix { number = number << 8 | UInt64(byte) }
        return number
    }

    public func withKey<Result>(_ body: (RawSpan) -> Result) -> Result {
        source.withKey(at: place, body)
    }

    /// Throws only when a value that lies in the cold region is damaged.
    public func withValue<Result>(_ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        let (word, bytes) = place.leaf.cell(place.index)
        guard word & 0x8000 == 0 else { return try source.value(at: place, body) }
        defer { withExtendedLifetime(version) {} }
        // Safe because the value lies within a verified page or a node the version keeps. Beside its key it needs no reader:
        // half the time of a list row went into making one.
        return body(RawSpan(_unsafeBytes: bytes))
    }

    private var source: TreeSource {
        TreeSource(
            reader: TreeReader(pages: version.generation.file.pages, root: .empty, facetCount: 0),
            owner: version.generation)
    }
}
