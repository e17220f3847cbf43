import BookDB

/// What to say where somebody has typed the beginning of an identifier.
enum IdentifierHint {
    private static let shownCount = 5

    /// `nil` for what begins none.
    static func failure(_ typed: String, in snapshot: Snapshot, of library: String, _ command: String)
        -> CommandFailure?
    {
        guard let found = try? snapshot.identifiers(beginningWith: typed, limit: shownCount), found.count > 0 else {
            return nil
        }
        let first = found.first.map { "\($0.kind) \($0.id)" }.joined(separator: ", ")
        if found.count == 1, let only = found.first.first {
            return .absent(
                "Nothing in \(library) is \(typed), and one identifier begins so: \(first).",
                next: "bookdb \(command) \(only.id)")
        }
        let rest = found.count > found.first.count ? ", …" : "."
        return .absent(
            "\(NumberText.count(found.count)) identifiers in \(library) begin with \(typed): \(first)\(rest)",
            next: "write all of one")
    }
}
