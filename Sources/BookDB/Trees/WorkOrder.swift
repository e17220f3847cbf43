/// The orders a list of works comes in. Each has a tree of its own, so no order is ever sorted on demand.
///
/// Works that are alike in the first respect stand in title order. Works without the value (a rating, a series …) come last,
/// forwards and backwards.
public enum WorkOrder: String, CaseIterable, Hashable, Sendable, Codable {
    /// As a librarian files titles: case, accents and leading articles do not count, numbers go by value.
    case title

    /// By the sort name of the first author.
    case author

    /// Newest first.
    case added

    /// By the day the reader finished the work, latest first.
    case finished

    /// By the year of first publication, earliest first.
    case year

    /// Best first.
    case rating

    /// By the name of the first series, then by the number in it.
    case series
}

/// Which way a list runs through its order.
public enum WorkDirection: String, CaseIterable, Hashable, Sendable, Codable {
    /// As `WorkOrder` says.
    case forward

    /// The other way round; works without the value still come last.
    case reverse
}
