import StorageEngine

/// A kind of records whose type the caller does not know.
protocol AnyRecordKind: Sendable {
    var type: ObjectIdentifier { get }

    /// What the indexes stored under the kind's name must have been made by.
    var stamp: [UInt8] { get }

    /// The fields that the type reads.
    var described: KindFields { get }

    var fieldRevisions: KindFields.Revisions { get }

    /// Why a record of these bytes cannot be beside others: one of them has a unique key of it. `nil` where none has.
    func conflict(
        ofBytes bytes: [UInt8], id: UInt64, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> LibraryError?

    /// The keys that the indexes of the kind have for a record of these bytes.
    func entryKeys(ofBytes bytes: [UInt8], id: UInt64) throws(LibraryError) -> [[UInt8]]
}

extension RecordKind: AnyRecordKind {
    func conflict(
        ofBytes bytes: [UInt8], id: UInt64, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> LibraryError? {
        guard hasUniqueKeys else { return nil }
        let record = try decode(bytes, id: ID(rawValue: id))
        for unique in uniqueKeys {
            guard let value = try unique.key.value(record),
                let holder = try trees.holder(of: value, unique, self, besides: ID(rawValue: id))
            else { continue }
            return conflict(unique.key, holder)
        }
        return nil
    }

    var type: ObjectIdentifier { ObjectIdentifier(Value.self) }

    func entryKeys(ofBytes bytes: [UInt8], id: UInt64) throws(LibraryError) -> [[UInt8]] {
        let id = ID<Value>(rawValue: id)
        return try entryKeys(of: try decode(bytes, id: id), id: id)
    }
}
