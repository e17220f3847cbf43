import StorageEngine

/// What a search asks of a row besides its text, in 16 bits: the facets, and above them whether the work has a rating.
struct RowFlags: Equatable, Sendable {
    let rawValue: UInt16

    private static let rated: UInt16 = 1 << 15

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ row: RawSpan, _ facets: FacetSet) {
        let isRated = StoredRow.isReadable(row) && StoredRow.rating(row) != nil
        rawValue = facets.rawValue & ~Self.rated | (isRated ? Self.rated : 0)
    }

    func contains(_ facet: Facet) -> Bool { FacetSet(rawValue: rawValue).contains(facet) }

    static let maximumSignalCount = 3

    /// How many things say that the reader cares for the work: a reading status, a rating, owning it.
    var signalCount: Int {
        (contains(WorkFacet.status(.none)) ? 0 : 1) + (contains(WorkFacet.owned) ? 1 : 0)
            + (rawValue & Self.rated == 0 ? 0 : 1)
    }
}
