import BookDB

/// The rows that one commit brought into the library, told when they are there to stay.
public struct ImportBatch: Sendable {
    /// What became of one row.
    public struct Row: Sendable {
        public enum Action: String, Sendable {
            case added
            /// It told something new about a work that the library had.
            case merged
            /// It tells what the library has, and nothing else.
            case identical
            /// It tells something else than the library, which kept what it had.
            case differing
        }

        public let line: Int
        public let title: String
        public let action: Action
        public let work: ID<Work>
    }

    /// The commit that holds the batch; nil when none of the rows told anything new, and in a dry run.
    public let commit: UInt64?

    public let rows: [Row]
    public let rejects: [ImportResult.Reject]

    /// The whole import so far.
    public let progress: ImportProgress
}
