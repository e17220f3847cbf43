import Filing
import StorageEngine

/// What a library keeps beside the records that an app declares, in trees of its own: books, say. Only modules of this package can say it.
public struct LibraryContents: Sendable {
    /// With numbers below 1,001 that no other contents have: those of a library are for all of them.
    package var trees: [TreeDeclaration] = []

    /// Those that records may link to.
    package var kinds: [BuiltInKind] = []

    /// The file that a compaction leaves beside its snapshot, unless there are fewer rows than that.
    package var companion: (@Sendable (_ leastRowCount: Int) -> Companion)?

    /// By what rules the trees that are derived from others are made: another number makes them anew at the next opening. `nil` where none
    /// are.
    package var rules: UInt64?

    /// Whether a library that nobody may write to can be read, though it was derived by other rules.
    package var isReadable: @Sendable (Version, LibraryMeta) throws(LibraryError) -> Bool = {
        (_, _) throws(LibraryError) in true
    }

    /// The trees that are derived from others, as people see them listed.
    package var derived: [DerivedTree] = []

    /// Of these, those that other rules make otherwise.
    package var followsRules: @Sendable (DerivedTree) -> Bool = { _ in true }

    /// Makes the entries of some of these trees, which are empty.
    package var derive: @Sendable (inout LibraryTransaction, [DerivedTree]) throws(LibraryError) -> Void = {
        (_, _) throws(LibraryError) in
    }

    /// Reads what these trees are made from, so that a damaged record stops the work before it begins.
    package var checkSources: @Sendable (Version, [DerivedTree]) throws(LibraryError) -> Void = {
        (_, _) throws(LibraryError) in
    }

    /// The tree of long texts, which lie outside the leaves.
    package var texts: TreeNumber?

    package var words: (any ContentsWords)?

    /// Gives out records as lines of JSON, before declared ones.
    package var export: @Sendable (Snapshot, (String) throws -> Void) throws -> Void = { _, _ in }

    /// How its records are compared with those of another library, in the order in which an export has them.
    package var compared: [ComparedKind] = []

    /// Takes in a line of an export; `nil` for one of a type that is none of these contents.
    package var take: (@Sendable (inout LibraryTransaction, JSONValue) throws(LibraryError) -> TakenLine?)?

    /// Shows everything that is stored under an identifier.
    package var dump: @Sendable (UInt64, inout RecordFinder) throws(StorageError) -> Void = {
        (_, _) throws(StorageError) in
    }

    /// The record that changes with an entry of a tree; `nil` for one that is part of none.
    package var changedRecord: @Sendable (TreeNumber, RawSpan) -> (kind: BuiltInKind, id: UInt64)? = { _, _ in nil }

    /// Takes out of what was gathered by entries what only followed from the rest.
    package var settleChanges: @Sendable (inout LibraryChanges) -> Void = { _ in }

    /// How its records are found in the operations of a log.
    package var logged: [LoggedKind] = [] {
        didSet { recordTrees = Set(logged.flatMap(\.trees)) }
    }

    /// The trees of its records and of their parts: what is not derived.
    private(set) var recordTrees: Set<TreeNumber> = []

    /// Takes back what a commit did to entries of its records, a stage after the other. Conflicts are gathered, and stop what comes after the stage.
    package var revert:
        @Sendable (inout LibraryTransaction, [ReplacedEntry], UndoStage, inout [UndoConflict]) throws(LibraryError) ->
            Void = {
                (_, _, _, _) throws(LibraryError) in
            }

    /// Checks of one snapshot, beyond those of declared records.
    package var verify: @Sendable (Snapshot, inout KnownDamage) -> [LibraryVerification.Check] = { _, _ in [] }

    /// What saves them from a damaged library.
    package var repair: (any ContentsRepair.Type)?

    /// Of the derived trees, those that another tailoring makes otherwise.
    package var followsTailoring: @Sendable (DerivedTree) -> Bool = { _ in true }

    /// Adds to a load what replaces some of the derived trees, filed by a tailoring.
    package var deriveByLoad: (@Sendable (Load, [DerivedTree], FilingTailoring) throws(LibraryError) -> Void)?

    package init() {}

    /// Declared records alone.
    public static let records = LibraryContents()

    /// By number, with those that every library has.
    package var allTrees: [TreeDeclaration] { (LibraryTree.ofEveryLibrary + trees).sorted { $0.number < $1.number } }

    /// All that can be made again.
    package var allDerived: [DerivedTree] { derived + [.appOrders] }

    /// Whether a tree is one of these contents.
    package func names(_ tree: TreeNumber) -> Bool { trees.contains { $0.number == tree } }

    /// As in "… is missing in the index of …".
    package func words(of tree: TreeNumber) -> String { words?.words(of: tree) ?? LibraryTree.words(of: tree) }
}

extension LibraryContents: BuiltInKindSource {
    var builtInKinds: [BuiltInKind] { kinds }
}

extension Version {
    /// What the store that the version is of keeps beside declared records.
    var contents: LibraryContents { (attachment as? RecordTypes)?.contents as? LibraryContents ?? .records }
}
