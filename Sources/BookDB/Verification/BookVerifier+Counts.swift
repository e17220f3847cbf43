import RecordStore
import StorageEngine

/// From what is derived back to the records: all that is expected was found, so what a tree holds beyond that is stray.
extension BookVerifier {
    mutating func verifyCounts() {
        references.detail = "every edition and entry has its work, every work its authors"
        attempt(\.records) { (verifier) throws(LibraryError) in try verifier.compareCounts() }
    }

    private mutating func compareCounts() throws(LibraryError) {
        let works = try version.count(of: LibraryTree.books, facet: BookKey.Kind.workFacet)
        let editions = try version.count(of: LibraryTree.books, facet: BookKey.Kind.editionFacet)
        let authors = try version.count(of: LibraryTree.authors)
        let entries = try version.count(of: LibraryTree.books, facet: BookKey.Kind.entryFacet)
        records.detail = "\(works) works, \(editions) editions, \(authors) authors, \(entries) entries"
        for order in WorkOrder.allCases { compare(order.tree, expected: works, \.orders) }
        let lists = WorkIndex.all.filter { !$0.isOrder }.map(\.tree)
        for tree in lists {
            compare(tree, expected: expectedCounts[tree] ?? 0, \.orders)
        }
        orders.detail = "\(works) works in \(WorkOrder.allCases.count) orders and \(lists.count) kinds of lists"
        if !isFiledAsNow, works > 0 { orders.detail += ", filed by other rules until the next write" }
        rows.detail = "\((try? version.count(of: LibraryTree.title)) ?? 0) rows for \(works) works"
        compareFacets()
        var keyCount = 0
        for tree in [
            LibraryTree.isbns, LibraryTree.sources, LibraryTree.matchKeys, LibraryTree.authorNames,
        ] {
            compare(tree, expected: expectedCounts[tree] ?? 0, \.indexes)
            keyCount += (try? version.count(of: tree)) ?? 0
        }
        compare(LibraryTree.editionHomes, expected: editions, \.indexes)
        indexes.detail = "\(keyCount + editions) keys in 5 indexes"
        let textCount = expectedCounts[LibraryTree.texts] ?? 0
        compare(LibraryTree.texts, expected: textCount, \.texts)
        texts.detail = "\(textCount) descriptions, notes and reviews"
    }

    /// Compares how many entries a tree has with how many the records make, and names those that are too many.
    private mutating func compare(
        _ tree: TreeNumber, expected: Int, _ check: WritableKeyPath<BookVerifier, CheckBuilder>
    ) {
        attempt(check) { (verifier) throws(LibraryError) in
            let found = try verifier.version.count(of: tree)
            guard found != expected else { return }
            // Of records that cannot be read nobody knows what they make.
            guard !verifier.known.hitsRecords else { return verifier[keyPath: check].skip() }
            verifier[keyPath: check].report(
                "\(BookWords.words(of: tree)) holds \(found) entries where the records make \(expected).")
            guard verifier.isFiledAsNow || !LibraryTree.dependsOnFilingRules(tree) else { return }
            for stray in try verifier.strays(in: tree, limit: CheckBuilder.keptItems) {
                verifier[keyPath: check].report("\(BookWords.words(of: tree)) holds a stray entry: \(stray).")
            }
        }
    }

    private mutating func compareFacets() {
        var names: [(facet: Facet, name: String)] = []
        for status in ReadingStatus.allCases { names.append((WorkFacet.status(status), "status \(status.name)")) }
        for status in ReviewStatus.allCases { names.append((WorkFacet.review(status), status.name)) }
        names.append((WorkFacet.owned, "owned"))
        facets.detail = "\(names.count) counts in \(WorkOrder.allCases.count) orders"
        guard !known.hitsRecords else { return facets.skip() }
        for (facet, name) in names {
            let expected = expectedFacets[facet] ?? 0
            for order in WorkOrder.allCases {
                attempt(\.facets) { (verifier) throws(LibraryError) in
                    let found = try verifier.version.count(of: order.tree, facet: facet)
                    guard found != expected else { return }
                    verifier.facets.report(
                        "The order by \(order.rawValue) counts \(found) works as \(name); \(expected) are.")
                }
            }
        }
    }
}
