import StorageEngine

/// A record of an app's own as a library has it, for who has not got its type.
public struct StoredRecord: Sendable {
    public let kind: String
    public let id: String

    /// Those that it has, by number.
    public let fields: [Field]

    /// As an export has it.
    public let line: String

    public struct Field: Sendable, Equatable {
        public let name: String

        /// A value of JSON, as an export has it.
        public let json: String

        /// For people: a text as it is, and anything else as JSON.
        public let text: String
    }

    init(_ kind: StoredKind, _ id: UInt64, _ bytes: [UInt8]) throws(LibraryError) {
        let json = RecordJSON(kind: kind.name, fields: kind.described)
        let id = ID<AppRecord>(rawValue: id)
        self.kind = kind.name
        self.id = id.description
        line = try json.line(id, bytes)
        fields = FieldType.members(of: RecordVersion.split(bytes).fields, kind.described.fields).map { name, json in
            Field(name: name, json: json, text: (try? JSONReader.value(of: json))?.text ?? json)
        }
    }
}

extension Snapshot {
    /// The record of any kind under an identifier such as `a3f09c-12`; `nil` when there is none. Where records of several kinds have it, as lines from
    /// elsewhere may say, that of the first kind. One look-up a kind.
    public func record(identified id: String) throws(LibraryError) -> StoredRecord? {
        try records(identified: id).first
    }

    /// The records of all kinds under an identifier such as `a3f09c-12`, by kind. A library gives none out twice; lines from elsewhere may. One look-up a kind.
    public func records(identified id: String) throws(LibraryError) -> [StoredRecord] {
        try translatingErrors { try version.requireLoaded() }
        guard let id = ID<AppRecord>(id) else { return [] }
        var found: [StoredRecord] = []
        for kind in version.declarations.kinds {
            guard let bytes = try version.recordBytes(id.rawValue, in: kind.number) else { continue }
            found.append(
                try StoredRecord(StoredKind(kind, try version.storedLinks(), in: version), id.rawValue, bytes))
        }
        return found
    }
}
