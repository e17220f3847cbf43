/// The fields of a dense patch behind those that all nodes have. Of the others, `capacity` is that of own entries and `pageNumber`
/// the bytes of those in use.
enum PatchField {
    /// The entries of the page that the node keeps, but for those removed: from the first up to the end.
    static let first = Field<UInt16>("first", at: 32)
    static let end = Field<UInt16>("end", at: 34)
    static let ownCount = Field<UInt16>("ownCount", at: 36)
    static let removedCount = Field<UInt16>("removedCount", at: 38)
    static let removedCapacity = Field<UInt16>("removedCapacity", at: 40)
    static let behind = 42
}

/// The arrays of a dense patch. Own entries in the order of their keys.
struct PatchArrays {
    let ownCapacity: Int
    let removedCapacity: Int

    /// Where an own entry's bytes lie.
    @inline(__always) var offsets: FieldArray<UInt16> {
        FieldArray("offsets", at: PatchField.behind, count: ownCapacity)
    }

    /// The first entry of the page that does not sort before an own one.
    @inline(__always) var bases: FieldArray<UInt16> { FieldArray("bases", at: offsets.end, count: ownCapacity) }

    /// The index of an own entry among all.
    @inline(__always) var positions: FieldArray<UInt16> { FieldArray("positions", at: bases.end, count: ownCapacity) }

    /// Entries of the page that are gone, ascending.
    @inline(__always) var removed: FieldArray<UInt16> {
        FieldArray("removed", at: positions.end, count: removedCapacity)
    }

    @inline(__always) var end: Int { removed.end }
}

/// Facets, value word and count of the key's bytes; the key; the cell.
enum OwnEntryField {
    static let facets = Field<UInt16>("facets", at: 0)
    static let word = Field<UInt16>("word", at: 2)
    static let keyCount = Field<UInt16>("keyCount", at: 4)
    static let end = 6
}
