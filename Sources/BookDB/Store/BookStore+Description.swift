extension BookStore: CustomDebugStringConvertible {
    public var debugDescription: String { "BookStore(\(database.path), commit \(snapshot.commitNumber))" }
}

extension Snapshot: CustomDebugStringConvertible {
    public var debugDescription: String { "Snapshot(commit \(commitNumber))" }
}

extension WorkItems: CustomDebugStringConvertible {
    /// How many works there are, and the first titles.
    public var debugDescription: String {
        let titles = prefix(3).map { "“\($0.title)”" } + (count > 3 ? ["…"] : [])
        return "\(count) works by \(order)" + (isEmpty ? "" : ": " + titles.joined(separator: ", "))
    }
}

extension SearchMatch: CustomDebugStringConvertible {
    public var debugDescription: String { "“\(item.title)” (\(band))" }
}
