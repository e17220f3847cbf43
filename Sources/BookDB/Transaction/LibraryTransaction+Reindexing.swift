import StorageEngine

extension LibraryTransaction {
    /// Makes the orders, rows and folded indexes anew from the records.
    ///
    /// Needed when the filing rules changed since they were made: an update looks for the old key of a work by today's
    /// rules and would not find it. O(n log n), in one commit.
    mutating func rebuildListings() throws(LibraryError) {
        try rebuild(DerivedTree.allCases.filter { LibraryTree.dependsOnFilingRules($0.number) })
    }

    /// Empties the trees without reading them, since their pages may be damaged, and makes them anew from the records.
    mutating func rebuild(_ derived: [DerivedTree]) throws(LibraryError) {
        try apply { (transaction) throws(LibraryError) in
            transaction.changes.isRelisted = true
            for tree in derived { try transaction.removeAll(in: tree.number) }
            if derived.contains(.appOrders) { try transaction.emptyOrders() }
            if derived.contains(.appIndexes) { transaction.indexedType = nil }
            var derivation = Derivation(derived, filing: transaction.filing)
            while let entries = try derivation.next(from: transaction.trees) {
                for entry in entries {
                    try transaction.put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
                }
            }
        }
    }
}
