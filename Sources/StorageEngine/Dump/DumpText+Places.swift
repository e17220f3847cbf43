extension DumpText {
    /// A leaf with places whose layout fits: its arrays, then its groups, each with its entries.
    mutating func places(_ piece: DumpedBytes, trailerByteCount: Int) {
        number(piece, PermutationField.homeRoot, "root page of the home")
        checksum(piece, PermutationField.homeRootChecksum, "checksum of the home's root")
        number(piece, PermutationField.homeTree, "home")
        number(piece, PermutationField.homeFirstPage, "first leaf of the home")
        number(piece, PermutationField.radix, "radix")
        number(piece, PermutationField.groupCount, "groups")
        number(piece, PermutationField.placeBitCount, "bits of a place")
        let count = piece.checked(NodeField.count)
        let groupCount = piece.checked(PermutationField.groupCount)
        let arrays = PermutationArrays(
            count: count, facetCount: piece.checked(NodeField.facetCount), groupCount: groupCount,
            placeBitCount: piece.checked(PermutationField.placeBitCount))
        for facet in 0..<arrays.facetCount { array(piece, arrays.facet(facet), "facet \(facet)") }
        array(piece, arrays.starts, "starts")
        array(piece, arrays.offsets, "offsets")
        field(piece, arrays.placesOffset, arrays.end - arrays.placesOffset, "places")
        let prefixLength = piece.checked(NodeField.prefixLength)
        if prefixLength > 0 { text(piece, piece.checked(NodeField.prefixOffset), prefixLength, "prefix") }
        for group in 0..<groupCount {
            let start = piece.checked(arrays.starts[group])
            let end = group + 1 < groupCount ? piece.checked(arrays.starts[group + 1]) : count
            let entries = (start..<end).map { PlacedEntry($0, ofPage: piece.bytes) }
            guard let first = entries.first else { continue }
            let offset = piece.checked(arrays.offsets[group])
            let value =
                first.value.isEmpty ? "" : " = \(Self.count(first.value.count, "byte")) \(Self.words(first.value))"
            field(
                piece, offset, 2 + first.lead.count - prefixLength + first.value.count,
                "group \(group): \(Self.words(first.lead))\(value)")
            for (index, entry) in entries.enumerated() {
                let facets = Self.facets(entry.facets, of: arrays.facetCount)
                emit("          entry \(start + index): entry \(entry.homeIndex) of page \(entry.homePage)\(facets)")
            }
        }
        end(of: piece, used: piece.checked(NodeField.used), trailerByteCount: trailerByteCount)
    }
}
