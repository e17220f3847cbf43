import StorageEngine

/// The trees that hold books. The numbers are part of the format: one that goes is never used again.
///
/// Every list row is stored once, in `title`. The other orders and lists hold the key of that row as the end of their own keys:
/// the row is one look-up away, equal keys fall back to the order by title, and a changed row is one write.
extension LibraryTree {
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

    /// Work ‖ kind → description, notes or review. Cold: these are read one at a time and rarely.
    static let texts = TreeNumber(11)

    /// Source ‖ 00 ‖ value ‖ 00 ‖ work ‖ edition → nothing.
    static let sources = TreeNumber(12)

    /// Match key ‖ 00 ‖ work → nothing. One key for each author of the work.
    static let matchKeys = TreeNumber(13)

    /// Folded name ‖ 00 ‖ author → nothing.
    static let authorNames = TreeNumber(14)

    /// The day finished, inverted so that the latest come first ‖ key in `title` → nothing. With facets, as are all below.
    static let finishedOrder = TreeNumber(16)

    /// Year ‖ key in `title` → nothing.
    static let yearOrder = TreeNumber(17)

    /// Rating, inverted so that the best come first ‖ key in `title` → nothing.
    static let ratingOrder = TreeNumber(18)

    /// Folded name of the first series ‖ 00 ‖ number ‖ key in `title` → its name, or nothing.
    static let seriesOrder = TreeNumber(19)

    /// Author ‖ key in `title` → nothing: an author's works, and what has to change when an author's name does.
    static let authorWorks = TreeNumber(20)

    /// Folded name of a series ‖ 00 ‖ number ‖ key in `title` → its name.
    static let seriesWorks = TreeNumber(21)

    /// Folded tag ‖ 00 ‖ key in `title` → the tag.
    static let tagWorks = TreeNumber(22)

    /// Language, three letters or two and 00 ‖ key in `title` → nothing: the works that have one.
    static let languageWorks = TreeNumber(25)

    /// All trees of a library of books, by number.
    static let declarations = (ofEveryLibrary + ofBooks).sorted { $0.number < $1.number }

    static let ofBooks: [TreeDeclaration] = [
        TreeDeclaration(title, "title", facetCount: WorkFacet.count),
        TreeDeclaration(authorOrder, "author-order", facetCount: WorkFacet.count),
        TreeDeclaration(addedOrder, "added-order", facetCount: WorkFacet.count),
        TreeDeclaration(works, "works"),
        TreeDeclaration(editions, "editions"),
        TreeDeclaration(editionHomes, "edition-homes"),
        TreeDeclaration(authors, "authors"),
        TreeDeclaration(entries, "entries"),
        TreeDeclaration(isbns, "isbns"),
        TreeDeclaration(texts, "texts", placement: .cold),
        TreeDeclaration(sources, "sources"),
        TreeDeclaration(matchKeys, "match-keys"),
        TreeDeclaration(authorNames, "author-names"),
        TreeDeclaration(finishedOrder, "finished-order", facetCount: WorkFacet.count),
        TreeDeclaration(yearOrder, "year-order", facetCount: WorkFacet.count),
        TreeDeclaration(ratingOrder, "rating-order", facetCount: WorkFacet.count),
        TreeDeclaration(seriesOrder, "series-order", facetCount: WorkFacet.count),
        TreeDeclaration(authorWorks, "author-list", facetCount: WorkFacet.count),
        TreeDeclaration(seriesWorks, "series-list", facetCount: WorkFacet.count),
        TreeDeclaration(tagWorks, "tag-list", facetCount: WorkFacet.count),
        TreeDeclaration(languageWorks, "language-list", facetCount: WorkFacet.count),
    ]
}
