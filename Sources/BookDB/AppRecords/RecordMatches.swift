import StorageEngine

/// The records that a query finds, in its order, for the trees it was asked of.
enum RecordMatches<Value: Record>: Sendable {
    /// The records themselves, by identifier.
    case records(Range<Int>)
    /// Entries of the indexes, whose keys end in the identifier.
    case entries(Range<Int>)
    case identifiers([ID<Value>])

    var count: Int {
        switch self {
        case .records(let positions), .entries(let positions): positions.count
        case .identifiers(let identifiers): identifiers.count
        }
    }

    /// Some of the records, from a place among them on: fewer at their end.
    ///
    /// - Throws: `BookError.damaged` when one of them cannot be read; `BookError.invalidArgument` for a negative offset or limit.
    func page(
        offset: Int, limit: Int, _ kind: RecordKind<Value>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> [Value] {
        guard offset >= 0, limit >= 0 else {
            throw .invalidArgument("A page has an offset and a limit of zero or more, not \(offset) and \(limit).")
        }
        let start = Swift.min(offset, count)
        let range = start..<start + Swift.min(limit, count - start)
        if case .records(let positions) = self {
            return try kind.records(at: range.shifted(by: positions.lowerBound), in: trees)
        }
        var page: [Value] = []
        page.reserveCapacity(range.count)
        for id in try identifiers(range, in: trees) {
            guard let record = try trees.appRecord(id, kind) else {
                throw .damaged("an index names \(kind.name) \(id), which is not there.")
            }
            page.append(record)
        }
        return page
    }

    /// The identifiers at some places of the list.
    func identifiers(
        _ range: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> [ID<Value>] {
        switch self {
        case .identifiers(let identifiers): Array(identifiers[range])
        case .records(let positions):
            try Self.identifiers(in: LibraryTree.appRecords, range.shifted(by: positions.lowerBound), trees)
        case .entries(let positions):
            try Self.identifiers(in: LibraryTree.appIndexes, range.shifted(by: positions.lowerBound), trees)
        }
    }

    private static func identifiers(
        in tree: TreeNumber, _ positions: Range<Int>, _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> [ID<Value>] {
        var identifiers: [ID<Value>] = []
        identifiers.reserveCapacity(positions.count)
        do {
            try trees.scan(tree, positions: positions) { key, _ in
                identifiers.append(ID(rawValue: key.byteCount < 8 ? 0 : key.loadBigEndian(at: key.byteCount - 8)))
                return true
            }
        } catch {
            throw BookError(error)
        }
        return identifiers
    }
}

extension Range<Int> {
    fileprivate func shifted(by places: Int) -> Range<Int> { lowerBound + places..<upperBound + places }
}
