import StorageEngine

/// What a list shows of a work: a pure function of the work, its authors and the reader's entry.
///
/// ```
///   0        1        2       3 4     5 6            7 8              9
/// ┌────────┬────────┬───────┬───────┬──────────────┬────────────────┬───────┬─────────┬───────────┐
/// │ status │ rating │ flags │ year  │ title length │ authors length │ title │ authors │ cover URL │
/// └────────┴────────┴───────┴───────┴──────────────┴────────────────┴───────┴─────────┴───────────┘
/// flags: bits 0-1 review status, bit 2 owned
/// ```
///
/// Integers are little-endian and texts UTF-8; a year of -32768 is none and a rating of 0 is none. The head has a fixed
/// width, so any field is read in place without decoding the others. Texts are cut to keep a row beside its key in a
/// page: a list shows one line, and the record has the whole.
struct WorkListRow: Equatable, Sendable {
    let status: ReadingStatus
    let rating: Rating?
    let reviewStatus: ReviewStatus
    let isOwned: Bool
    let year: Int?
    let title: String
    let authors: String
    let coverURL: String?

    /// - Parameter authors: those of the work, in its order.
    static func make(work: Work, authors: [Author], entry: UserLibraryEntry?) -> WorkListRow {
        WorkListRow(
            status: entry?.status ?? .none,
            rating: entry?.rating,
            reviewStatus: work.reviewStatus,
            isOwned: entry?.isOwned ?? false,
            year: work.firstPublicationYear.map { min(max($0, Layout.firstYear), Layout.lastYear) },
            title: work.title.cut(toByteCount: Layout.maximumTitleByteCount),
            authors: authors.map(\.name).joined(separator: ", ").cut(toByteCount: Layout.maximumAuthorsByteCount),
            coverURL: work.coverURL.flatMap { url in
                // Half a URL leads nowhere.
                (1...Layout.maximumCoverByteCount).contains(url.utf8.count) ? url : nil
            })
    }

    var facets: FacetSet { WorkFacet.set(status: status, review: reviewStatus, isOwned: isOwned) }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            Layout.headByteCount + title.utf8.count + authors.utf8.count + (coverURL?.utf8.count ?? 0))
        bytes.append(status.rawValue)
        bytes.append(rating?.quarterStars ?? 0)
        bytes.append(reviewStatus.rawValue | (isOwned ? Layout.ownedFlag : 0))
        bytes.append(littleEndian: UInt16(bitPattern: Int16(year ?? Layout.noYear)))
        bytes.append(littleEndian: UInt16(title.utf8.count))
        bytes.append(littleEndian: UInt16(authors.utf8.count))
        bytes.append(contentsOf: title.utf8)
        bytes.append(contentsOf: authors.utf8)
        if let coverURL { bytes.append(contentsOf: coverURL.utf8) }
        return bytes
    }

    enum Layout {
        static let statusOffset = 0
        static let ratingOffset = 1
        static let flagsOffset = 2
        static let yearOffset = 3
        static let titleLengthOffset = 5
        static let authorsLengthOffset = 7
        static let headByteCount = 9

        static let reviewStatusMask: UInt8 = 0b011
        static let ownedFlag: UInt8 = 0b100

        static let noYear = Int(Int16.min)
        static let firstYear = Int(Int16.min) + 1
        static let lastYear = Int(Int16.max)

        static let maximumTitleByteCount = 400
        static let maximumAuthorsByteCount = 200
        static let maximumCoverByteCount = 400
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
            && Layout.headByteCount + titleByteCount(row) + authorsByteCount(row) <= row.byteCount
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

    static func title(_ row: RawSpan) -> String {
        row.string(at: Layout.headByteCount, count: titleByteCount(row))
    }

    static func authors(_ row: RawSpan) -> String {
        row.string(at: Layout.headByteCount + titleByteCount(row), count: authorsByteCount(row))
    }

    static func coverURL(_ row: RawSpan) -> String? {
        let start = Layout.headByteCount + titleByteCount(row) + authorsByteCount(row)
        return start == row.byteCount ? nil : row.string(at: start, count: row.byteCount - start)
    }

    private static func flags(_ row: RawSpan) -> UInt8 {
        row.loadLittleEndian(at: Layout.flagsOffset, as: UInt8.self)
    }

    private static func titleByteCount(_ row: RawSpan) -> Int {
        Int(row.loadLittleEndian(at: Layout.titleLengthOffset, as: UInt16.self))
    }

    private static func authorsByteCount(_ row: RawSpan) -> Int {
        Int(row.loadLittleEndian(at: Layout.authorsLengthOffset, as: UInt16.self))
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
