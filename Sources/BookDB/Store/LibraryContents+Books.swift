import RecordStore
import StorageEngine

extension LibraryContents {
    /// Works, editions, authors, entries, and the lists and indexes that are derived from them.
    public static let books: LibraryContents = {
        var books = LibraryContents()
        books.trees = LibraryTree.ofBooks
        books.kinds = [.works, .editions, .authors]
        books.companion = { SearchFileWriter.companion(of: .works, leastRowCount: $0) }
        books.rules = LibraryMeta.filingRulesOfBooks
        books.isReadable = { (version, meta) throws(LibraryError) in
            if meta.rowLayout == WorkListRow.Layout.version { return true }
            return try version.count(of: LibraryTree.title) == 0
        }
        books.derived = DerivedTree.ofBooks
        books.followsRules = { LibraryTree.dependsOnFilingRules($0.number) }
        books.derive = { (library, trees) throws(LibraryError) in
            var derivation = Derivation(trees, filing: library.filing)
            while let entries = try derivation.next(from: library.trees) {
                for entry in entries {
                    try library.put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
                }
            }
        }
        books.checkSources = { (version, trees) throws(LibraryError) in
            var derivation = Derivation(trees, filing: try LibraryMeta.filing(version))
            while try derivation.next(from: version) != nil {}
        }
        books.texts = LibraryTree.texts
        books.words = BookWords()
        books.export = { snapshot, emit in try snapshot.exportBooks(to: emit) }
        books.compared = ComparedKind.ofBooks
        books.take = { (library, line) throws(LibraryError) in try library.takeBook(line) }
        books.dump = { (id, finder) throws(StorageError) in try finder.showBooks(id) }
        books.changedRecord = LibraryTree.changedBook
        books.settleChanges = { $0.settleBooks() }
        books.logged = LoggedKind.ofBooks
        books.revert = { (library, entries, stage, conflicts) throws(LibraryError) in
            try library.revertBooks(entries, stage, &conflicts)
        }
        books.repair = BookRepair.self
        books.verify = BookVerifier.verify
        books.followsTailoring = { WorkIndex($0.number) != nil }
        books.deriveByLoad = { (load, trees, filing) throws(LibraryError) in
            try Relisting(load, trees, filing).run()
        }
        return books
    }()
}
