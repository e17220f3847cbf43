import RecordStore
import StorageEngine

/// An author's record. The identifier is its key.
extension Author {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields)
        writer.text(AuthorTag.name, name)
        writer.text(AuthorTag.sortName, sortName)
        return writer.finish()
    }

    static func decode(_ record: RawSpan, id: BookDB.ID<Author>) throws(RecordProblem) -> Author {
        var author = Author("", sortName: "")
        author.id = id
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case AuthorTag.name: author.name = try field.text(in: record)
            case AuthorTag.sortName: author.sortName = try field.text(in: record)
            default: author.unknownFields.append(field.kept(from: record))
            }
        }
        return author
    }
}

/// The numbers of its fields; see `RecordField`.
enum AuthorTag {
    static let name: UInt32 = 1
    static let sortName: UInt32 = 2

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
    static let author = RecordSchema(
        "author", [(AuthorTag.name, "name", .text), (AuthorTag.sortName, "sortName", .text)])
}

extension Author {
    /// A line of an export. Members are only ever added, at the end.
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "author")
            json.member("id", id.description)
            json.member("name", name)
            json.member("sortName", sortName)
            if !unknownFields.isEmpty { json.member("unknown", unknownFields.hexadecimal) }
        }
        return json.text
    }
}
