import StorageEngine

/// What a search asks of a row besides its text, in 16 bits: facets, and above them what the list adds.
package struct RowFlags: Equatable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    func contains(_ facet: Facet) -> Bool { FacetSet(rawValue: rawValue).contains(facet) }
}
