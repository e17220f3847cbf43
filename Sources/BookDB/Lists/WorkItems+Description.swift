import RecordStore

extension WorkItems: CustomDebugStringConvertible {
    /// How many works there are, and the first titles.
    public var debugDescription: String {
        let titles = prefix(3).map { "“\($0.title)”" } + (count > 3 ? ["…"] : [])
        return "\(count) works by \(order)" + (isEmpty ? "" : ": " + titles.joined(separator: ", "))
    }
}
