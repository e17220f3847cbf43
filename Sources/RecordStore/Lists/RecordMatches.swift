import StorageEngine

/// The records that a query finds, in its order, for the trees it was asked of.
enum RecordMatches: Sendable {
    /// The records themselves, by identifier.
    case records(Range<Int>, TreeNumber)
    /// Entries of the indexes or of an order, whose keys end in the identifier; those of a facet among them.
    case entries(TreeNumber, Facet?, Range<Int>)
    case identifiers([UInt64])

    var count: Int {
        switch self {
        case .records(let positions, _), .entries(_, _, let positions): positions.count
        case .identifiers(let identifiers): identifiers.count
        }
    }

    /// Some of the records, from a place among them on: fewer at their end.
    ///
    /// - Throws: `LibraryError.damaged` when one of them is not there; `LibraryError.invalidArgument` for a negative offset or limit.
    func rows(
        offset: Int, limit: Int, _ kind: KindSchema, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> RecordPage {
        let range = try Self.pageRange(offset: offset, limit: limit, of: count)
        if case .records(let positions, _) = self {
            return try kind.rows(at: range.shifted(by: positions.lowerBound), in: trees)
        }
        return try kind.rows(of: try self.identifiers(range, in: trees), namedBy: "an index", in: trees)
    }

    /// The places of a page in a list.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit.
    static func pageRange(offset: Int, limit: Int, of count: Int) throws(LibraryError) -> Range<Int> {
        guard offset >= 0, limit >= 0 else {
            throw .invalidArgument("A page has an offset and a limit of zero or more, not \(offset) and \(limit).")
        }
        let start = Swift.min(offset, count)
        return start..<start + Swift.min(limit, count - start)
    }

    /// The identifiers at some places of the list.
    func identifiers(
        _ range: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [UInt64] {
        switch self {
        case .identifiers(let identifiers): Array(identifiers[range])
        case .records(let positions, let tree):
            try trees.identifiers(in: tree, nil, range.shifted(by: positions.lowerBound))
        case .entries(let tree, let facet, let positions):
            try trees.identifiers(in: tree, facet, range.shifted(by: positions.lowerBound))
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// What the keys at some positions end in.
    func identifiers(in tree: TreeNumber, _ facet: Facet?, _ positions: Range<Int>) throws(LibraryError) -> [UInt64] {
        var identifiers: [UInt64] = []
        identifiers.reserveCapacity(positions.count)
        try translatingErrors {
            try scan(tree, facet: facet, positions: positions) { key, _ in
                identifiers.append(key.trailingIdentifier)
                return true
            }
        }
        return identifiers
    }
}

extension Range<Int> {
    fileprivate func shifted(by places: Int) -> Range<Int> { lowerBound + places..<upperBound + places }
}
