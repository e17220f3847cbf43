import StorageEngine

/// Which works a list shows. Every case is counted in the trees, so a filtered list has the same costs as the whole.
public enum WorkFilter: Hashable, Sendable {
    case all

    /// A work without an entry has the status `.none`.
    case status(ReadingStatus)

    case review(ReviewStatus)
    case owned
}

extension WorkFilter {
    /// `nil` for all works.
    var facet: Facet? {
        switch self {
        case .all: nil
        case .status(let status): WorkFacet.status(status)
        case .review(let status): WorkFacet.review(status)
        case .owned: WorkFacet.owned
        }
    }
}
