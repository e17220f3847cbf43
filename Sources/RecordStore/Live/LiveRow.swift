import StorageEngine

/// A row of a `LiveRecords`: the identifier, and fields of the record, each read when it is asked for.
///
/// ```swift
/// let all = try LiveRecords(store, Transfer.self, "all")
/// for row in all.rows.prefix(50) { print(row.amount ?? 0, row.note ?? "") }
/// ```
///
/// A field is `nil` also when the record cannot be read: `snapshot.records(Value.self)[id]` says why. O(log n).
@dynamicMemberLookup public struct LiveRow<Value: Record>: Identifiable, Sendable {
    public let id: RecordStore.ID<Value>
    private let version: Version

    init(_ id: RecordStore.ID<Value>, in version: Version) {
        self.id = id
        self.version = version
    }

    /// Stands for a row that cannot be read. Its identifier names no record; it is different for each row.
    init(unreadableAt row: Int, in version: Version) {
        self.init(ID(device: IDLayout.placeholderDevice, counter: UInt64(row)), in: version)
    }

    public subscript<Field: Decodable>(dynamicMember path: KeyPath<Value, Field> & Sendable) -> Field? {
        try? row?[dynamicMember: path]
    }

    public subscript<Field: Decodable>(dynamicMember path: KeyPath<Value, Field?> & Sendable) -> Field? {
        (try? row?[dynamicMember: path]) ?? nil
    }

    /// All of it.
    public var record: Value? { try? row?.record }

    private var row: RecordRow<Value>? {
        let kind = RecordKind<Value>.current
        guard let bytes = (try? version.recordBytes(id.rawValue, in: kind.tree)) ?? nil else { return nil }
        return RecordRow(id, RecordBytes(bytes), kind.fields.known)
    }
}
