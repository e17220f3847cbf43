import RecordStore
import StorageEngine

extension LibraryTree {
    static let ofBooks: [TreeDeclaration] =
        WorkIndexDefinition.all.map(\.declaration) + [
            TreeDeclaration(books, "books", facetCount: BookKey.Kind.facetCount, columns: [.hashSum]),
            TreeDeclaration(editionHomes, "edition-homes"),
            TreeDeclaration(authors, "authors", columns: [.hashSum]),
            TreeDeclaration(isbns, "isbns"),
            TreeDeclaration(texts, "texts", columns: [.hashSum], placement: .cold),
            TreeDeclaration(sources, "sources"),
            TreeDeclaration(matchKeys, "match-keys"),
            TreeDeclaration(authorNames, "author-names"),
        ]

    /// Whether the keys of a tree depend on the filing rules: when these change, the tree is made anew.
    static func dependsOnFilingRules(_ tree: TreeNumber) -> Bool {
        WorkIndex(tree) != nil || tree == matchKeys || tree == authorNames
    }
}
