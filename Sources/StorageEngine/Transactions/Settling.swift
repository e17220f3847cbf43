/// The entries that commits have left for later, on their way into the trees while the log writes these commits, or while the last of them is still made. Used
/// by the writer only.
final class Settling {
    let runs: SharedRuns
    /// Whether it is of the transaction that goes on.
    let isAhead: Bool
    /// The trees as the commits left them, or what kept one from being changed; `nil` while they are changed.
    var outcome: Result<TreeTable, StorageError>?

    init(_ runs: SharedRuns, isAhead: Bool) { (self.runs, self.isAhead) = (runs, isAhead) }
}
