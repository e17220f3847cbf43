import Filing
import StorageEngine

/// A tree of rows, filed by their titles, as a search looks through it.
///
/// A class, because whatever folds a row refers to it.
package final class SearchedList: Sendable {
    package let tree: TreeNumber

    /// Adds the line of a row that is looked through. A row that cannot be read is an empty line.
    package let appendLine: @Sendable (RawSpan, inout TextFolder) -> Void

    package let flags: @Sendable (RawSpan, FacetSet) -> RowFlags

    /// Flags of which each says that somebody cares for what the row shows; and those that say so where they are not set.
    private let signals: (set: UInt16, notSet: UInt16)

    package init(
        _ tree: TreeNumber, signals: (set: UInt16, notSet: UInt16),
        flags: @escaping @Sendable (RawSpan, FacetSet) -> RowFlags,
        appendLine: @escaping @Sendable (RawSpan, inout TextFolder) -> Void
    ) {
        self.tree = tree
        self.signals = signals
        self.flags = flags
        self.appendLine = appendLine
    }

    var maximumSignalCount: Int { (signals.set.nonzeroBitCount) + (signals.notSet.nonzeroBitCount) }

    /// How many things say that somebody cares for what the row shows.
    func signalCount(_ flags: RowFlags) -> Int {
        (flags.rawValue & signals.set).nonzeroBitCount + (~flags.rawValue & signals.notSet).nonzeroBitCount
    }
}

/// The rows that have a number of which the beginning was typed, such as an ISBN.
package struct SearchedNumbers: Sendable {
    /// Among all rows, ascending.
    package let positions: [Int]

    /// Whether so much was typed that it is meant as one.
    package let areSure: Bool

    package init(positions: [Int], areSure: Bool) { (self.positions, self.areSure) = (positions, areSure) }
}
