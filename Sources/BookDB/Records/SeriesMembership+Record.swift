import RecordStore
import StorageEngine

/// A series within the record of a work.
extension SeriesMembership {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields)
        writer.text(SeriesTag.name, name)
        writer.optional(SeriesTag.number, text: number)
        return writer.finish()
    }

    static func decode(_ record: RawSpan) throws(RecordProblem) -> SeriesMembership {
        var series = SeriesMembership(name: "")
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case SeriesTag.name: series.name = try field.text(in: record)
            case SeriesTag.number: series.number = try field.text(in: record)
            default: series.unknownFields.append(field.kept(from: record))
            }
        }
        return series
    }
}

/// The numbers of its fields; see `RecordField`.
enum SeriesTag {
    static let name: UInt32 = 1
    static let number: UInt32 = 2

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
    static let series = RecordSchema(
        "series", [(SeriesTag.name, "name", .text), (SeriesTag.number, "number", .text)])
}
