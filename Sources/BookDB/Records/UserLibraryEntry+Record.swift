import RecordStore
import StorageEngine

/// An entry's record. The work's identifier is its key; notes and review are texts of their own.
extension UserLibraryEntry {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields)
        writer.number(EntryTag.status, UInt64(status.rawValue))
        writer.number(EntryTag.rating, UInt64(rating?.quarterStars ?? 0))
        writer.optional(EntryTag.dateStarted, signed: dateStarted.map { Int($0.daysSince1970) })
        writer.optional(EntryTag.dateFinished, signed: dateFinished.map { Int($0.daysSince1970) })
        writer.signed(EntryTag.readCount, Int64(readCount))
        writer.flag(EntryTag.isOwned, isOwned)
        writer.texts(EntryTag.tags, tags)
        writer.number(
            EntryTag.texts,
            (notes == nil ? 0 : TextKind.notes.flag) | (review == nil ? 0 : TextKind.review.flag))
        return writer.finish()
    }

    /// Decodes all but notes and review, and which of the two there are.
    static func decode(
        _ record: RawSpan, work: BookDB.ID<Work>
    ) throws(RecordProblem) -> (entry: UserLibraryEntry, texts: UInt64) {
        var entry = UserLibraryEntry(for: work)
        var texts: UInt64 = 0
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case EntryTag.status:
                guard let status = try UInt8(exactly: field.number).flatMap(ReadingStatus.init(rawValue:)) else {
                    entry.unknownFields.append(field.kept(from: record))
                    continue
                }
                entry.status = status
            case EntryTag.rating:
                guard let rating = try UInt8(exactly: field.number).flatMap(Rating.init(quarterStars:)) else {
                    entry.unknownFields.append(field.kept(from: record))
                    continue
                }
                entry.rating = rating
            case EntryTag.dateStarted: entry.dateStarted = Day(daysSince1970: try field.signed(as: Int32.self))
            case EntryTag.dateFinished: entry.dateFinished = Day(daysSince1970: try field.signed(as: Int32.self))
            case EntryTag.readCount: entry.readCount = try field.signed(as: Int.self)
            case EntryTag.isOwned: entry.isOwned = try field.number != 0
            case EntryTag.tags: entry.tags.append(try field.text(in: record))
            case EntryTag.texts: texts = try field.number
            default: entry.unknownFields.append(field.kept(from: record))
            }
        }
        return (entry, texts)
    }
}

/// The numbers of its fields; see `RecordField`.
enum EntryTag {
    static let status: UInt32 = 1
    static let rating: UInt32 = 2
    static let dateStarted: UInt32 = 3
    static let dateFinished: UInt32 = 4
    static let readCount: UInt32 = 5
    static let isOwned: UInt32 = 6
    static let tags: UInt32 = 7

    /// Which texts of the entry exist in the tree of texts; see `TextKind`.
    static let texts: UInt32 = 8

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
    static let entry = RecordSchema(
        "entry",
        [
            (EntryTag.status, "status", .named { ReadingStatus(rawValue: $0)?.name }),
            (EntryTag.rating, "rating", .named { Rating(quarterStars: $0).map { "\($0) stars" } }),
            (EntryTag.dateStarted, "dateStarted", .days), (EntryTag.dateFinished, "dateFinished", .days),
            (EntryTag.readCount, "readCount", .signed), (EntryTag.isOwned, "isOwned", .number),
            (EntryTag.tags, "tags", .text), (EntryTag.texts, "texts", .texts),
        ])
}

extension UserLibraryEntry {
    /// A line of an export. Members are only ever added, at the end.
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "entry")
            json.member("work", work.description)
            json.member("status", status.name)
            if let rating { json.member("rating", rating.stars) }
            json.optional("dateStarted", dateStarted?.description)
            json.optional("dateFinished", dateFinished?.description)
            json.member("readCount", readCount)
            json.optional("notes", notes)
            json.optional("review", review)
            json.list("tags", tags) { json, tag in json.element(tag) }
            json.member("isOwned", isOwned)
            if !unknownFields.isEmpty { json.member("unknown", unknownFields.hexadecimal) }
        }
        return json.text
    }
}
