/// The fields of a permutation page behind those that all pages have. `Formats/SNAPSHOT.md` draws them.
///
/// Of the others, `prefixLength` and `prefixOffset` say what all *leads* begin with.
enum PermutationField {
    /// The root of the home tree in the same file, and what its checksum is.
    static let homeRoot = Field<UInt32>("homeRoot", at: 32)
    static let homeRootChecksum = Field<UInt32>("homeRootChecksum", at: 36)
    static let homeTree = Field<UInt32>("homeTree", at: 40)
    /// The first leaf of the home tree.
    static let homeFirstPage = Field<UInt32>("homeFirstPage", at: 44)
    /// The most entries that a leaf of the home tree has.
    static let radix = Field<UInt16>("radix", at: 48)
    static let groupCount = Field<UInt16>("groupCount", at: 50)
    /// Bits of a place, 1…32.
    static let placeBitCount = Field<UInt32>("placeBitCount", at: 52)

    static var all: FieldTable {
        FieldTable(homeRoot, homeRootChecksum, homeTree, homeFirstPage, radix, groupCount, placeBitCount)
    }

    static let end = 56

    /// Of a lead on such a page. Keys with longer ones lie in pages of keys.
    static let leadByteCounts = 1...255
}

/// The arrays of a permutation page. `Formats/SNAPSHOT.md` lists them.
struct PermutationArrays {
    let count: Int
    let facetCount: Int
    let groupCount: Int
    let placeBitCount: Int

    /// A bit for each entry that belongs to a facet.
    @inline(__always) func facet(_ facet: Int) -> FieldArray<UInt64> {
        FacetBits.array(facet, count: count, at: PermutationField.end)
    }

    /// Of each group, the index of its first entry.
    @inline(__always) var starts: FieldArray<UInt16> {
        FieldArray("starts", at: facet(facetCount).offset, count: groupCount)
    }

    /// Of each group, where its bytes lie.
    @inline(__always) var offsets: FieldArray<UInt16> { FieldArray("offsets", at: starts.end, count: groupCount) }

    /// A number of `placeBitCount` bits for each entry, the lowest bits first.
    @inline(__always) var placesOffset: Int { offsets.end }
    @inline(__always) var end: Int { placesOffset + (count * placeBitCount + 7) / 8 }

    /// Where the eight bytes begin that a place lies in.
    @inline(__always) func wordOffset(ofPlace index: Int) -> Int { placesOffset + (index * placeBitCount) >> 3 }

    /// A place out of those eight bytes.
    @inline(__always) func place(_ index: Int, in word: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: word >> UInt64(index * placeBitCount & 7) & (1 << UInt64(placeBitCount) - 1))
    }

    /// A place as it lies there.
    @inline(__always) func word(ofPlace place: UInt32, _ index: Int) -> UInt64 {
        UInt64(place) << UInt64(index * placeBitCount & 7)
    }

    /// Behind the places, so that eight bytes can be read for the last one, too.
    static let overrunByteCount = 8
}
