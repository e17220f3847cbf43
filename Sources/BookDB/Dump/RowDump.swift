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
        text.field(piece, Layout.languageOffset, 3, "language \(head.language)")
        for (place, name) in ["titleCount", "authorsCount", "coverCount"].enumerated() {
            text.field(
                piece, Layout.countsOffset + head.countByteCount * place, head.countByteCount,
                "\(name) \(head.counts[place])")
        }
        if let finished = head.finished { text.field(piece, head.byteCount - 4, 4, "finished \(finished)") }
        for (range, name) in zip(head.texts, ["title", "authors", "otherNames"]) where !range.isEmpty {
            text.field(piece, range.lowerBound, range.count, "\(name) \(RecordDump.quoted(row[range]))")
        }
        guard head.counts[2] > 0 else { return }
        let cover = row.count - head.counts[2]
        guard let beginning = head.coverBeginning else {
            text.field(piece, cover, head.counts[2], "cover \(DumpText.words(row[cover...]))")
            return text.misfit("the cover has fewer bytes than its URL begins with")
        }
        let url = row[beginning...] + row[cover + 1..<beginning]
        text.field(piece, cover, head.counts[2], "coverURL \(RecordDump.quoted(url))")
    }

    /// What comes before the texts, in words.
    private struct Head {
        let status: String
        let rating: String
        let flags: String
        let year: String
        let finished: String?
        let language: String
        /// Of title, authors and cover URL.
        let counts: [Int]
        let countByteCount: Int
        let byteCount: Int
        let texts: [Range<Int>]
        /// Where in the row the cover's URL begins; `nil` where it does not.
        let coverBeginning: Int?

        init?(_ row: RawSpan) {
            guard let texts = RowTexts(row) else { return nil }
            status = StoredRow.status(row).name
            rating = StoredRow.rating(row).map { "\($0) stars" } ?? "none"
            flags =
                StoredRow.reviewStatus(row).name + (StoredRow.isOwned(row) ? ", owned" : "")
                + (StoredRow.dateFinished(row) == nil ? "" : ", finished")
            year = StoredRow.year(row).map { String($0) } ?? "none"
            finished = StoredRow.dateFinished(row).map { "\($0)" }
            language = StoredRow.language(row)?.description ?? "none"
            counts = [texts.titleRange.count, texts.authorsRange.count, texts.coverRange.count]
            byteCount = texts.title
            self.texts = [texts.titleRange, texts.authorsRange, texts.otherNamesRange]
            coverBeginning = TurnedURL.beginning(row, texts.coverRange)?.lowerBound
            let end = byteCount - (finished == nil ? 0 : 4)
            countByteCount = (end - WorkListRow.Layout.countsOffset) / counts.count
        }
    }
}
