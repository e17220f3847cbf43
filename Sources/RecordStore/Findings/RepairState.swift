import StorageEngine

/// What a repair has to work with, and what it has found so far.
package final class RepairState {
    package let salvage: Salvage

    /// The library that is made.
    package let database: Database
    package var report = RepairReport()
    package var identifiers = UsedIdentifiers()

    init(_ salvage: Salvage, into database: Database) {
        self.salvage = salvage
        self.database = database
    }

    /// What was saved and lost of a tree of the snapshot.
    package func tree(_ number: TreeNumber) -> SalvageReport.Tree {
        let found = salvage.report.trees.first { $0.declaration.number == number }
        // Without a head a tree of which no page is left looks like one that was empty.
        return found
            ?? SalvageReport.Tree(
                declaration: TreeDeclaration(number, "\(number.rawValue)"), savedEntryCount: 0, lostEntryCount: 0,
                isCounted: salvage.report.basis != .seals)
    }
}
