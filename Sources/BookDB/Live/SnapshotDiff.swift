/// From one snapshot to a later one: what changed, and what that does to each list.
///
/// One diff serves every list of an app. Whatever two lists have in common is worked out once: the changed works and records, their
/// keys, and, for lists that show the same, their ranks and the change.
@MainActor final class SnapshotDiff {
    let before: Snapshot
    let after: Snapshot
    let changes: LibraryChanges

    /// What changed in lists of works.
    private(set) lazy var works = WorkDiff(from: before, to: after, changes)

    /// By the hub's number of what a list shows.
    private var outcomes: [AnyObject?] = []
    private var knownSteps: [Int: [ListChange.Step]] = [:]

    /// More changed works or records than this are a reload: finding where each was and is costs some 10 µs.
    static let maximumChangeCount = 512

    init(from before: Snapshot, to after: Snapshot, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        self.changes = changes
    }

    /// What lists with a number show, made by the first of them that asks.
    func outcome<Items>(_ number: Int, _ make: () -> ListOutcome<Items>) -> ListOutcome<Items> {
        if number < outcomes.count, let known = outcomes[number] as? ListOutcome<Items> { return known }
        let outcome = make()
        while outcomes.count <= number { outcomes.append(nil) }
        outcomes[number] = outcome
        return outcome
    }

    /// Where what changed was and is in the lists with a number; `nil` when the steps cannot be told.
    func steps(
        _ number: Int, _ make: () throws(BookError) -> [ListChange.Step]?
    ) throws(BookError) -> [ListChange.Step]? {
        if let known = knownSteps[number] { return known }
        let steps = try make()
        if let steps { knownSteps[number] = steps }
        return steps
    }
}
