/// What there is to know about one source of files, as data: how to tell its files and what its columns are about.
public struct Dialect: Sendable {
    /// What a source does to its data, and what is done about it.
    struct Habits: OptionSet, Sendable {
        let rawValue: UInt8

        /// Titles end in their series: `(Discworld, #2)`.
        static let seriesInTitle = Habits(rawValue: 1)
        /// ISBN-10s went through a spreadsheet and lost their leading zeros.
        static let lostZeros = Habits(rawValue: 2)
        /// The names in one cell are as shown, with commas between.
        static let listedAuthors = Habits(rawValue: 4)
        /// A program writes every field of every row, so a row with fewer has lost one and the rest have moved.
        static let wholeRows = Habits(rawValue: 8)
        /// A number without a series is that of a volume of the title.
        static let numberedTitles = Habits(rawValue: 16)
    }

    public let format: ImportFormat

    /// What a person calls it: `Goodreads CSV`.
    public let name: String

    /// A file with all of these columns is of this dialect.
    let signature: Set<HeaderName>

    /// What the columns are about. Columns not named here are left out.
    let columns: [HeaderName: BookField]

    /// The source that identifiers in the file belong to; nil when the file itself is.
    let source: String?

    let habits: Habits

    init(
        _ format: ImportFormat, name: String, signature: [String], columns: [String: BookField], source: String?,
        habits: Habits
    ) {
        self.format = format
        self.name = name
        self.signature = Set(signature.map { HeaderName($0) })
        self.columns = Dictionary(columns.map { (HeaderName($0.key), $0.value) }) { first, _ in first }
        self.source = source
        self.habits = habits
    }

    /// Every dialect, in the order in which they are tried. The last one fits any file.
    public static let all: [Dialect] = [.goodreads, .storyGraph, .goodbooks, .calibre, .mapped]

    static func of(_ format: ImportFormat) -> Dialect {
        switch format {
        case .goodreads: .goodreads
        case .storyGraph: .storyGraph
        case .goodbooks: .goodbooks
        case .calibre: .calibre
        case .csv: .mapped
        }
    }

    /// The dialect of a file with these columns, the table for any file if it is no other's.
    static func detect(_ headers: [HeaderName]) -> Dialect {
        let names = Set(headers)
        return all.first { !$0.signature.isEmpty && $0.signature.isSubset(of: names) } ?? .mapped
    }
}
