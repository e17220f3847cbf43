extension DumpText {
    /// A packed page whose layout fits: what its entries share, and each entry.
    mutating func packed(_ piece: DumpedBytes, trailerByteCount: Int) {
        number(piece, PackedField.keyByteCount, "bytes of a key")
        number(piece, PackedField.valueByteCount, "bytes of a value")
        number(piece, PackedField.ownByteCount, "own bytes of an entry")
        number(piece, PackedField.ownKeyByteCount, "of its key")
        let arrays = piece.withSpan { PackedArrays(of: $0) }
        for facet in 0..<arrays.facetCount { array(piece, arrays.facet(facet), "facet \(facet)") }
        if arrays.valueByteCount == nil { array(piece, arrays.ends, "ends") }
        array(piece, arrays.shared, "shared")
        array(piece, arrays.places, "places")
        let entries = (0..<arrays.count).map { PackedEntry($0, ofPage: piece.bytes) }
        for (index, entry) in entries.enumerated() {
            let facets = Self.facets(entry.facets, of: arrays.facetCount)
            let value = arrays.valueByteCount == nil ? "" : " = \(Self.value(entry.value))"
            field(
                piece, arrays.entry(index), arrays.ownByteCount,
                "entry \(index): \(Self.words(entry.key))\(facets)\(value)")
        }
        if arrays.valueByteCount == nil {
            var start = arrays.end
            for (index, entry) in entries.enumerated() {
                field(piece, start, entry.value.count, "value \(index): \(Self.value(entry.value))")
                start += entry.value.count
            }
        }
        end(of: piece, used: piece.checked(NodeField.used), trailerByteCount: trailerByteCount)
    }
}
