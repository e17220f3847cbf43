import StorageEngine

extension Snapshot {
    /// The app's own records of a type.
    public func records<Value: Record>(_ type: Value.Type) -> Records<Value> { Records(version: version) }
}

/// The records of one type of the app's own, in a snapshot.
///
/// ```swift
/// let loans = store.snapshot.records(Loan.self)
/// for loan in try loans.where(\.item, equals: drill) { print(loan.borrower) }
/// for loan in try loans.sorted(by: \.due, in: ...Date.now) { print(loan.borrower) }
/// ```
///
/// The queries and what they cost: `RecordQueries`.
public struct Records<Value: Record>: RecordQueries, Sendable {
    let version: Version
    private let kind = RecordKind<Value>.current

    /// O(log n). `nil` when there is no such record.
    public subscript(id: ID<Value>) -> Value? {
        get throws(LibraryError) {
            try version.check(kind)
            return try version.appRecord(id, kind)
        }
    }

    /// O(log n).
    public var count: Int {
        get throws(LibraryError) { try all.count }
    }

    public func list(_ query: RecordQuery<Value>) throws(LibraryError) -> RecordList<Value> {
        try RecordList(query, in: version)
    }

    /// Records that share a unique key: from before it was declared, or from a repair that lost what one of them was changed to. Empty as a
    /// rule. Goes through the entries of the key; while that is being made, through all records. Those that cannot be read are left out.
    public func conflicts() throws(LibraryError) -> [UniqueConflict<Value>] {
        try version.check(kind)
        var conflicts: [UniqueConflict<Value>] = []
        for (declared, key) in kind.uniqueKeys {
            if let order = try version.storedOrder(declared), order.builtTo == nil {
                let shared = try version.sharedKeys(of: order, kind.name)
                conflicts += shared.map { identifiers in
                    UniqueConflict(fields: key.fieldNames, identifiers: identifiers.map { .init(rawValue: $0) })
                }
                continue
            }
            var holders: [[UInt8]: [RecordStore.ID<Value>]] = [:]
            try kind.forEachRecord(in: version) { (record) throws(LibraryError) in
                if let value = try key.value(record) { holders[value.bytes, default: []].append(record.id) }
            }
            let shared = holders.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
            conflicts += shared.map { UniqueConflict(fields: key.fieldNames, identifiers: $0) }
        }
        return conflicts
    }
}
