import StorageEngine

/// What a list shows of a work: a pure function of the work, its authors and the reader's entry.
///
/// ```
///   0        1        2       3 4     5-8        9-11       12 13         14 15           16 17
/// ┌────────┬────────┬───────┬───────┬──────────┬──────────┬─────────────┬───────────────┬─────────────┬┄┄
/// │ status │ rating │ flags │ year  │ finished │ language │ title count │ authors count │ cover count │
/// └────────┴────────┴───────┴───────┴──────────┴──────────┴─────────────┴───────────────┴─────────────┴┄┄
/// ┄┬───────┬─────────┬───────────┬─────────────┐
///  │ title │ authors │ cover URL │ other names │
/// ┄┴───────┴─────────┴───────────┴─────────────┘
/// flags: bits 0-1 review status, bit 2 owned
/// ```
///
/// Integers are little-endian and texts UTF-8; a year of -32768, a day of -2^31, a rating of 0 and a language of zeros are
/// none. The head has a fixed width, so any field is read in place without decoding the others. A row holds what a search
/// finds the work by, the other names too: subtitle, original title and series, a line feed apart. Nearly all rows lie beside
/// their key in a page. A list shows a line of title and authors, cut as they are read.
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
        let names = authors.map(\.name).joined(separator: ", ").cut(toByteCount: Layout.maximumAuthorsByteCount)
        // Half a URL leads nowhere.
        let coverURL = work.coverURL.flatMap { (1...Layout.maximumCoverByteCount).contains($0.utf8.count) ? $0 : nil }
        return WorkListRow(
            status: entry?.status ?? .none,
            rating: entry?.rating,
            reviewStatus: work.reviewStatus,
            isOwned: entry?.isOwned ?? false,
            // A record of an earlier version may hold any.
            year: work.firstPublicationYear.map { min(max($0, Work.years.lowerBound), Work.years.upperBound) },
            dateFinished: entry?.dateFinished.flatMap { $0 == Layout.noDay ? nil : $0 },
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            Layout.headByteCount + title.utf8.count + authors.utf8.count + (coverURL?.utf8.count ?? 0)
                + otherNames.utf8.count)
        bytes.append(status.rawValue)
        bytes.append(rating?.quarterStars ?? 0)
        bytes.append(reviewStatus.rawValue | (isOwned ? Layout.ownedFlag : 0))
        bytes.append(littleEndian: UInt16(bitPattern: Int16(year ?? Layout.noYear)))
        let day = UInt32(bitPattern: (dateFinished ?? Layout.noDay).daysSince1970)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: day))
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: day >> 16))
        bytes.append(contentsOf: language?.bytes ?? [0, 0, 0])
        bytes.append(littleEndian: UInt16(title.utf8.count))
        bytes.append(littleEndian: UInt16(authors.utf8.count))
        bytes.append(littleEndian: UInt16(coverURL?.utf8.count ?? 0))
        bytes.append(contentsOf: title.utf8)
        bytes.append(contentsOf: authors.utf8)
        if let coverURL { bytes.append(contentsOf: coverURL.utf8) }
        bytes.append(contentsOf: otherNames.utf8)
        return bytes
    }

    enum Layout {
        static let statusOffset = 0
        static let ratingOffset = 1
        static let flagsOffset = 2
        static let yearOffset = 3
        static let finishedOffset = 5
        static let languageOffset = 9
        static let titleCountOffset = 12
        static let authorsCountOffset = 14
        static let coverCountOffset = 16
        static let headByteCount = 18

        static let reviewStatusMask: UInt8 = 0b011
        static let ownedFlag: UInt8 = 0b100

        static let noYear = Int(Int16.min)
        static let noDay = Day(daysSince1970: .min)

        static let maximumTitleByteCount = 16 << 10
        static let maximumAuthorsByteCount = 16 << 10
        static let maximumCoverByteCount = 400
        static let maximumOtherNamesByteCount = 16 << 10

        /// What a list shows.
        static let shownTitleByteCount = 400
        static let shownAuthorsByteCount = 200

        /// A change of the layout, or of which lists there are, is a new number, and the lists are made anew.
        static let version: UInt64 = 5
    }
}

/// A row as stored, read in place one field at a time.
///
/// Every field answers for any bytes: what cannot be meant reads as none, and `isReadable` tells.
enum StoredRow {
    typealias Layout = WorkListRow.Layout

    /// Whether the lengths in the head fit the bytes. The other functions may be called only then.
    static func isReadable(_ row: RawSpan) -> Bool {
        row.byteCount >= Layout.headByteCount
            && otherNamesOffset(row) <= row.byteCount
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
        let day = Day(daysSince1970: row.loadLittleEndian(at: Layout.finishedOffset, as: Int32.self))
        return day == Layout.noDay ? nil : day
    }

    static func language(_ row: RawSpan) -> LanguageCode? {
        let offset = Layout.languageOffset
        return LanguageCode((row.byte(at: offset), row.byte(at: offset + 1), row.byte(at: offset + 2)))
    }

    static func title(_ row: RawSpan) -> String {
        row.string(at: Layout.headByteCount, count: count(row, Layout.titleCountOffset))
    }

    static func authors(_ row: RawSpan) -> String {
        row.string(
            at: Layout.headByteCount + count(row, Layout.titleCountOffset), count: count(row, Layout.authorsCountOffset)
        )
    }

    /// The title as a list shows it.
    static func shownTitle(_ row: RawSpan) -> String { title(row).cut(toByteCount: Layout.shownTitleByteCount) }

    /// The authors as a list shows them.
    static func shownAuthors(_ row: RawSpan) -> String { authors(row).cut(toByteCount: Layout.shownAuthorsByteCount) }

    static func coverURL(_ row: RawSpan) -> String? {
        let count = count(row, Layout.coverCountOffset)
        return count == 0 ? nil : row.string(at: otherNamesOffset(row) - count, count: count)
    }

    /// Subtitle, original title and series, those that the work has.
    static func otherNames(_ row: RawSpan) -> String {
        let start = otherNamesOffset(row)
        return row.string(at: start, count: row.byteCount - start)
    }

    // MARK: Where the texts lie

    static func titleRange(_ row: RawSpan) -> Range<Int> {
        Layout.headByteCount..<Layout.headByteCount + count(row, Layout.titleCountOffset)
    }

    static func authorsRange(_ row: RawSpan) -> Range<Int> {
        let start = titleRange(row).upperBound
        return start..<start + count(row, Layout.authorsCountOffset)
    }

    static func otherNamesRange(_ row: RawSpan) -> Range<Int> { otherNamesOffset(row)..<row.byteCount }

    private static func otherNamesOffset(_ row: RawSpan) -> Int {
        Layout.headByteCount + count(row, Layout.titleCountOffset) + count(row, Layout.authorsCountOffset)
            + count(row, Layout.coverCountOffset)
    }

    private static func flags(_ row: RawSpan) -> UInt8 {
        row.loadLittleEndian(at: Layout.flagsOffset, as: UInt8.self)
    }

    private static func count(_ row: RawSpan, _ offset: Int) -> Int {
        Int(row.loadLittleEndian(at: offset, as: UInt16.self))
    }
}

extension String {
    /// The text, or as many whole characters of it as fit, with an ellipsis.
    fileprivate func cut(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
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
