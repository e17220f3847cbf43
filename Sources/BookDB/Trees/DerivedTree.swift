import StorageEngine

/// A tree that follows from the records and can be made again from them. The raw value is its name in the store.
public enum DerivedTree: String, CaseIterable, Sendable {
    /// The list itself: the rows, by title.
    case title
    case authorOrder = "author-order"
    case addedOrder = "added-order"
    case editionHomes = "edition-homes"
    case isbns
    case authorWorks = "author-list"
    case sources
    case matchKeys = "match-keys"
    case authorNames = "author-names"
    case finishedOrder = "finished-order"
    case yearOrder = "year-order"
    case ratingOrder = "rating-order"
    case seriesOrder = "series-order"
    case seriesWorks = "series-list"
    case tagWorks = "tag-list"
    case languageWorks = "language-list"

    /// Made anew by the app, which alone knows its records: here it is emptied, and the next write to a kind of record fills its
    /// part.
    case appIndexes = "app-indexes"

    /// The same of the orders of app records, all of them.
    case appOrders = "app-orders"

    /// Such as `the list by title`.
    public var words: String { LibraryTree.words(of: number) }

    var number: TreeNumber {
        switch self {
        case .title: LibraryTree.title
        case .authorOrder: LibraryTree.authorOrder
        case .addedOrder: LibraryTree.addedOrder
        case .editionHomes: LibraryTree.editionHomes
        case .isbns: LibraryTree.isbns
        case .authorWorks: LibraryTree.authorWorks
        case .sources: LibraryTree.sources
        case .matchKeys: LibraryTree.matchKeys
        case .authorNames: LibraryTree.authorNames
        case .finishedOrder: LibraryTree.finishedOrder
        case .yearOrder: LibraryTree.yearOrder
        case .ratingOrder: LibraryTree.ratingOrder
        case .seriesOrder: LibraryTree.seriesOrder
        case .seriesWorks: LibraryTree.seriesWorks
        case .tagWorks: LibraryTree.tagWorks
        case .languageWorks: LibraryTree.languageWorks
        case .appIndexes: LibraryTree.appIndexes
        case .appOrders: LibraryTree.appOrders
        }
    }

    /// The records it is made from; `nil` for those only the app can read. The list and its orders look into others, too.
    var source: RecordSource? {
        switch self {
        case .title, .authorOrder, .addedOrder, .finishedOrder, .yearOrder, .ratingOrder, .seriesOrder, .authorWorks,
            .seriesWorks, .tagWorks, .languageWorks, .matchKeys:
            .works
        case .editionHomes, .isbns, .sources: .editions
        case .authorNames: .authors
        case .appIndexes, .appOrders: nil
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
