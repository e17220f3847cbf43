/// What a list shows of a work, copied out of the library: it keeps no snapshot alive, and reading a field costs nothing.
///
/// A `WorkListItem` reads a field when it is asked for one; where every field of a page is wanted anyway, fifty summaries are
/// half the work of fifty items, and `WorkItems.rows` with the fields you show is less still. Texts are cut as in `WorkListItem`.
public struct WorkSummary: Identifiable, Hashable, Sendable {
    public let id: BookDB.ID<Work>
    public let title: String
    public let authors: String
    public let coverURL: String?
    public let year: Int?
    public let language: LanguageCode?
    public let dateFinished: Day?
    public let status: ReadingStatus
    public let rating: Rating?
    public let reviewStatus: ReviewStatus
    public let isOwned: Bool

    fileprivate init(_ row: borrowing WorkRow) {
        id = row.id
        title = row.title
        authors = row.authors
        coverURL = row.coverURL
        year = row.year
        language = row.language
        dateFinished = row.dateFinished
        status = row.status
        rating = row.rating
        reviewStatus = row.reviewStatus
        isOwned = row.isOwned
    }
}

extension WorkItems {
    /// Some rows by position with all their fields; less than `limit` at the end of the list. O(log n + limit).
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    public func summaries(offset: Int, limit: Int) throws(LibraryError) -> [WorkSummary] {
        try rows(offset: offset, limit: limit) { WorkSummary($0) }
    }
}
