import RecordStore
import StorageEngine

extension DerivedTree {
    /// The list itself: the rows, by title.
    public static let title = DerivedTree(.titleOrder)
    public static let editionHomes = DerivedTree(
        LibraryTree.editionHomes, "edition-homes", words: "the index of editions")
    public static let isbns = DerivedTree(LibraryTree.isbns, "isbns", words: "the index of ISBNs")
    public static let sources = DerivedTree(
        LibraryTree.sources, "sources", words: "the index of source identifiers")
    public static let matchKeys = DerivedTree(LibraryTree.matchKeys, "match-keys", words: "the index of match keys")
    public static let authorNames = DerivedTree(
        LibraryTree.authorNames, "author-names", words: "the index of author names")

    /// All of books, by number.
    static let ofBooks: [DerivedTree] =
        (WorkIndexDefinition.all.map { DerivedTree($0) } + [.editionHomes, .isbns, .sources, .matchKeys, .authorNames])
        .sorted { $0.number < $1.number }

    private init(_ definition: WorkIndexDefinition) {
        self.init(definition.index.tree, definition.name, words: definition.words)
    }

    /// The records it is made from; `nil` for those that are not of books. The list and its orders look into others, too.
    var source: RecordSource? {
        switch self {
        case .editionHomes, .isbns, .sources: .editions
        case .authorNames: .authors
        case .matchKeys: .works
        default: WorkIndex(number) == nil ? nil : .works
        }
    }
}

/// The records that derived trees are made from, one by one.
enum RecordSource: CaseIterable {
    case authors, works, editions

    var tree: TreeNumber {
        switch self {
        case .authors: LibraryTree.authors
        case .works, .editions: LibraryTree.books
        }
    }

    /// Whether a key of the tree is one of its records.
    func has(_ key: [UInt8]) -> Bool {
        switch self {
        case .authors: key.count == 8
        case .works: BookKey(key)?.kind == .work
        case .editions: BookKey(key)?.edition != nil
        }
    }
}
