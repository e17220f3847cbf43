extension Version {
    /// Visits the entries that this version and another, maybe of another store, do not have alike in a tree: in key order, each from the
    /// version that has the key or from both, until `body` returns false.
    ///
    /// Where both trees have the column `hashSum`, what is equal is passed over: equal trees cost a node each, and k differences some k
    /// paths from the roots. Otherwise every entry is read. A tree that one version has not is one without entries.
    ///
    /// - Throws: `.damaged` when a page on the way, of either, is not what was written.
    package func forEachDifference(
        from other: Version, in tree: TreeNumber, _ body: (_ own: Entry?, _ other: Entry?) -> Bool
    ) throws(StorageError) {
        let comparison = TreeComparison(source(of: tree).reader, other.source(of: tree).reader)
        defer { withExtendedLifetime((self, other)) {} }
        try comparison.forEachDifference { own, its in
            body(own.map { Entry(version: self, $0) }, its.map { Entry(version: other, $0) })
        }
    }

    /// Whether the hash sums of both say that a tree holds the same entries. Reads a node of each.
    package func hasSameSums(as other: Version, in tree: TreeNumber) throws(StorageError) -> Bool {
        defer { withExtendedLifetime((self, other)) {} }
        return try TreeComparison(source(of: tree).reader, other.source(of: tree).reader).isSame()
    }

    /// Whether a comparison of a tree goes by hash sums, and not entry by entry.
    package func hasSums(toCompareWith other: Version, in tree: TreeNumber) -> Bool {
        TreeComparison.hasSums(source(of: tree).reader, other.source(of: tree).reader)
    }
}
