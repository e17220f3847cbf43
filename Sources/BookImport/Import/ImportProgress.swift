/// How far an import has come. Sent after every batch.
public struct ImportProgress: Hashable, Sendable {
    /// Rows that are in the library now, or were rejected.
    public var rowsRead = 0
    public var bytesRead = 0

    /// Nil for a pipe, whose end nobody knows.
    public var totalRows: Int?

    public var added = 0
    public var merged = 0
    public var identical = 0
    public var differing = 0
    public var rejected = 0

    /// The last commit of this import; nil before the first, and in a dry run.
    public var lastCommit: UInt64?

    public init() {}

    /// The share of the rows that are done, 0…1; nil for a pipe.
    public var fraction: Double? {
        totalRows.map { $0 == 0 ? 1 : min(1, Double(rowsRead) / Double($0)) }
    }
}
