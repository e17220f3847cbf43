import BookDB

/// What putting one imported book into a library did.
struct BookPlacement: Sendable {
    /// By what the book was recognised.
    enum Evidence: Sendable {
        case sourceIdentifier
        case isbn
        case titleAndAuthor
        /// A work without an author that has all the row says.
        case sameInEverything
    }

    var work: ID<Work>
    var action: ImportBatch.Row.Action
    var evidence: Evidence?
    var editionsAdded = 0
    var authorsAdded = 0
    /// What the row shares with another book.
    var conflicts: [String] = []
    /// What the row says otherwise than the library.
    var differences: [BookDifference] = []
}
