/// A kind of records whose type the caller does not know.
protocol AnyRecordKind: Sendable {
    var type: ObjectIdentifier { get }

    /// What the indexes stored under the kind's name must have been made by.
    var stamp: [UInt8] { get }

    /// The keys that the indexes of the kind have for a record of these bytes.
    func entryKeys(ofBytes bytes: [UInt8], id: UInt64) throws(LibraryError) -> [[UInt8]]
}

extension RecordKind: AnyRecordKind {
    var type: ObjectIdentifier { ObjectIdentifier(Value.self) }

    func entryKeys(ofBytes bytes: [UInt8], id: UInt64) throws(LibraryError) -> [[UInt8]] {
        let id = ID<Value>(rawValue: id)
        return try entryKeys(of: try decode(bytes, id: id), id: id)
    }
}
