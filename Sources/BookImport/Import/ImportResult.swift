/// What an import did, or, after a dry run, would have done.
///
/// Always true: `rows` is `added + merged + skipped + rejected`.
public struct ImportResult: Sendable {
    /// A row that was not imported.
    public struct Reject: Hashable, Sendable {
        /// The line it begins on, counted from 1.
        public let line: Int

        /// Why, as the end of a sentence.
        public let reason: String

        /// The row as it stands in the file.
        public let raw: String
    }

    /// A row that was imported although something in it could not be understood.
    public struct Warning: Hashable, Sendable {
        public let line: Int
        public let message: String
    }

    /// By what rows were recognised as works that the library had.
    public struct MergeEvidence: Hashable, Sendable {
        public var sourceIdentifier = 0
        public var isbn = 0
        public var titleAndAuthor = 0
    }

    /// What the file was read as.
    public var dialect: Dialect

    /// False when the format was named by the caller.
    public var formatIsGuessed: Bool

    /// The columns of the file, and those of them that nothing was taken from.
    public var headers: [String]
    public var ignoredHeaders: [String]

    /// Records after the header.
    public var rows = 0

    /// Rows that became new works.
    public var added = 0

    /// Rows that told something new about works the library had.
    public var merged = 0

    /// Rows that told nothing new.
    public var skipped = 0

    public var rejected: Int { rejects.count }

    public var editionsAdded = 0
    public var authorsAdded = 0

    /// Of the rows in `merged` and `skipped`.
    public var evidence = MergeEvidence()

    public var rejects: [Reject] = []
    public var warnings: [Warning] = []
    public var bytesRead = 0
    public var lastCommit: UInt64?
    public var isDryRun: Bool

    /// True when the import was cancelled. The rows counted here are in the library, whole; the others are not, and
    /// importing the file again goes on from there.
    public var wasCancelled = false

    public var duration = Duration.zero

    private let headerLine: String

    init(plan: RowPlan, isDryRun: Bool) {
        dialect = plan.dialect
        formatIsGuessed = plan.isGuessed
        headers = plan.headers
        ignoredHeaders = plan.ignoredHeaders
        headerLine = plan.headerLine
        self.isDryRun = isDryRun
    }

    /// The rejected rows as a file like the one they came from, to correct and import again. Nil when there are none.
    public var rejectsFile: String? {
        guard !rejects.isEmpty else { return nil }
        return ([headerLine] + rejects.map(\.raw)).joined(separator: "\n") + "\n"
    }
}
