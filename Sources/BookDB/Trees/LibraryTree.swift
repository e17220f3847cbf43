import StorageEngine

/// The trees of a library. The numbers are part of the format: one that goes is never used again.
///
/// Every list row is stored once, in `title`. The other orders hold the key of that row as the end of their own keys:
/// the row is one look-up away, equal keys fall back to the order by title, and a changed row is one write.
enum LibraryTree {
    /// The list: title key ‖ 00 ‖ work → the list row. With facets.
    static let title = TreeNumber(1)

    /// First author's sort key ‖ 00 ‖ key in `title` → nothing. With facets.
    static let authorOrder = TreeNumber(2)

    /// Milliseconds since 1970, inverted so that the newest come first ‖ key in `title` → nothing. With facets.
    static let addedOrder = TreeNumber(3)

    /// Work → record.
    static let works = TreeNumber(4)

    /// Work ‖ edition → record: the editions of a work are one range.
    static let editions = TreeNumber(5)

    /// Edition → work, to find an edition of which only the identifier is known.
    static let editionHomes = TreeNumber(6)

    /// Author → record.
    static let authors = TreeNumber(7)

    /// Work → record of the entry: there is one entry for each work.
    static let entries = TreeNumber(8)

    /// ISBN ‖ work ‖ edition → nothing. Publishers reuse ISBNs and boxed sets share one, so there may be several.
    static let isbns = TreeNumber(9)

    /// Author ‖ work → nothing: what has to change when an author's name does.
    static let authorWorks = TreeNumber(10)

    /// Work ‖ kind → description, notes or review. Cold: these are read one at a time and rarely.
    static let texts = TreeNumber(11)

    /// Source ‖ 00 ‖ value ‖ 00 ‖ work ‖ edition → nothing.
    static let sources = TreeNumber(12)

    /// Match key ‖ 00 ‖ work → nothing. One key for each author of the work.
    static let matchKeys = TreeNumber(13)

    /// Folded name ‖ 00 ‖ author → nothing.
    static let authorNames = TreeNumber(14)

    /// What the library knows about itself; see `LibraryMeta`.
    static let meta = TreeNumber(15)

    static let declarations: [TreeDeclaration] = [
        TreeDeclaration(title, "title", facetCount: WorkFacet.count),
        TreeDeclaration(authorOrder, "author-order", facetCount: WorkFacet.count),
        TreeDeclaration(addedOrder, "added-order", facetCount: WorkFacet.count),
        TreeDeclaration(works, "works"),
        TreeDeclaration(editions, "editions"),
        TreeDeclaration(editionHomes, "edition-homes"),
        TreeDeclaration(authors, "authors"),
        TreeDeclaration(entries, "entries"),
        TreeDeclaration(isbns, "isbns"),
        TreeDeclaration(authorWorks, "author-works"),
        TreeDeclaration(texts, "texts", placement: .cold),
        TreeDeclaration(sources, "sources"),
        TreeDeclaration(matchKeys, "match-keys"),
        TreeDeclaration(authorNames, "author-names"),
        TreeDeclaration(meta, "meta"),
    ]
}

extension WorkOrder {
    /// The tree whose order this is.
    var tree: TreeNumber {
        switch self {
        case .title: LibraryTree.title
        case .author: LibraryTree.authorOrder
        case .added: LibraryTree.addedOrder
        }
    }
}
