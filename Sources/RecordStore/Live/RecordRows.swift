import StorageEngine

/// The rows of a `LiveRecords`: a value with random access, whose records are read when they are asked for.
public struct RecordRows<Value: Record>: RandomAccessCollection, LiveItems {
    let list: RecordOrderList<Value>
    /// Rows of `list`, ascending; `nil` when all are shown.
    let chosen: [Int32]?
    /// Why there are none.
    let error: LibraryError?
    package let version: Version

    init(_ stretch: OrderStretch?, chosen: [Int32]? = nil, in version: Version) {
        list = RecordOrderList(version, stretch, 0)
        self.chosen = chosen
        error = nil
        self.version = version
    }

    /// No rows.
    init(failing error: LibraryError, in version: Version) {
        list = RecordOrderList(version, nil, 0)
        chosen = nil
        self.error = error
        self.version = version
    }

    /// Some rows of these.
    func choosing(_ chosen: [Int32]) -> RecordRows { RecordRows(list.known, chosen: chosen, in: version) }

    var isLoaded: Bool { version.isLoaded }

    package var chosenByteCount: Int { (chosen?.count ?? 0) * MemoryLayout<Int32>.stride }

    public var startIndex: Int { 0 }
    public var endIndex: Int { chosen?.count ?? list.count }

    /// O(log n). The identifier is there without reading the record.
    public subscript(index: Int) -> LiveRow<Value> {
        precondition(indices.contains(index), "the index is in the list")
        let row = chosen.map { Int($0[index]) } ?? index
        guard let id = try? list.identifiers(offset: row, limit: 1).first else {
            return LiveRow(unreadableAt: row, in: version)
        }
        return LiveRow(id, in: version)
    }

    /// The index of a record, the first where it stands several times; `nil` when it is not among the rows. O(log n).
    func index(of id: ID<Value>) throws(LibraryError) -> Int? {
        try list.known.flatMap { (stretch) throws(LibraryError) in
            try stretch.firstRow(of: id.rawValue, in: version, shown: index(ofListed:))
        }
    }

    /// Where the row at an index of others is among these: under its key, or, where nothing stands there any more, the first of its record. `nil` when it is
    /// not among the rows. O(log n).
    func index(ofRow index: Int, of others: RecordRows) throws(LibraryError) -> Int? {
        let key = try list.known?.order == others.list.known?.order ? others.key(at: index) : nil
        if let key, let place = try self.index(ofKey: key) { return place }
        return try self.index(of: others[index].id)
    }

    /// `nil` where there is no order yet.
    private func key(at index: Int) throws(LibraryError) -> [UInt8]? {
        guard let stretch = list.known else { return nil }
        let position = stretch.positions.lowerBound + (chosen.map { Int($0[index]) } ?? index)
        return try translatingErrors {
            try version.entry(at: position, in: stretch.order.tree, facet: stretch.facet)?
                .withKey { $0.copyBytes(0..<$0.byteCount) }
        }
    }

    private func index(ofKey key: [UInt8]) throws(LibraryError) -> Int? {
        guard let stretch = list.known else { return nil }
        let facets = try translatingErrors { try version.facets(forKey: key, in: stretch.order.tree) }
        guard let facets else { return nil }
        let entry = OrderEntry(order: 0, key: key, value: [], facets: facets.rawValue)
        return try stretch.row(of: entry, in: version).flatMap(index(ofListed:))
    }

    /// The index of a row of `list`; `nil` where it was not chosen.
    private func index(ofListed row: Int) -> Int? { chosen.map { $0.place(of: Int32(row)) } ?? row }
}
