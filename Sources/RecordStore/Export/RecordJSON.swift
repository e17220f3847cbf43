import StorageEngine

/// The app's own records as lines of JSON, by the names of their fields:
///
///     {"type":"record","kind":"Loan","id":"a3f09c-12","fields":{"work":"a3f09c-4","borrower":"Ann","due":"2026-11-24T10:00:00Z"}}
///
/// What stands for each field `FieldType.json` says. A record whose bytes are no fields stands as `"bytes"`, in hexadecimal.
struct RecordJSON {
    let kind: String
    let fields: KindFields

    // MARK: Writing

    /// - Throws: `LibraryError.damaged` for bytes that are no record.
    func line(_ identifier: ID<AppRecord>, _ value: [UInt8]) throws(LibraryError) -> String {
        if let problem = TaggedWalk.problem(in: value) {
            throw .damagedRecord("\(kind) \(identifier)", problem.description)
        }
        let (version, rest) = RecordVersion.split(value)
        var json = JSONWriter()
        json.object { json in
            json.member("type", "record")
            json.member("kind", kind)
            json.member("id", identifier.description)
            if let version { json.member("version", version) }
            if let object = FieldType.json(fields: rest, fields.fields, namedType: .unknown) {
                json.member("fields", json: object)
            } else {
                json.member("bytes", rest.hexadecimal)
            }
        }
        return json.text
    }

    // MARK: Reading

    /// The bytes of the record on a line.
    ///
    /// - Throws: `LibraryError.invalidValue` where it is none, or has a field that the kind has not.
    func bytes(of line: JSONValue) throws(LibraryError) -> [UInt8] {
        do throws(RecordProblem) {
            try line.requireMembers(["type", "kind", "id", "version", "fields", "bytes"])
            return try versionBytes(line) + fieldBytes(line)
        } catch {
            throw .invalidValue("This \(kind) cannot be read: \(error.description).")
        }
    }

    private func versionBytes(_ line: JSONValue) throws(RecordProblem) -> [UInt8] {
        guard let value = line["version"] else { return [] }
        guard let version: UInt64 = value.integer() else { throw RecordProblem("its version is no number") }
        var writer = RecordWriter()
        writer.write(FieldNumber.versionTag, number: version)
        return writer.finish()
    }

    private func fieldBytes(_ line: JSONValue) throws(RecordProblem) -> [UInt8] {
        guard line["fields"] == nil || line["bytes"] == nil else { throw RecordProblem("it has “fields” and “bytes”") }
        if let digits = line["bytes"]?.text {
            guard let bytes = [UInt8](hexadecimal: digits), TaggedWalk.problem(in: bytes) == nil else {
                throw RecordProblem("“bytes” are no fields of a record")
            }
            return bytes
        }
        guard case .object(let members)? = line["fields"] else { throw RecordProblem("it has no “fields”") }
        for member in members where !member.name.hasPrefix("#") && fields.field(named: member.name) == nil {
            throw RecordProblem(
                "\(kind) has no field “\(member.name)” here. The line that says what the fields of the kind are comes before its records"
            )
        }
        return try FieldType.bytes(of: members, fields.fields, namedType: .unknown)
    }
}
