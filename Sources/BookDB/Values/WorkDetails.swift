/// A work with everything a detail view shows, read from one snapshot.
public struct WorkDetails: Identifiable, Equatable, Sendable {
    public let work: Work

    /// In the order of `work.authors`.
    public let authors: [Author]

    /// In the order they were added.
    public let editions: [Edition]

    public let entry: UserLibraryEntry?

    public var id: BookDB.ID<Work> { work.id }

    public init(work: Work, authors: [Author], editions: [Edition], entry: UserLibraryEntry?) {
        self.work = work
        self.authors = authors
        self.editions = editions
        self.entry = entry
    }
}
