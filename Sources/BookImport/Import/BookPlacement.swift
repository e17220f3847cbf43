import BookDB

/// What putting one imported book into a library did.
struct BookPlacement: Sendable {
    /// By what the book was recognised.
    enum Evidence: Sendable {
        case sourceIdentifier
        case isbn
        case titleAndAuthor
    }

    var work: ID<Work>
    var action: ImportBatch.Row.Action
    var evidence: Evidence?
    var editionsAdded = 0
    var authorsAdded = 0
    var warnings: [String] = []
}
