/// What an import did, or, after a dry run, would have done.
///
/// Always true: `rows` is `added + merged + identical + differing + rejected`.
///
/// Every rejected row is here, to be corrected. Of warnings and differences the first 10,000 each are listed, and all are counted.
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

    /// Something a row says otherwise than the library, which kept what it had.
    public struct Difference: Hashable, Sendable {
        public let line: Int
        public let title: String
        public let field: BookField

        /// What the library has, and what the row says, in words; long texts are cut.
        public let kept: String
        public let given: String
    }

    /// A column of the file.
    public struct Column: Hashable, Sendable {
        public let header: String

        /// What it was read as; nil when nothing was taken from it.
        public internal(set) var field: BookField?

        /// How many of its values were left out: all of a column that is nothing known, and of one that shares its field with another
        /// those that say something else than what was taken from that.
        public internal(set) var leftOutCount = 0
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
        /// Works without an author that had all the row says.
        public var sameInEverything = 0
    }

    /// What the file was read as.
    public var dialect: Dialect

    /// False when the format was named by the caller.
    public var formatIsGuessed: Bool

    /// The columns of the file that have a name, as they stand.
    public var columns: [Column]

    public var encoding: TextEncoding

    /// Whether a column says who wrote the books. Without, titles alone tell nothing apart, and no row is taken for a work that the
    /// library has unless an ISBN or an identifier says so.
    public var hasAuthors: Bool

    /// Records after the header.
    public var rows = 0

    /// Rows that became new works.
    public var added = 0

    /// Rows that told something new about works the library had.
    public var merged = 0

    /// Rows that tell what the library has, and nothing else.
    public var identical = 0

    /// Rows that told nothing new and something else: the library kept what it had.
    public var differing = 0

    public var rejected: Int { rejects.count }

    /// Rows whose ISBN or identifier is that of another book in the library, as a warning says. They are among the others.
    public var conflicting = 0

    public var editionsAdded = 0
    public var authorsAdded = 0

    /// Of the rows in `merged`, `identical` and `differing`.
    public var evidence = MergeEvidence()

    public var rejects: [Reject] = []
    public var warnings: [Warning] = []
    public var differences: [Difference] = []
    public var warningCount = 0
    public var differenceCount = 0
    public var bytesRead = 0
    public var lastCommit: UInt64?
    public var isDryRun: Bool

    /// True when the import was cancelled. The rows counted here are in the library, whole, but for those that are rejected; the others are not,
    /// and importing the file again goes on from there.
    public var wasCancelled = false

    public var duration = Duration.zero

    private let headerLine: String
    /// What each column is about, whether something was taken from it or not.
    private let fields: [BookField?]

    static let listedCount = 10_000

    init(plan: RowPlan, isDryRun: Bool) {
        dialect = plan.dialect
        formatIsGuessed = plan.isGuessed
        encoding = plan.encoding
        hasAuthors = plan.hasColumn(.authors) || plan.hasColumn(.moreAuthors)
        var columns = plan.headers.map { Column(header: $0, field: nil) }
        for (index, field) in plan.columns { columns[index].field = field }
        self.columns = columns
        fields = columns.map(\.field)
        headerLine = plan.headerLine
        self.isDryRun = isDryRun
    }

    /// The rejected rows as a file like the one they came from, to correct and import again. Nil when there are none. It is UTF-8, whatever that was,
    /// and a mark at its beginning says so where that matters.
    public var rejectsFile: String? {
        guard !rejects.isEmpty else { return nil }
        let text = ([headerLine] + rejects.map(\.raw)).joined(separator: "\n") + "\n"
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : "\u{FEFF}" + text
    }

    mutating func add(
        rejects: [Reject], warnings: [Warning], differences: [Difference], leftOutCounts: [Int],
        takenColumns: Set<Int>
    ) {
        warningCount += warnings.count
        differenceCount += differences.count
        self.rejects += rejects
        self.warnings += warnings.prefix(Self.listedCount - self.warnings.count)
        self.differences += differences.prefix(Self.listedCount - self.differences.count)
        for (index, count) in leftOutCounts.enumerated() where count > 0 {
            columns[index].leftOutCount = count
            columns[index].field = takenColumns.contains(index) ? fields[index] : nil
        }
    }
}
