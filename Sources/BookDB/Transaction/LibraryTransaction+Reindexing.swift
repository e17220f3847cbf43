import StorageEngine

extension LibraryTransaction {
    /// Makes the orders, rows and folded indexes anew from the records.
    ///
    /// Needed when the filing rules changed since they were made: an update looks for the old key of a work by today's
    /// rules and would not find it. O(n log n), in one commit.
    mutating func rebuildListings() throws(BookError) {
        try apply { (transaction) throws(BookError) in
            for tree in [
                LibraryTree.title, LibraryTree.authorOrder, LibraryTree.addedOrder, LibraryTree.matchKeys,
                LibraryTree.authorNames,
            ] {
                for key in try transaction.keys(of: tree) { try transaction.remove(key, in: tree) }
            }
            for id in try transaction.identifiers(of: LibraryTree.authors) as [ID<Author>] {
                guard let author = try transaction.known(id) else { continue }
                try transaction.put([], forKey: LibraryKey.authorName(author.name, id), in: LibraryTree.authorNames)
            }
            for id in try transaction.identifiers(of: LibraryTree.works) as [ID<Work>] {
                guard let work = try transaction.trees.workRecord(id)?.work else { continue }
                let authors = try transaction.authors(of: work)
                let entry = try transaction.trees.entryRecord(of: id)?.entry
                try transaction.replaceListing(
                    nil,
                    with: ListedWork(
                        place: WorkPlace(work, authors: authors),
                        row: .make(work: work, authors: authors, entry: entry)))
                let matchKeys = work.matchKeys(authors: authors).map { LibraryKey.match($0, id) }
                try transaction.replaceKeys([], with: matchKeys, in: LibraryTree.matchKeys)
            }
            transaction.noteFilingRulesAreCurrent()
        }
    }

    private func keys(of tree: TreeNumber) throws(BookError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        do {
            try trees.scan(tree) { key, _ in
                keys.append(key.copyBytes(0..<key.byteCount))
                return true
            }
        } catch {
            throw BookError(error)
        }
        return keys
    }

    private func identifiers<Record>(of tree: TreeNumber) throws(BookError) -> [ID<Record>] {
        var identifiers: [ID<Record>] = []
        try trees.scanKeys(tree, prefix: [], byteCount: 8) { key, _ in
            identifiers.append(ID(rawValue: key.loadBigEndian(at: 0)))
            return true
        }
        return identifiers
    }
}
