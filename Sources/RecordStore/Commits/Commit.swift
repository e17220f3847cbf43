/// What a commit changed, with the library as it was after it: or after others that were written with the same flush, which are told of next.
///
/// A subscriber that falls behind gets several commits merged into one: `number` and `snapshot` are then those of the
/// last, and the changes are what all of them did together.
public struct Commit: Sendable {
    /// Who made a commit; of several merged into one, all who did.
    public struct Origin: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// This process, through the library that gives the commit.
        public static let here = Origin(rawValue: 1)

        /// Another process, or another opening in this one: an app's widget, an extension.
        public static let elsewhere = Origin(rawValue: 2)

        /// The opening: what the log held beyond the snapshot that was shown before, whoever wrote it; and the library that this process has
        /// restored.
        public static let opening = Origin(rawValue: 4)
    }

    /// Whether this process has made it or another: `commit.origin == .here`, `commit.origin.contains(.elsewhere)`.
    public private(set) var origin: Origin

    /// The number of the last commit in here.
    public private(set) var number: UInt64

    public private(set) var snapshot: Snapshot
    private var changes: LibraryChanges

    /// Whether anything may have changed, and nobody found out what: the library was opened again after others had written to it, it was restored,
    /// or what there was before could not be read. The number of a restored library's commit may be lower than that of the one before. Whoever keeps something up to date by the changes reads `snapshot` again.
    public var isWhole: Bool { changes.isWhole }

    /// Those of all kinds.
    package var allChanges: LibraryChanges { changes }

    init(number: UInt64, snapshot: Snapshot, changes: LibraryChanges, origin: Origin = .here) {
        self.origin = origin
        self.number = number
        self.snapshot = snapshot
        self.changes = changes
    }

    /// Adds a later commit, as if both had been one.
    mutating func merge(_ later: Commit) {
        number = later.number
        origin.formUnion(later.origin)
        snapshot = later.snapshot
        changes.merge(later.changes)
    }
}
