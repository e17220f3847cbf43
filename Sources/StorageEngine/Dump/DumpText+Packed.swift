extension DumpText {
    /// A packed page whose layout fits: what its entries share, and each entry.
    ///
    /// - Parameter symbols: the page of the symbols that its values are written in; `nil` where that cannot be told.
    mutating func packed(_ piece: DumpedBytes, symbols: [UInt8]?, trailerByteCount: Int) {
        number(piece, PackedField.keyByteCount, "bytes of a key")
        number(piece, PackedField.valueByteCount, "bytes of a value")
        number(piece, PackedField.ownByteCount, "own bytes of an entry")
        number(piece, PackedField.ownKeyByteCount, "of its key")
        number(piece, PackedField.symbolsPage, "symbols page")
        number(piece, PackedField.reserved, "reserved")
        let arrays = piece.withSpan { PackedArrays(of: $0) }
        for facet in 0..<arrays.facetCount { array(piece, arrays.facet(facet), "facet \(facet)") }
        if arrays.valueByteCount == nil { array(piece, arrays.ends, "ends") }
        array(piece, arrays.shared, "shared")
        array(piece, arrays.places, "places")
        let entries = (0..<arrays.count).map { PackedEntry($0, ofPage: piece.bytes) }
        for (index, entry) in entries.enumerated() {
            let facets = Self.facets(entry.facets, of: arrays.facetCount)
            let value = arrays.valueByteCount == nil ? "" : " = \(Self.value(entry.storedValue))"
            field(
                piece, arrays.entry(index), arrays.ownByteCount,
                "entry \(index): \(Self.words(entry.key))\(facets)\(value)")
        }
        if arrays.valueByteCount == nil {
            var start = arrays.end
            for (index, entry) in entries.enumerated() {
                let value = entry.value(symbols).map { Self.value($0) } ?? "in symbols that cannot be read"
                field(piece, start, entry.storedValue.count, "value \(index): \(value)")
                start += entry.storedValue.count
            }
        }
        end(of: piece, used: piece.checked(NodeField.used), trailerByteCount: trailerByteCount)
    }
}
