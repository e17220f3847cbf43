import RecordStore
import StorageEngine

extension LibraryContents {
    /// Works, editions, authors, entries, and the lists and indexes that are derived from them.
    public static let books: LibraryContents = {
        var books = LibraryContents()
        books.trees = LibraryTree.ofBooks
        books.kinds = [.works, .editions, .authors]
        books.companion = SearchFileWriter.companion
        books.rules = LibraryMeta.filingRulesOfBooks
        books.isReadable = { (version, meta) throws(LibraryError) in
            if meta.rowLayout == WorkListRow.Layout.version { return true }
            return try version.count(of: LibraryTree.title) == 0
        }
        books.rebuild = { (library) throws(LibraryError) in try library.rebuildListings() }
        books.refile = { (load, filing) throws(LibraryError) in try Relisting(load, filing).run() }
        return books
    }()
}
