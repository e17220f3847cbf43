/// The orders a list of works comes in. Each has a tree of its own, so no order is ever sorted on demand.
public enum WorkOrder: String, CaseIterable, Hashable, Sendable, Codable {
    /// As a librarian files titles: case, accents and leading articles do not count, numbers go by value.
    case title

    /// By the sort name of the first author, then by title. Works without an author come last.
    case author

    /// Newest first; works added in the same millisecond by title.
    case added
}
