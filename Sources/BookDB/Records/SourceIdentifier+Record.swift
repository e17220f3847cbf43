import RecordStore
import StorageEngine

/// An identifier within the record of an edition.
extension SourceIdentifier {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields)
        writer.text(IdentifierTag.source, source)
        writer.text(IdentifierTag.value, value)
        return writer.finish()
    }

    static func decode(_ record: RawSpan) throws(RecordProblem) -> SourceIdentifier {
        var identifier = SourceIdentifier(source: "", value: "")
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case IdentifierTag.source: identifier.source = try field.text(in: record)
            case IdentifierTag.value: identifier.value = try field.text(in: record)
            default: identifier.unknownFields.append(field.kept(from: record))
            }
        }
        return identifier
    }
}

/// The numbers of its fields; see `RecordField`.
enum IdentifierTag {
    static let source: UInt32 = 1
    static let value: UInt32 = 2

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
    static let identifier = RecordSchema(
        "identifier", [(IdentifierTag.source, "source", .text), (IdentifierTag.value, "value", .text)])
}
