import StorageEngine

/// From what is derived back to the records: all that is expected was found, so what a tree holds beyond that is stray.
extension LibraryVerifier {
    mutating func verifyCounts() {
        do {
            let works = try version.count(of: LibraryTree.works)
            let editions = try version.count(of: LibraryTree.editions)
            let authors = try version.count(of: LibraryTree.authors)
            let entries = try version.count(of: LibraryTree.entries)
            records.detail = "\(works) works, \(editions) editions, \(authors) authors, \(entries) entries"
            references.detail = "every edition and entry has its work, every work its authors"
            identifiers.detail = "none was given out twice"
            for order in WorkOrder.allCases { try verifyStrays(in: order.tree, expected: works, &orders) }
            orders.detail = "\(works) works in \(WorkOrder.allCases.count) orders"
            rows.detail = "\(try version.count(of: LibraryTree.title)) rows for \(works) works"
            try verifyFacets()
            var keyCount = 0
            for tree in [
                LibraryTree.isbns, LibraryTree.authorWorks, LibraryTree.sources, LibraryTree.matchKeys,
                LibraryTree.authorNames,
            ] {
                try verifyStrays(in: tree, expected: expectedCounts[tree] ?? 0, &indexes)
                keyCount += try version.count(of: tree)
            }
            try verifyStrays(in: LibraryTree.editionHomes, expected: editions, &indexes)
            indexes.detail = "\(keyCount + editions) keys in 6 indexes"
            let textCount = expectedCounts[LibraryTree.texts] ?? 0
            try verifyStrays(in: LibraryTree.texts, expected: textCount, &texts)
            texts.detail = "\(textCount) descriptions, notes and reviews"
        } catch {
            records.report(error.sentence)
        }
    }

    private func verifyStrays(
        in tree: TreeNumber, expected: Int, _ check: inout CheckBuilder
    ) throws(BookError) {
        let found = try version.count(of: tree)
        guard found != expected else { return }
        check.report("\(Self.name(of: tree)) holds \(found) entries where the records make \(expected).")
        for stray in try strays(in: tree, limit: CheckBuilder.keptItems) {
            check.report("\(Self.name(of: tree)) holds a stray entry: \(stray).")
        }
    }

    private mutating func verifyFacets() throws(BookError) {
        var names: [(facet: Facet, name: String)] = []
        for status in ReadingStatus.allCases { names.append((WorkFacet.status(status), "status \(status.name)")) }
        for status in ReviewStatus.allCases { names.append((WorkFacet.review(status), status.name)) }
        names.append((WorkFacet.owned, "owned"))
        for (facet, name) in names {
            let expected = expectedFacets[facet] ?? 0
            for order in WorkOrder.allCases {
                let found = try version.count(of: order.tree, facet: facet)
                if found != expected {
                    facets.report("The order by \(order.rawValue) counts \(found) works as \(name); \(expected) are.")
                }
            }
        }
        facets.detail = "\(names.count) counts in \(WorkOrder.allCases.count) orders"
    }

    mutating func verifyIdentifiers() {
        do {
            guard let meta = try LibraryMeta(version) else { return }
            for tree in [LibraryTree.works, LibraryTree.authors, LibraryTree.editionHomes] {
                let lastKey = try lastKey(of: tree)
                let last = ID<Work>(rawValue: lastKey?.number(at: 0) ?? 0)
                if UInt64(last.device) == meta.device, last.counter >= meta.nextCounter {
                    identifiers.report("\(last) is in use, and the next to be given out is \(meta.nextCounter).")
                }
            }
        } catch {
            identifiers.report(error.sentence)
        }
    }

    private func lastKey(of tree: TreeNumber) throws(BookError) -> [UInt8]? {
        var last: [UInt8]?
        do {
            try version.scan(tree, descending: true) { key, _ in
                last = key.copyBytes(0..<key.byteCount)
                return false
            }
        } catch {
            throw BookError(error)
        }
        return last
    }
}

extension LibraryVerifier {
    /// As in "… is missing in the index of ISBNs".
    static func name(of tree: TreeNumber) -> String {
        switch tree {
        case LibraryTree.title: "the list by title"
        case LibraryTree.authorOrder: "the order by author"
        case LibraryTree.addedOrder: "the order by date"
        case LibraryTree.editionHomes: "the index of editions"
        case LibraryTree.isbns: "the index of ISBNs"
        case LibraryTree.authorWorks: "the index of works by author"
        case LibraryTree.texts: "the tree of texts"
        case LibraryTree.sources: "the index of source identifiers"
        case LibraryTree.matchKeys: "the index of match keys"
        case LibraryTree.authorNames: "the index of author names"
        default: "tree \(tree.rawValue)"
        }
    }
}

extension [UInt8] {
    /// Eight bytes of a key as a number; zero when there are not as many.
    func number(at offset: Int) -> UInt64 {
        guard offset >= 0, offset + 8 <= count else { return 0 }
        return self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
