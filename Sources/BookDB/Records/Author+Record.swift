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
