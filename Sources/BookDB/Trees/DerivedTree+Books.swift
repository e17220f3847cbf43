import RecordStore
import StorageEngine

extension DerivedTree {
    /// The list itself: the rows, by title.
    public static let title = DerivedTree(LibraryTree.title, "title", words: "the list by title")
    public static let authorOrder = DerivedTree(LibraryTree.authorOrder, "author-order", words: "the order by author")
    public static let addedOrder = DerivedTree(LibraryTree.addedOrder, "added-order", words: "the order by date")
    public static let editionHomes = DerivedTree(
        LibraryTree.editionHomes, "edition-homes", words: "the index of editions")
    public static let isbns = DerivedTree(LibraryTree.isbns, "isbns", words: "the index of ISBNs")
    public static let authorWorks = DerivedTree(LibraryTree.authorWorks, "author-list", words: "the lists by author")
    public static let sources = DerivedTree(LibraryTree.sources, "sources", words: "the index of source identifiers")
    public static let matchKeys = DerivedTree(LibraryTree.matchKeys, "match-keys", words: "the index of match keys")
    public static let authorNames = DerivedTree(
        LibraryTree.authorNames, "author-names", words: "the index of author names")
    public static let finishedOrder = DerivedTree(
        LibraryTree.finishedOrder, "finished-order", words: "the order by day finished")
    public static let yearOrder = DerivedTree(LibraryTree.yearOrder, "year-order", words: "the order by year")
    public static let ratingOrder = DerivedTree(LibraryTree.ratingOrder, "rating-order", words: "the order by rating")
    public static let seriesOrder = DerivedTree(LibraryTree.seriesOrder, "series-order", words: "the order by series")
    public static let seriesWorks = DerivedTree(LibraryTree.seriesWorks, "series-list", words: "the lists by series")
    public static let tagWorks = DerivedTree(LibraryTree.tagWorks, "tag-list", words: "the lists by tag")
    public static let languageWorks = DerivedTree(
        LibraryTree.languageWorks, "language-list", words: "the lists by language")

    /// All of books.
    static let ofBooks: [DerivedTree] = [
        .title, .authorOrder, .addedOrder, .editionHomes, .isbns, .authorWorks, .sources, .matchKeys, .authorNames,
        .finishedOrder,
        .yearOrder, .ratingOrder, .seriesOrder, .seriesWorks, .tagWorks, .languageWorks,
    ]

    /// The records it is made from; `nil` for those that are not of books. The list and its orders look into others, too.
    var source: RecordSource? {
        switch self {
        case .title, .authorOrder, .addedOrder, .finishedOrder, .yearOrder, .ratingOrder, .seriesOrder, .authorWorks,
            .seriesWorks, .tagWorks, .languageWorks, .matchKeys:
            .works
        case .editionHomes, .isbns, .sources: .editions
        case .authorNames: .authors
        default: nil
        }
    }
}

/// The records that derived trees are made from, one by one.
enum RecordSource: CaseIterable {
    case authors, works, editions

    var tree: TreeNumber {
        switch self {
        case .authors: LibraryTree.authors
        case .works: LibraryTree.works
        case .editions: LibraryTree.editions
        }
    }
}
