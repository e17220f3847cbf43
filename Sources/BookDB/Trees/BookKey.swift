import RecordStore
import StorageEngine

/// The key of a record of a work: of the work itself, of the reader's entry, or of one of its editions. They begin with the work, so that
/// all that belongs to one lies side by side and is read in one descent, and have one length, so that their pages are packed.
///
/// ```
///  0         8      9              17
/// ┌─────────┬──────┬────────────────┐
/// │ work    │ kind │ distance       │
/// └─────────┴──────┴────────────────┘
/// ```
///
/// The distance is how far the identifier of an edition lies behind that of its work, plus 2⁶³: editions come into a library with their
/// works, so that the keys of a page differ in one byte of it, and not in the six of two identifiers. Without an edition it is 2⁶³.
struct BookKey: Equatable {
    let work: ID<Work>
    let kind: Kind

    /// What of a work a record is.
    enum Kind: Equatable {
        case work, entry
        case edition(ID<Edition>)
    }

    static let byteCount = 17

    static func work(_ id: ID<Work>) -> BookKey { BookKey(work: id, kind: .work) }

    static func entry(_ id: ID<Work>) -> BookKey { BookKey(work: id, kind: .entry) }

    static func edition(_ work: ID<Work>, _ id: ID<Edition>) -> BookKey { BookKey(work: work, kind: .edition(id)) }

    private init(work: ID<Work>, kind: Kind) { (self.work, self.kind) = (work, kind) }

    /// `nil` for bytes that are no such key.
    init?(_ key: [UInt8]) {
        guard let read = key.withBytes({ BookKey($0) }) else { return nil }
        self = read
    }

    /// `nil` for bytes that are no such key.
    init?(_ key: RawSpan) {
        guard key.byteCount == Self.byteCount else { return nil }
        let (work, distance) = (key.loadBigEndian(at: 0), key.loadBigEndian(at: 9))
        switch key.byte(at: 8) {
        case Kind.workNumber where distance == Self.noDistance: kind = .work
        case Kind.entryNumber where distance == Self.noDistance: kind = .entry
        case Kind.editionNumber: kind = .edition(ID(rawValue: work &+ distance &- Self.noDistance))
        default: return nil
        }
        self.work = ID(rawValue: work)
    }

    var edition: ID<Edition>? {
        if case .edition(let id) = kind { id } else { nil }
    }

    var bytes: [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(Self.byteCount)
        key.append(bigEndian: work.rawValue)
        key.append(kind.number)
        key.append(bigEndian: distance)
        return key
    }

    /// For people: "edition a3f09c-2".
    var words: String {
        switch kind {
        case .work: "work \(work)"
        case .entry: "the entry of work \(work)"
        case .edition(let id): "edition \(id)"
        }
    }

    /// How the keys of all works end, behind the identifier, or those of all entries.
    static func keyEnd(_ kind: Kind) -> [UInt8] { Array(BookKey(work: .unassigned, kind: kind).bytes.dropFirst(8)) }

    private var distance: UInt64 {
        guard case .edition(let id) = kind else { return Self.noDistance }
        return id.rawValue &- work.rawValue &+ Self.noDistance
    }

    private static let noDistance: UInt64 = 1 << 63
}

/// The numbers are part of the format.
extension BookKey.Kind {
    fileprivate static let workNumber: UInt8 = 0
    fileprivate static let entryNumber: UInt8 = 1
    fileprivate static let editionNumber: UInt8 = 2

    /// Facets of the tree: how many records of each kind there are.
    static let workFacet = Facet(0)
    static let entryFacet = Facet(1)
    static let editionFacet = Facet(2)
    static let facetCount = 3

    fileprivate var number: UInt8 {
        switch self {
        case .work: Self.workNumber
        case .entry: Self.entryNumber
        case .edition: Self.editionNumber
        }
    }

    private var facet: Facet {
        switch self {
        case .work: Self.workFacet
        case .entry: Self.entryFacet
        case .edition: Self.editionFacet
        }
    }

    var facets: FacetSet { FacetSet(facet) }
}
