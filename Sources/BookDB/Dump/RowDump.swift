import StorageEngine

/// The fields of a list row, a line each, as `Formats/LIBRARY.md` lists them.
struct RowDump {
    private var text: DumpText

    init(_ text: DumpText) { self.text = text }

    /// The text, with what was found wrong counted in it.
    consuming func finish() -> DumpText { text }

    mutating func row(_ row: [UInt8]) {
        let piece = DumpedBytes(row)
        guard let head = piece.withSpan(Head.init) else { return text.misfit("the row's lengths do not fit it") }
        typealias Layout = WorkListRow.Layout
        text.field(piece, Layout.statusOffset, 1, "status \(head.status)")
        text.field(piece, Layout.ratingOffset, 1, "rating \(head.rating)")
        text.field(piece, Layout.flagsOffset, 1, "flags: \(head.flags)")
        text.field(piece, Layout.yearOffset, 2, "year \(head.year)")
        text.field(piece, Layout.finishedOffset, 4, "finished \(head.finished)")
        text.field(piece, Layout.languageOffset, 3, "language \(head.language)")
        text.field(piece, Layout.titleCountOffset, 2, "titleCount \(head.titleCount)")
        text.field(piece, Layout.authorsCountOffset, 2, "authorsCount \(head.authorsCount)")
        text.field(piece, Layout.coverCountOffset, 2, "coverCount \(head.coverCount)")
        var start = Layout.headByteCount
        let rest = row.count - start - head.titleCount - head.authorsCount - head.coverCount
        for (count, name) in [
            (head.titleCount, "title"), (head.authorsCount, "authors"), (head.coverCount, "coverURL"),
            (rest, "otherNames"),
        ] where count > 0 {
            text.field(piece, start, count, "\(name) \(RecordDump.quoted(row[start..<start + count]))")
            start += count
        }
    }

    /// The fields of fixed width, in words.
    private struct Head {
        let status: String
        let rating: String
        let flags: String
        let year: String
        let finished: String
        let language: String
        let titleCount: Int
        let authorsCount: Int
        let coverCount: Int

        init?(_ row: RawSpan) {
            guard StoredRow.isReadable(row) else { return nil }
            status = StoredRow.status(row).name
            rating = StoredRow.rating(row).map { "\($0) stars" } ?? "none"
            flags = StoredRow.reviewStatus(row).name + (StoredRow.isOwned(row) ? ", owned" : "")
            year = StoredRow.year(row).map { String($0) } ?? "none"
            finished = StoredRow.dateFinished(row).map { "\($0)" } ?? "none"
            language = StoredRow.language(row)?.description ?? "none"
            titleCount = Int(row.loadLittleEndian(at: WorkListRow.Layout.titleCountOffset, as: UInt16.self))
            authorsCount = Int(row.loadLittleEndian(at: WorkListRow.Layout.authorsCountOffset, as: UInt16.self))
            coverCount = Int(row.loadLittleEndian(at: WorkListRow.Layout.coverCountOffset, as: UInt16.self))
        }
    }
}
