import StorageEngine

/// What a list shows of a work: a pure function of the work, its authors and the reader's entry.
///
/// ```
///   0        1        2       3 4    5-7        8            9             10          11-14
/// ┌────────┬────────┬───────┬──────┬──────────┬─────────────┬───────────────┬─────────────┬──────────┬┄┄
/// │ status │ rating │ flags │ year │ language │ title count │ authors count │ cover count │ finished │
/// └────────┴────────┴───────┴──────┴──────────┴─────────────┴───────────────┴─────────────┴──────────┴┄┄
/// ┄┬───────┬─────────┬─────────────┬───────────┐
///  │ title │ authors │ other names │ cover URL │
/// ┄┴───────┴─────────┴─────────────┴───────────┘
/// flags: bits 0-1 review status, bit 2 owned, bit 3 finished is there, bit 4 counts are of two bytes each
/// ```
///
/// Integers are little-endian and texts UTF-8; a year of -32768, a rating of 0 and a language of zeros are none. The flags say where
/// each field lies, so any is read in place without decoding the others. A row holds what a search finds the work by, the other names
/// too: subtitle, original title and series, a line feed apart. The URL is a `TurnedURL`, and last: rows that end alike share that in a
/// page. Nearly all rows lie beside their key in a page. A list shows a line of title and authors, cut as they are read.
struct WorkListRow: Equatable, Sendable {
    let status: ReadingStatus
    let rating: Rating?
    let reviewStatus: ReviewStatus
    let isOwned: Bool
    let year: Int?
    let dateFinished: Day?
    let language: LanguageCode?
    let title: String
    let authors: String
    let coverURL: String?
    let otherNames: String

    /// - Parameter authors: those of the work, in its order.
    static func make(work: Work, authors: [Author], entry: UserLibraryEntry?) -> WorkListRow {
        let title = work.title.cut(toByteCount: Layout.maximumTitleByteCount)
        let line = authors.count == 1 ? authors[0].name : authors.map(\.name).joined(separator: ", ")
        let names = line.cut(toByteCount: Layout.maximumAuthorsByteCount)
        // Half a URL leads nowhere.
        let coverURL = work.coverURL.flatMap { (1...Layout.maximumCoverByteCount).contains($0.utf8.count) ? $0 : nil }
        return WorkListRow(
            status: entry?.status ?? .none,
            rating: entry?.rating,
            reviewStatus: work.reviewStatus,
            isOwned: entry?.isOwned ?? false,
            // A record of an earlier version may hold any.
            year: work.firstPublicationYear.map { min(max($0, Work.years.lowerBound), Work.years.upperBound) },
            dateFinished: entry?.dateFinished,
            language: work.language.flatMap { LanguageCode($0) },
            title: title, authors: names, coverURL: coverURL,
            otherNames: otherNames(of: work).cut(toByteCount: Layout.maximumOtherNamesByteCount))
    }

    private static func otherNames(of work: Work) -> String {
        if work.subtitle == nil, work.originalTitle == nil, work.series.isEmpty { return "" }
        let names = [work.subtitle, work.originalTitle].compactMap { $0 } + work.series.map(\.name)
        return names.joined(separator: "\n")
    }

    /// Whether the two are stored as the same bytes.
    static func == (row: WorkListRow, other: WorkListRow) -> Bool {
        row.status == other.status && row.rating == other.rating && row.reviewStatus == other.reviewStatus
            && row.isOwned == other.isOwned && row.year == other.year && row.dateFinished == other.dateFinished
            && row.language == other.language && row.title.hasSameBytes(as: other.title)
            && row.authors.hasSameBytes(as: other.authors) && row.coverURL.hasSameBytes(as: other.coverURL)
            && row.otherNames.hasSameBytes(as: other.otherNames)
    }

    var facets: FacetSet { WorkFacet.set(status: status, review: reviewStatus, isOwned: isOwned) }

    func encoded() -> [UInt8] {
        let counts = (title.utf8.count, authors.utf8.count, coverURL.map { 1 + $0.utf8.count } ?? 0)
        let isLong = max(counts.0, counts.1, counts.2) > UInt8.max
        var flags = reviewStatus.rawValue
        if isOwned { flags |= Layout.ownedFlag }
        if dateFinished != nil { flags |= Layout.finishedFlag }
        if isLong { flags |= Layout.longFlag }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            Layout.maximumHeadByteCount + counts.0 + counts.1 + counts.2 + otherNames.utf8.count)
        bytes.append(status.rawValue)
        bytes.append(rating?.quarterStars ?? 0)
        bytes.append(flags)
        bytes.append(littleEndian: UInt16(bitPattern: Int16(year ?? Layout.noYear)))
        bytes.append(contentsOf: language?.bytes ?? [0, 0, 0])
        if isLong {
            bytes.append(littleEndian: UInt16(counts.0))
            bytes.append(littleEndian: UInt16(counts.1))
            bytes.append(littleEndian: UInt16(counts.2))
        } else {
            bytes += [UInt8(counts.0), UInt8(counts.1), UInt8(counts.2)]
        }
        if let day = dateFinished.map({ UInt32(bitPattern: $0.daysSince1970) }) {
            bytes.append(littleEndian: UInt16(truncatingIfNeeded: day))
            bytes.append(littleEndian: UInt16(truncatingIfNeeded: day >> 16))
        }
        bytes.append(contentsOf: title.utf8)
        bytes.append(contentsOf: authors.utf8)
        bytes.append(contentsOf: otherNames.utf8)
        if let coverURL { TurnedURL.append(coverURL, to: &bytes) }
        return bytes
    }

    enum Layout {
        static let statusOffset = 0
        static let ratingOffset = 1
        static let flagsOffset = 2
        static let yearOffset = 3
        static let languageOffset = 5
        static let countsOffset = 8
        /// Of counts of a byte each. Those of two end three bytes behind.
        static let countsEnd = 11
        static let longCountsEnd = 14
        static let maximumHeadByteCount = 18

        static let reviewStatusMask: UInt8 = 0b0011
        static let ownedFlag: UInt8 = 0b0100
        static let finishedFlag: UInt8 = 1 << finishedBit
        static let longFlag: UInt8 = 1 << longBit
        static let finishedBit: UInt8 = 3
        static let longBit: UInt8 = 4

        static let noYear = Int(Int16.min)

        static let maximumTitleByteCount = 16 << 10
        static let maximumAuthorsByteCount = 16 << 10
        static let maximumCoverByteCount = 400
        static let maximumOtherNamesByteCount = 16 << 10

        /// What a list shows.
        static let shownTitleByteCount = 400
        static let shownAuthorsByteCount = 200

        /// A change of the layout, or of which lists there are, is a new number, and the lists are made anew.
        static let version: UInt64 = 7
    }
}

/// A row as stored, read in place one field at a time.
///
/// Every field answers for all bytes whose lengths fit, which `isReadable` tells: what cannot be meant reads as none.
enum StoredRow {
    typealias Layout = WorkListRow.Layout

    /// Whether the lengths in the head fit the bytes. The other functions may be called only then.
    static func isReadable(_ row: RawSpan) -> Bool { RowTexts(row) != nil }

    @inline(__always)
    static func texts(_ row: RawSpan) -> RowTexts {
        guard let texts = RowTexts(row) else { preconditionFailure("a row is readable before it is read") }
        return texts
    }

    static func status(_ row: RawSpan) -> ReadingStatus {
        ReadingStatus(rawValue: row.loadLittleEndian(at: Layout.statusOffset, as: UInt8.self)) ?? .none
    }

    static func rating(_ row: RawSpan) -> Rating? {
        Rating(quarterStars: row.loadLittleEndian(at: Layout.ratingOffset, as: UInt8.self))
    }

    static func reviewStatus(_ row: RawSpan) -> ReviewStatus {
        ReviewStatus(rawValue: flags(row) & Layout.reviewStatusMask) ?? .unreviewed
    }

    static func isOwned(_ row: RawSpan) -> Bool {
        flags(row) & Layout.ownedFlag != 0
    }

    static func year(_ row: RawSpan) -> Int? {
        let year = Int(row.loadLittleEndian(at: Layout.yearOffset, as: Int16.self))
        return year == Layout.noYear ? nil : year
    }

    static func dateFinished(_ row: RawSpan) -> Day? {
        guard flags(row) & Layout.finishedFlag != 0 else { return nil }
        return Day(daysSince1970: row.loadLittleEndian(at: texts(row).title - 4, as: Int32.self))
    }

    static func language(_ row: RawSpan) -> LanguageCode? {
        let offset = Layout.languageOffset
        return LanguageCode((row.byte(at: offset), row.byte(at: offset + 1), row.byte(at: offset + 2)))
    }

    static func title(_ row: RawSpan) -> String { string(row, texts(row).titleRange) }

    static func authors(_ row: RawSpan) -> String { string(row, texts(row).authorsRange) }

    /// The title as a list shows it.
    static func shownTitle(_ row: RawSpan, _ texts: RowTexts) -> String {
        string(row, texts.titleRange).cut(toByteCount: Layout.shownTitleByteCount)
    }

    /// The authors as a list shows them.
    static func shownAuthors(_ row: RawSpan, _ texts: RowTexts) -> String {
        string(row, texts.authorsRange).cut(toByteCount: Layout.shownAuthorsByteCount)
    }

    static func coverURL(_ row: RawSpan, _ texts: RowTexts) -> String? {
        TurnedURL.url(row, texts.coverRange)
    }

    /// Subtitle, original title and series, those that the work has.
    static func otherNames(_ row: RawSpan) -> String { string(row, texts(row).otherNamesRange) }

    private static func string(_ row: RawSpan, _ range: Range<Int>) -> String {
        row.string(at: range.lowerBound, count: range.count)
    }

    private static func flags(_ row: RawSpan) -> UInt8 {
        row.loadLittleEndian(at: Layout.flagsOffset, as: UInt8.self)
    }
}

extension String {
    /// The text, or as many whole characters of it as fit, with an ellipsis.
    @inline(__always)
    fileprivate func cut(toByteCount limit: Int) -> String { utf8.count > limit ? shortened(toByteCount: limit) : self }

    private func shortened(toByteCount limit: Int) -> String {
        let ellipsis = "…"
        var byteCount = ellipsis.utf8.count
        let kept = prefix { character in
            byteCount += character.utf8.count
            return byteCount <= limit
        }
        return kept + ellipsis
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }
}
