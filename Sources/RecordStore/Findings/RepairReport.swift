/// What a repair saved, made anew and lost.
public struct RepairReport: Sendable {
    public struct Tally: Sendable, Equatable {
        /// In the new library as they were.
        public package(set) var saved = 0

        /// In the new library with what lists and indexes still said of them.
        public package(set) var madeAnew = 0

        /// Not in the new library.
        public package(set) var lost = 0

        /// Of the lost, how many nothing tells more of. Where the log removed some of them, an upper bound.
        public package(set) var unnamed = 0

        /// Nothing says how many there were, so more may be lost without a trace.
        public package(set) var mayLackMore = false

        package init() {}
    }

    public package(set) var tallies: [LostItem.Kind: Tally] = [:]

    /// The app's own records, by the names of their kinds.
    public package(set) var kinds: [String: Tally] = [:]

    /// What was lost or had to be made anew, each by its identifier, as far as anything names it. Declared records come behind what the library keeps
    /// beside them, by the names of their kinds; orders and links name them. Last comes what is no record: `library` and `laterTree`.
    public package(set) var items: [LostItem] = []

    /// The items that are not in the new library. The tallies count as many of each kind of records, and those that nothing names.
    public var lost: [LostItem] { items.filter { !$0.isMadeAnew } }

    /// The items that are in the new library with what lists and indexes still said of them; as many as the tallies count.
    public var madeAnew: [LostItem] { items.filter(\.isMadeAnew) }

    /// The places in the damaged library's files.
    public package(set) var damage: [DamagedPlace] = []

    /// Commits that were durable once and cannot be read, ascending. What they changed is as it was before.
    public package(set) var missingCommits: [ClosedRange<UInt64>] = []

    /// Why nothing says what was committed after `lastCommit`, and so how much is lost: the newest segment of the log is
    /// missing or cannot be read.
    public package(set) var lostEnd: DamagedPlace?

    /// The newest commit of the damaged library that was found.
    public package(set) var lastCommit: UInt64?

    /// Whether every record was saved as it was.
    public var isComplete: Bool {
        items.isEmpty && missingCommits.isEmpty && lostEnd == nil
            && (Array(tallies.values) + kinds.values).allSatisfy { $0.unnamed == 0 && !$0.mayLackMore }
    }

    public subscript(kind: LostItem.Kind) -> Tally { tallies[kind] ?? Tally() }
}
