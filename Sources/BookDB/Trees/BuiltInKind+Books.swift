import RecordStore

/// The kinds of books, by the numbers that links to them are stored under.
extension BuiltInKind {
    static let works = BuiltInKind(1, "work", in: LibraryTree.books, share: ofWork)
    static let editions = BuiltInKind(2, "edition", in: LibraryTree.editionHomes)
    static let authors = BuiltInKind(3, "author", in: LibraryTree.authors)

    /// Identified by the work they are for, so that nothing links to them.
    static let entries = BuiltInKind(
        4, "entry", in: LibraryTree.books,
        share: Share(keyEnd: BookKey.keyEnd(.entry), facet: BookKey.Kind.entryFacet))

    /// Rows of works that changed with nothing of the work: with the name of an author. Identified by the work.
    static let rows = BuiltInKind(5, "row", in: LibraryTree.books, share: ofWork)

    private static let ofWork = Share(keyEnd: BookKey.keyEnd(.work), facet: BookKey.Kind.workFacet)
}

extension Work: BuiltInRecord {
    package static var builtInKind: BuiltInKind { .works }
}

extension Edition: BuiltInRecord {
    package static var builtInKind: BuiltInKind { .editions }
}

extension Author: BuiltInRecord {
    package static var builtInKind: BuiltInKind { .authors }
}
