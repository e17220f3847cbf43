import StorageEngine

/// What the trees of the list count besides all works: each reading status, each review status, and owned.
///
/// The numbers are part of the format.
enum WorkFacet {
    static let count = 10

    /// The first ones are those of statuses.
    static let statusCount = 6
    private static let firstReviewStatus = statusCount
    static let owned = Facet(9)

    static func status(_ status: ReadingStatus) -> Facet { Facet(Int(status.rawValue)) }

    static func review(_ status: ReviewStatus) -> Facet { Facet(firstReviewStatus + Int(status.rawValue)) }

    /// Every work is in one status and one review status.
    static func set(status: ReadingStatus, review: ReviewStatus, isOwned: Bool) -> FacetSet {
        let facets = FacetSet(self.status(status)).rawValue | FacetSet(self.review(review)).rawValue
        return FacetSet(rawValue: isOwned ? facets | FacetSet(owned).rawValue : facets)
    }
}
