import StorageEngine

/// A row of a list of records: the identifier, and the record when it is asked for.
public struct RecordRow<Value: Record>: Identifiable, Sendable {
    public let id: BookDB.ID<Value>
    private let version: Version

    init(_ id: BookDB.ID<Value>, in version: Version) {
        self.id = id
        self.version = version
    }

    /// Stands for a row that cannot be read. Its identifier names no record; it is different for each row.
    init(unreadableAt row: Int, in version: Version) {
        self.init(ID(device: IDLayout.placeholderDevice, counter: UInt64(row)), in: version)
    }

    /// `nil` when it cannot be read: `snapshot.records(Value.self)[id]` says why. O(log n).
    public var record: Value? { (try? version.appRecord(id, RecordKind<Value>.current)) ?? nil }
}
