/// An object that the hub brings to each commit.
@MainActor package protocol LiveFollower: AnyObject {
    func follow(_ diff: SnapshotDiff)
}

/// A follower that shows many rows, and shares the work of a commit with every list that shows the same.
@MainActor package protocol LiveList: LiveFollower {
    /// Asks the hub for the number of what the list shows; the hub has forgotten the old ones.
    func takeNumber()
}
