import StorageEngine

extension LibraryTransaction {
    /// Makes anew what today's rules make otherwise.
    ///
    /// Needed when the rules changed since it was made: an update looks for the old key of a record by today's
    /// rules and would not find it. O(n log n), in one commit.
    ///
    /// - Parameter mayWait: whether to leave it to a load where there is much of it.
    /// - Throws: `DerivedAnewNeeded` for that.
    mutating func bringUpToDate(_ contents: LibraryContents, mayWait: Bool) throws {
        guard let rules = contents.rules, !isDerived(by: rules) else { return }
        if mayWait, contents.deriveByLoad != nil,
            try contents.recordTrees.contains(where: { try trees.count(of: $0) > Self.mostDerivedAtOnce })
        {
            throw DerivedAnewNeeded()
        }
        try rebuild(contents.derived.filter(contents.followsRules), of: contents)
        noteDerived(by: rules)
    }

    /// A commit holds what some hundred thousand works have, and is kept in memory.
    private static var mostDerivedAtOnce: Int { 5_000 }

    /// Empties the trees without reading them, since their pages may be damaged, and makes them anew from the records.
    mutating func rebuild(_ derived: [DerivedTree], of contents: LibraryContents) throws(LibraryError) {
        try apply { (transaction) throws(LibraryError) in
            transaction.changes.isRelisted = true
            for tree in derived where tree != .appOrders { try transaction.removeAll(in: tree.number) }
            if derived.contains(.appOrders) { try transaction.beginOrdersAgain() }
            try contents.derive(&transaction, derived)
        }
    }
}
