import Filing
import RecordStore
import StorageEngine

/// All there is to say of a tree in which works stand.
struct WorkIndexDefinition: Sendable {
    let index: WorkIndex

    /// Of the tree in the store.
    let name: String

    /// As in "… is missing in the order by year".
    let words: String

    /// By which cursors tell lists apart; a capital for the other direction.
    let letter: Character

    /// By whose list a cursor goes on: "a series". `nil` of an order.
    var listWords: String?

    /// The order in which a list's works come.
    var order: WorkOrder

    /// What of a work has to be read beside its record, so that its keys can be made.
    var needs: WorkFiling.Parts = []

    /// The first key of the works that do not have the value, in a list behind what says whose it is; `nil` where every work has one.
    var firstKeyWithoutValue: [UInt8]?

    /// Adds the keys of a work.
    let addKeys: @Sendable (borrowing WorkFiling, inout WorkKeys) -> Void

    /// The heading that a key belongs under.
    var heading: @Sendable (_ key: [UInt8], FilingTailoring) -> SectionHeading = { _, _ in .none }

    /// What a bound between keys says, for people.
    var word: @Sendable (_ bound: [UInt8]) -> String? = { KeyStretch.text($0) }

    /// The orders first, in the order in which a work has its keys.
    static let all = WorkOrder.definitions + [authorList, seriesList, tagList, languageList]

    /// What adds the keys of a work to each: to take it from a definition copies that, with all it has.
    static let keyAdditions = all.map(\.addKeys)

    private static let byTree: [WorkIndexDefinition?] = {
        var byTree = [WorkIndexDefinition?](repeating: nil, count: Int(all.map(\.index.tree.rawValue).max() ?? 0) + 1)
        for definition in all { byTree[Int(definition.index.tree.rawValue)] = definition }
        return byTree
    }()

    /// `nil` for a tree in which no works stand.
    static func of(_ tree: TreeNumber) -> WorkIndexDefinition? {
        Int(tree.rawValue) < byTree.count ? byTree[Int(tree.rawValue)] : nil
    }

    var declaration: TreeDeclaration {
        TreeDeclaration(
            index.tree, name, facetCount: WorkFacet.count,
            home: index.lead.map { TreeHome(LibraryTree.title, lead: $0) })
    }
}

/// What the keys of a work follow from.
struct WorkFiling {
    struct Parts: OptionSet {
        let rawValue: UInt8

        static let authors = Parts(rawValue: 1)
        static let entry = Parts(rawValue: 2)
    }

    let work: Work
    /// Those of the work, in its order.
    let authors: [Author]
    var entry: UserLibraryEntry?
    let filing: FilingTailoring
}

/// A heading in a list, and the first key behind all that belong under it.
struct SectionHeading {
    let label: String
    /// `nil` when none comes behind.
    let upperBound: [UInt8]?

    static let none = SectionHeading(label: "", upperBound: nil)

    /// By the first letter of a text as searches see it.
    static func folded(_ key: [UInt8]) -> SectionHeading {
        let section = FilingSection(foldedText: key)
        return SectionHeading(label: section.label, upperBound: section.upperBound)
    }

    /// By the first letter of a text as it is filed, which begins behind some bytes.
    static func filed(_ key: [UInt8], _ filing: FilingTailoring, behind count: Int = 0) -> SectionHeading {
        let section = FilingSection(key: Array(key.dropFirst(count)), tailoring: filing)
        return SectionHeading(label: section.label, upperBound: key.prefix(count) + section.upperBound)
    }
}
