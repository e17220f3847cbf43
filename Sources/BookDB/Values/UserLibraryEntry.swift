/// What the reader did with a work. There is at most one entry for each work, so the work identifies it.
public struct UserLibraryEntry: Identifiable, Equatable, Sendable {
    public var work: BookDB.ID<Work>
    public var status: ReadingStatus
    public var rating: Rating?
    public var dateStarted: Day?
    public var dateFinished: Day?
    public var readCount: Int

    /// Stored apart from the record, as the review is, so that lists and look-ups do not carry it.
    public var notes: String?
    public var review: String?

    public var tags: [String]
    public var isOwned: Bool

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    public var id: BookDB.ID<Work> { work }

    public init(
        for work: BookDB.ID<Work>,
        status: ReadingStatus = .none,
        rating: Rating? = nil,
        dateStarted: Day? = nil,
        dateFinished: Day? = nil,
        readCount: Int = 0,
        notes: String? = nil,
        review: String? = nil,
        tags: [String] = [],
        isOwned: Bool = false
    ) {
        self.work = work
        self.status = status
        self.rating = rating
        self.dateStarted = dateStarted
        self.dateFinished = dateFinished
        self.readCount = readCount
        self.notes = notes
        self.review = review
        self.tags = tags
        self.isOwned = isOwned
    }
}
