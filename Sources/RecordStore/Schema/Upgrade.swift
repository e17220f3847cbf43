/// What brings a record of an earlier version of the app up to a version: `Upgrade<Loan>(2) { $0.borrower = $0.name }`.
///
/// Runs when the record is read, and is stored when the record is next written; opening a library upgrades nothing. The version
/// of a type is that of its highest upgrade, 1 without any; see `Record.recordVersion`.
public struct Upgrade<Value: Record>: Sendable {
    let version: Int
    let change: @Sendable (inout Value) -> Void

    /// - Precondition: `version` is at least 2: records that nothing upgraded are of version 1.
    public init(_ version: Int, _ change: @escaping @Sendable (inout Value) -> Void) {
        precondition(version >= 2, "a record that nothing upgraded is of version 1")
        self.version = version
        self.change = change
    }
}
