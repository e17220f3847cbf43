import BookDB

/// Finds a kind of an app's own records by its name, and says what there is where it cannot.
enum KindLookup {
    /// - Parameter others: what may be named besides.
    static func kind(
        _ name: String, in snapshot: Snapshot, of library: String, beside others: [String] = []
    ) throws -> StoredKind {
        if let kind = try snapshot.kind(named: name) { return kind }
        throw missing("\(library) has no kind \(name)", name, among: others + (try snapshot.kinds.map(\.name)))
    }

    static func missing(
        _ sentence: String, _ name: String, among names: [String], isWrongUsage: Bool = false
    ) -> CommandFailure {
        let hint = NearMiss.closest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        let others = names.isEmpty ? none : "use one of \(names.joined(separator: ", "))"
        return isWrongUsage
            ? .wrongUsage(sentence + "." + hint, next: others) : .absent(sentence + "." + hint, next: others)
    }

    private static var none: String {
        let known = LibraryAccess.hasMetDamage ? "as far as the log can be read" : "so far"
        return "an app declares them, and none has \(known)"
    }
}
