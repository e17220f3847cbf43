import RecordStore

/// How many books a library has.
public struct BookCounts: Sendable {
    public let works: Int
    public let editions: Int
    public let authors: Int
    public let entries: Int
    public let statuses: StatusCounts
}

extension LibraryInspection {
    /// How many books the library has, as of its newest commit.
    ///
    /// - Throws: `LibraryError.damaged` when that cannot be read.
    public var books: BookCounts {
        get throws(LibraryError) {
            BookCounts(
                works: try snapshot.works.count, editions: try snapshot.editions.count,
                authors: try snapshot.authors.count, entries: try snapshot.entries.count,
                statuses: try snapshot.works.statusCounts)
        }
    }
}
