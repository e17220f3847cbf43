import StorageEngine

extension LibraryTransaction {
    /// Makes anew what today's rules make otherwise.
    ///
    /// Needed when the rules changed since it was made: an update looks for the old key of a record by today's
    /// rules and would not find it. O(n log n), in one commit.
    mutating func bringUpToDate(_ contents: LibraryContents) throws(LibraryError) {
        guard let rules = contents.rules, !isDerived(by: rules) else { return }
        try rebuild(contents.derived.filter(contents.followsRules), of: contents)
        noteDerived(by: rules)
    }

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
