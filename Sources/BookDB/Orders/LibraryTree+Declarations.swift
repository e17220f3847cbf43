import RecordStore
import StorageEngine

extension LibraryTree {
    static let ofBooks: [TreeDeclaration] =
        WorkIndexDefinition.all.map(\.declaration) + [
            TreeDeclaration(works, "works", columns: [.contents]),
            TreeDeclaration(editions, "editions", columns: [.contents]),
            TreeDeclaration(editionHomes, "edition-homes"),
            TreeDeclaration(authors, "authors", columns: [.contents]),
            TreeDeclaration(entries, "entries", columns: [.contents]),
            TreeDeclaration(isbns, "isbns"),
            TreeDeclaration(texts, "texts", columns: [.contents], placement: .cold),
            TreeDeclaration(sources, "sources"),
            TreeDeclaration(matchKeys, "match-keys"),
            TreeDeclaration(authorNames, "author-names"),
        ]

    /// Whether the keys of a tree depend on the filing rules: when these change, the tree is made anew.
    static func dependsOnFilingRules(_ tree: TreeNumber) -> Bool {
        WorkIndex(tree) != nil || tree == matchKeys || tree == authorNames
    }
}
