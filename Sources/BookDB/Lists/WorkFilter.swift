/// Which works a list shows. Every case is counted in the trees, so a filtered list has the same costs as the whole.
public enum WorkFilter: Hashable, Sendable {
    case all

    /// A work without an entry has the status `.none`.
    case status(ReadingStatus)

    case review(ReviewStatus)
    case owned
}
