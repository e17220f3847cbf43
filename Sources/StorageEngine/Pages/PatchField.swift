/// The fields of a permutation patch behind those that all nodes have. Of the others, `capacity` is that of own entries and `pageNumber`
/// the bytes of those in use.
enum PatchField {
    /// The entries of the page that the node keeps, but for those removed: from the first up to the end.
    @inline(__always) static var first: Field<UInt16> { Field("first", at: NodeLayout.headerByteCount) }
    @inline(__always) static var end: Field<UInt16> { Field("end", at: first.end) }
    @inline(__always) static var ownCount: Field<UInt16> { Field("ownCount", at: end.end) }
    @inline(__always) static var removedCount: Field<UInt16> { Field("removedCount", at: ownCount.end) }
    @inline(__always) static var removedCapacity: Field<UInt16> { Field("removedCapacity", at: removedCount.end) }
    @inline(__always) static var behind: Int { removedCapacity.end }
}

/// The arrays of a permutation patch. Own entries in the order of their keys.
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
    @inline(__always) static var facets: Field<UInt16> { Field("facets", at: 0) }
    @inline(__always) static var word: Field<UInt16> { Field("word", at: 2) }
    @inline(__always) static var keyCount: Field<UInt16> { Field("keyCount", at: 4) }
    @inline(__always) static var end: Int { keyCount.end }
}
