/// How many works are in each reading status: `counts[.read]`.
public struct StatusCounts: Hashable, Sendable {
    /// By the raw value of the status.
    private let counts: [Int]

    /// - Parameter facetCounts: those of a list, by facet.
    init(_ facetCounts: [Int]) { counts = facetCounts }

    public subscript(status: ReadingStatus) -> Int {
        let facet = WorkFacet.status(status).index
        return facet < counts.count ? counts[facet] : 0
    }
}
