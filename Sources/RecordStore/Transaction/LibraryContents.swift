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

    /// Makes what is derived anew, by today's rules.
    package var rebuild: @Sendable (inout LibraryTransaction) throws(LibraryError) -> Void = {
        (_) throws(LibraryError) in
    }

    /// Adds to a load what replaces that which follows from the tailoring.
    package var refile: (@Sendable (Load, FilingTailoring) throws(LibraryError) -> Void)?

    package init() {}

    /// Declared records alone.
    public static let records = LibraryContents()

    /// By number, with those that every library has.
    var allTrees: [TreeDeclaration] { (LibraryTree.ofEveryLibrary + trees).sorted { $0.number < $1.number } }

    /// What a library knows about itself that begins with a device number and a tailoring.
    func newMeta(device: UInt32, filing: FilingTailoring) -> LibraryMeta {
        LibraryMeta(device: device, filing: filing, rules: rules ?? 0)
    }
}
