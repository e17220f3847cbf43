/// What a commit changed, with the library as it was after it.
///
/// A subscriber that falls behind gets several commits merged into one: `number` and `snapshot` are then those of the
/// last, and the changes are what all of them did together.
public struct Commit: Sendable {
    /// The number of the last commit in here.
    public private(set) var number: UInt64

    public private(set) var snapshot: Snapshot
    private var changes: LibraryChanges

    /// Whether anything may have changed, and nobody found out what: the library was opened again after others had written to it, it was restored,
    /// or what there was before could not be read. The number of a restored library's commit may be lower than that of the one before. Who keeps something by the changes of commits looks at `snapshot` anew.
    public var isWhole: Bool { changes.isWhole }

    /// Those of all kinds.
    package var allChanges: LibraryChanges { changes }

    init(number: UInt64, snapshot: Snapshot, changes: LibraryChanges) {
        self.number = number
        self.snapshot = snapshot
        self.changes = changes
    }

    /// Adds a later commit, as if both had been one.
    mutating func merge(_ later: Commit) {
        number = later.number
        snapshot = later.snapshot
        changes.merge(later.changes)
    }
}
