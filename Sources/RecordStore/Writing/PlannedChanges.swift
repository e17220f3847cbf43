import StorageEngine

/// What is about to become of records, worked out before anything is changed.
struct PlannedChanges {
    /// `nil` for those that go.
    private var bytes: [LinkedRecord: [UInt8]?] = [:]
    private(set) var fields: [LinkedRecord: RecordFields?] = [:]

    mutating func set(_ record: LinkedRecord, _ new: [UInt8]?) {
        bytes[record] = .some(new)
        fields[record] = .some(new.flatMap { try? RecordFields($0) })
    }

    func contains(_ record: LinkedRecord) -> Bool { bytes[record] != nil }

    /// What a record is then; `nil` where it goes, or there is none.
    func bytes(
        of record: LinkedRecord, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [UInt8]? {
        if let planned = bytes[record] { return planned }
        guard case .records(let kind) = record.target else { return nil }
        return try trees.recordBytes(record.id, ofKind: kind)
    }
}
