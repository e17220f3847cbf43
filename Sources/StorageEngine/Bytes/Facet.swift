/// One of up to 16 memberships that a tree counts, such as a reading status.
public struct Facet: Hashable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        precondition((0..<Limits.facetCount).contains(index), "a facet is one of sixteen")
        self.index = index
    }
}

/// The facets an entry belongs to.
public struct FacetSet: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public init(_ facet: Facet) { rawValue = 1 << UInt16(facet.index) }

    public func contains(_ facet: Facet) -> Bool { rawValue >> UInt16(facet.index) & 1 == 1 }
}
