import StorageEngine

extension LibraryTree {
    /// As in "… is missing in the index of ISBNs".
    static func words(of tree: TreeNumber) -> String {
        switch part(of: tree) {
        case LibraryTree.title: "the list by title"
        case LibraryTree.authorOrder: "the order by author"
        case LibraryTree.addedOrder: "the order by date"
        case LibraryTree.works: "the works"
        case LibraryTree.editions: "the editions"
        case LibraryTree.authors: "the authors"
        case LibraryTree.entries: "the entries"
        case LibraryTree.editionHomes: "the index of editions"
        case LibraryTree.isbns: "the index of ISBNs"
        case LibraryTree.finishedOrder: "the order by day finished"
        case LibraryTree.yearOrder: "the order by year"
        case LibraryTree.ratingOrder: "the order by rating"
        case LibraryTree.seriesOrder: "the order by series"
        case LibraryTree.authorWorks: "the lists by author"
        case LibraryTree.seriesWorks: "the lists by series"
        case LibraryTree.tagWorks: "the lists by tag"
        case LibraryTree.languageWorks: "the lists by language"
        case LibraryTree.texts: "the texts"
        case LibraryTree.sources: "the index of source identifiers"
        case LibraryTree.matchKeys: "the index of match keys"
        case LibraryTree.authorNames: "the index of author names"
        default: wordsOfEveryLibrary(tree) ?? "tree \(tree.rawValue)"
        }
    }
}
