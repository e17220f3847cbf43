extension Array {
    /// The stores of a run in the order of one of its rounds: each round begins with another.
    func turned(_ round: Int) -> [Element] {
        guard !isEmpty else { return [] }
        let first = round % count
        return Array(self[first...] + self[..<first])
    }
}
