#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A commit that can be undone, or one whose undoing can be: what a menu shows of it.
public struct UndoStep: Hashable, Sendable, Identifiable {
    /// Of the commit that `undo` or `redo` would take back.
    public let commitNumber: UInt64

    /// What the app has called it; see `LibraryTransaction.commitName`. That of an undone commit is the name of the original one.
    public let name: String?

    public let date: Date

    /// What the commit did to how many records of which kind. Undoing it does the opposite.
    public let counts: [Count]

    public var id: UInt64 { commitNumber }

    public enum What: String, Sendable, CaseIterable {
        case inserted, updated, deleted
    }

    /// The records of a kind to which the same was done.
    public struct Count: Hashable, Sendable {
        /// `Transfer`; in lower case for what the library keeps beside the app's own records.
        public let kind: String

        /// `works`; the name of an app's own kind.
        public let plural: String

        public let what: What
        public let count: Int
    }
}
