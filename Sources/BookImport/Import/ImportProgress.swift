/// How far an import has come. Sent after every batch.
public struct ImportProgress: Hashable, Sendable {
    public var rowsRead = 0
    public var bytesRead = 0

    /// Nil while reading a pipe, whose end nobody knows.
    public var totalBytes: Int?

    public var added = 0
    public var merged = 0
    public var skipped = 0
    public var rejected = 0

    /// The last commit of this import; nil before the first, and in a dry run.
    public var lastCommit: UInt64?

    public init() {}

    /// The share of the file that was read, 0…1; nil while reading a pipe.
    public var fraction: Double? {
        totalBytes.map { $0 == 0 ? 1 : min(1, Double(bytesRead) / Double($0)) }
    }
}
