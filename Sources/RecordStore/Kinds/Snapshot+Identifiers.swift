import StorageEngine

extension Snapshot {
    /// The records of any kind whose identifiers begin as a text does, `a3f09c` or `a3f09c-1`: the first few, and how many there are. For a hint
    /// where somebody has typed too little. O(k log n) for k kinds.
    public func identifiers(
        beginningWith text: String, limit: Int = 5
    ) throws(LibraryError) -> (first: [(kind: String, id: String)], count: Int) {
        guard limit >= 0 else { throw .invalidArgument("A limit is zero or more, not \(limit).") }
        try translatingErrors { try version.requireLoaded() }
        let ranges = ID<AppRecord>.ranges(beginningWith: text)
        var (found, count) = ([(kind: String, id: UInt64)](), 0)
        let trees =
            version.builtInKinds.map { ($0.name, $0.tree, $0.share?.facet) }
            + version.declarations.kinds.map { ($0.name, $0.number, nil) }
        for (kind, tree, facet) in trees {
            var wanted = limit
            for range in ranges {
                let positions = try version.positions(
                    of: tree, facet, from: .bigEndian(range.lowerBound), to: .bigEndian(range.upperBound))
                count += positions.count
                let first = positions.lowerBound..<positions.lowerBound + min(wanted, positions.count)
                wanted -= first.count
                found += try version.leadingIdentifiers(in: tree, facet, first).map { (kind, $0) }
            }
        }
        found.sort { $0.id < $1.id }
        return (found.prefix(limit).map { ($0.kind, ID<AppRecord>(rawValue: $0.id).description) }, count)
    }
}

extension Version {
    /// What the keys at some positions begin with.
    fileprivate func leadingIdentifiers(
        in tree: TreeNumber, _ facet: Facet?, _ positions: Range<Int>
    ) throws(LibraryError) -> [UInt64] {
        var identifiers: [UInt64] = []
        try translatingErrors {
            try scan(tree, facet: facet, positions: positions) { key, _ in
                if key.byteCount >= 8 { identifiers.append(key.loadBigEndian(at: 0)) }
                return true
            }
        }
        return identifiers
    }
}

extension ID {
    /// The stretches of raw values whose text forms begin so; none for what begins no identifier.
    fileprivate static func ranges(beginningWith text: String) -> [Range<UInt64>] {
        let parts = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        guard let digits = parts.first, (1...6).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit),
            let device = UInt64(digits, radix: 16)
        else { return [] }
        let room = IDLayout.counterBitCount + UInt64(4 * (6 - digits.utf8.count))
        // The largest device has no identifier behind it.
        let end = device << room + (1 << room - 1)
        guard parts.count > 1, !parts[1].isEmpty else {
            return parts.count <= 1 || digits.utf8.count == 6 ? [device << room..<end] : []
        }
        guard parts.count == 2, digits.utf8.count == 6, let counter = UInt64(parts[1]),
            (1...IDLayout.maximumCounter).contains(counter), parts[1].first != "0"
        else { return [] }
        var ranges: [Range<UInt64>] = []
        var (first, behind) = (counter, counter + 1)
        while first <= IDLayout.maximumCounter {
            ranges.append(device << room | first..<device << room + min(behind, IDLayout.maximumCounter))
            (first, behind) = (first * 10, behind * 10)
        }
        return ranges
    }
}
