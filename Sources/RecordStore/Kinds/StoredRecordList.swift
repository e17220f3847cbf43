import StorageEngine

/// Records of a kind in an order, as far as some conditions hold for them: what `bookdb ls --kind` lists.
///
/// O(log n) without conditions. With some, `snapshot.plan` says what is read.
public struct StoredRecordList: Sendable {
    public let kind: StoredKind
    public let count: Int

    private let order: StoredOrder?
    private let isReversed: Bool
    private let matches: RecordMatches
    private let version: Version

    fileprivate init(
        _ kind: StoredKind, _ order: StoredOrder?, isReversed: Bool, _ matches: RecordMatches, in version: Version
    ) {
        (self.kind, self.order, self.isReversed, self.matches, self.version) = (
            kind, order, isReversed, matches, version
        )
        count = matches.count
    }

    /// Some records, from a place in the list on: fewer at its end.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit; `.damaged` for a record that cannot be read, or that an order
    ///   names and is not there.
    public func page(offset: Int = 0, limit: Int = 50) throws(LibraryError) -> [StoredRecord] {
        let page = try RecordMatches.pageRange(offset: offset, limit: limit, of: count)
        let range = isReversed ? count - page.upperBound..<count - page.lowerBound : page
        let found = try matches.identifiers(range, in: version)
        var records: [StoredRecord] = []
        for id in isReversed ? found.reversed() : found {
            guard let bytes = try version.recordBytes(id, in: kind.tree) else {
                throw .damaged(
                    "The order “\(order?.name ?? "")” of \(kind.name) names \(ID<AppRecord>(rawValue: id)), which is not there."
                )
            }
            records.append(try StoredRecord(kind, id, bytes))
        }
        return records
    }

    /// The place behind a record of the list, where a page goes on that ended with it. O(log n), and with conditions O(what they hold for).
    ///
    /// - Returns: `nil` for a record that the list has not; by identifier the place where it would be counts.
    /// - Throws: `LibraryError.invalidArgument` for an order in which a record may have several places.
    public func offset(after id: String) throws(LibraryError) -> Int? {
        guard let id = ID<AppRecord>(id)?.rawValue else { return nil }
        guard order?.declaration.isOfEveryRecord != false else {
            throw .invalidArgument(
                "A \(kind.name) may have several places in the order “\(order?.name ?? "")”, so a page cannot go on behind one. Give an offset."
            )
        }
        let place: Int?
        switch matches {
        case .records(let positions, let tree):
            let position = try version.position(of: .bigEndian(id), in: tree, facet: nil) - positions.lowerBound
            let isThere = try version.recordBytes(id, in: tree) != nil
            return isReversed ? count - position : position + (isThere ? 1 : 0)
        case .entries(let tree, let facet, let positions) where order == nil:
            // Of an index that the conditions fix: its keys are alike up to the identifier.
            guard !positions.isEmpty else { return 0 }
            let first = try version.key(at: positions.lowerBound, in: tree, facet: facet)
            let found = try version.position(of: first.dropLast(8) + .bigEndian(id), in: tree, facet: facet)
            let position = found - positions.lowerBound
            let next = try version.identifiers(in: tree, facet, found..<min(found + 1, positions.upperBound))
            let isThere = next == [id]
            return isReversed ? count - position : position + (isThere ? 1 : 0)
        case .entries(let tree, let facet, let positions):
            guard let bytes = try version.recordBytes(id, in: kind.tree),
                let entry = try? order?.entries(of: bytes, (kind.name, id), in: version).get().first
            else { return nil }
            let position = try version.position(of: entry.key, in: tree, facet: facet)
            guard positions.contains(position),
                try version.identifiers(in: tree, facet, position..<position + 1) == [id]
            else { return nil }
            place = position - positions.lowerBound
        case .identifiers(let identifiers):
            if order == nil {
                let behind = identifiers.count { $0 <= id }
                return isReversed ? identifiers.count { $0 >= id } : behind
            }
            place = identifiers.firstIndex(of: id)
        }
        return place.map { isReversed ? count - $0 : $0 + 1 }
    }
}

extension Snapshot {
    /// Some records of a kind, by identifier or in one of its orders. O(log n + limit).
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit; `.damaged` for a record that cannot be read, or that an order
    ///   names and is not there.
    public func records(
        of kind: StoredKind, in order: StoredKind.Order? = nil, offset: Int = 0, limit: Int = 50
    ) throws(LibraryError) -> [StoredRecord] {
        try list(of: kind, in: order).page(offset: offset, limit: limit)
    }

    /// The records of a kind that all conditions hold for, by identifier or in one of its orders.
    ///
    /// The shortest list that its orders and facets have of such records is gone through, as for a type's own `where`. A record that cannot be
    /// read is left out where it is tested.
    ///
    /// - Throws: `LibraryError.incompleteOrder` for an order that is being made, where there are conditions; `.damaged` for an order that
    ///   cannot be read; `.invalidArgument` for one of another kind.
    public func list(
        of kind: StoredKind, where conditions: [StoredCondition] = [], in order: StoredKind.Order? = nil,
        isReversed: Bool = false
    ) throws(LibraryError) -> StoredRecordList {
        let stored = try kind.stored(order, in: version)
        let matches: RecordMatches
        if conditions.isEmpty, let stored {
            matches = .entries(stored.tree, nil, 0..<(try version.count(of: stored.tree)))
        } else if conditions.isEmpty {
            matches = .records(0..<(try kind.count(in: version)), kind.tree)
        } else {
            matches = try selection(of: kind, conditions, stored).matches(in: version)
        }
        return StoredRecordList(kind, stored, isReversed: isReversed, matches, in: version)
    }

    /// How such a list is found: which records are gone through, by exact counts, and what is tested on each.
    public func plan(
        of kind: StoredKind, where conditions: [StoredCondition] = [], in order: StoredKind.Order? = nil
    ) throws(LibraryError) -> RecordPlan {
        let stored = try kind.stored(order, in: version)
        return try selection(of: kind, conditions, stored).explanation(in: version)
    }

    private func selection(
        of kind: StoredKind, _ conditions: [StoredCondition], _ order: StoredOrder?
    ) throws(LibraryError) -> RecordSelection {
        if let order, let (madeCount, recordCount) = try version.progress(of: order, kind.name) {
            throw .incompleteOrder(kind: kind.name, order: order.name, madeCount: madeCount, recordCount: recordCount)
        }
        let orders = try kind.orders(in: version)
        return RecordSelection(
            KindSchema(kind.name, orders: [], sums: [], objection: nil), conditions.map(\.condition), in: order,
            among: orders, empty: orders.map(\.declaration.blank).joinedFields)
    }
}

extension [[UInt8]] {
    /// The fields of records, each once, ascending.
    fileprivate var joinedFields: [UInt8] {
        var fields: [UInt32: ArraySlice<UInt8>] = [:]
        for record in self {
            var walk = TaggedWalk(record, 0..<record.count)
            var start = 0
            while let (tag, _) = (try? walk.next()) ?? nil {
                fields[tag] = record[start..<walk.byteOffset]
                start = walk.byteOffset
            }
        }
        return fields.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
