/// The entries that commits have left for later, on their way into the trees while the log writes these commits. Used by the writer only.
final class Settling {
    let runs: SharedRuns
    /// The trees as the commits left them, or what kept one from being changed; `nil` while they are changed.
    var outcome: Result<TreeTable, StorageError>?

    init(_ runs: SharedRuns) { self.runs = runs }
}
