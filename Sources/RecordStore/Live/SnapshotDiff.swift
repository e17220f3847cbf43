/// From one snapshot to a later one: what changed, and what that does to each list.
///
/// One diff serves every list of an app. Whatever two lists have in common is worked out once: the changed records, their
/// keys, and, for lists that show the same, their ranks and the change.
@MainActor package final class SnapshotDiff {
    package let before: Snapshot
    package let after: Snapshot
    package let changes: LibraryChanges

    /// What changed in lists of one type, by that.
    private var parts: [ObjectIdentifier: AnyObject] = [:]

    /// By the hub's number of what a list shows.
    private var outcomes: [AnyObject?] = []

    /// More changed records than this are a reload: finding where each was and is costs some 10 µs.
    package static let maximumChangeCount = 512

    init(from before: Snapshot, to after: Snapshot, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        self.changes = changes
    }

    /// Whether records may have gone that the changes do not name. What a log holds that is still being read has not gone: it comes with the log's end.
    package var mayHideDeletions: Bool { !after.isCatchingUp && (changes.isWhole || before.isCatchingUp) }

    /// Whether the library has moved over to another snapshot file. What is still of the one before keeps that.
    package var isOfOtherFile: Bool { !after.version.isOfSameFile(as: before.version) }

    /// What changed in lists of records of a type.
    func records<Value: Record>(of type: Value.Type) -> RecordDiff<Value> {
        part { RecordDiff<Value>(from: before.version, to: after.version, changes) }
    }

    /// What lists of one type have in common, made by the first of them that asks.
    package func part<Part: AnyObject>(_ make: () -> Part) -> Part {
        if let known = parts[ObjectIdentifier(Part.self)] as? Part { return known }
        let made = make()
        parts[ObjectIdentifier(Part.self)] = made
        return made
    }

    /// What lists with a number show, made by the first of them that asks.
    package func outcome<Items>(_ number: Int, _ make: () -> ListOutcome<Items>) -> ListOutcome<Items> {
        if number < outcomes.count, let known = outcomes[number] as? ListOutcome<Items> { return known }
        let outcome = make()
        while outcomes.count <= number { outcomes.append(nil) }
        outcomes[number] = outcome
        return outcome
    }
}
