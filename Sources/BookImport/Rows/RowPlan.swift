/// How the rows of one file are to be read: its dialect, and which column is which field.
struct RowPlan: Sendable {
    let dialect: Dialect

    /// False when the caller named the format.
    let isGuessed: Bool

    /// The columns as the file names them.
    let headers: [String]

    /// The first line of the file as it stands, to give back rejected rows under.
    let headerLine: String

    /// The position and the field of every column in use.
    let columns: [(index: Int, field: BookField)]

    /// How many columns there are up to the last with a name; spreadsheets like to add nameless ones.
    let namedCount: Int

    /// What identifiers of the file belong to; `nil` when nobody has said.
    let source: String?

    /// Whether the source is one that everybody knows, whose numbers are never given to another book.
    let isKnownSource: Bool

    let encoding: TextEncoding

    /// The columns that the caller mapped.
    let namedColumns: Set<Int>

    // What the rows of the file show together (`FileSurvey`).

    /// By column, the order of day and month where a day leaves it open.
    var dates: [Int: DateOrder] = [:]
    /// The same of days with points, `03.04.2020`, which are written with the day first unless the column itself says otherwise.
    var pointDates: [Int: DateOrder] = [:]
    /// Columns whose names are inverted: `Le Fanu, Joseph Sheridan`.
    var invertedColumns: Set<Int> = []
    /// Hashes of identifiers that stand on more than one row.
    var repeatedIdentifiers: Set<Int> = []

    func hasColumn(_ field: BookField) -> Bool { columns.contains { $0.field == field } }

    /// The positions of columns that are about one field, of which a row has the value of one.
    let sharedColumns: [BookField: [Int]]

    /// The positions of columns that are not imported.
    var ignoredColumns: [Int] {
        let used = Set(columns.map(\.index))
        return headers.indices.filter { !used.contains($0) }
    }

    /// Decides from the first record of a file.
    ///
    /// - Throws: `ImportError.unknownFormat` when no column holds titles, `ImportError.noSuchColumn` for a mapping of
    ///   a column the file does not have.
    init(
        header: CSVRecord, name: String, options: ImportOptions = ImportOptions(), encoding: TextEncoding = .utf8
    ) throws(ImportError) {
        let headers = (0..<header.count).map { CleanText.line(header.text(at: $0)) ?? "" }
        let names = headers.map { HeaderName($0) }
        let dialect = options.format.map { Dialect.of($0) } ?? Dialect.detect(names)
        var fields = names.map { dialect.columns[$0] }
        var namedColumns: Set<Int> = []
        for entry in options.mapping {
            let wanted = HeaderName(entry.header)
            let exact = headers.firstIndex(of: entry.header)
            guard let index = exact ?? names.firstIndex(of: wanted) else {
                throw .noSuchColumn(entry.header, headers: headers.filter { !$0.isEmpty })
            }
            fields[index] = entry.field
            namedColumns.insert(index)
        }
        guard fields.contains(.title) else {
            throw .unknownFormat(name: name, headers: headers.filter { !$0.isEmpty })
        }
        self.dialect = dialect
        self.headers = headers
        self.encoding = encoding
        self.namedColumns = namedColumns
        isGuessed = options.format == nil
        headerLine = header.raw
        columns = fields.enumerated().compactMap { index, field in field.map { (index, $0) } }
        sharedColumns = Dictionary(grouping: columns, by: \.field).mapValues { $0.map(\.index) }.filter {
            $0.value.count > 1 && !$0.key.joinsColumns
        }
        namedCount = (headers.lastIndex { !$0.isEmpty } ?? -1) + 1
        source = options.source?.lowercased() ?? dialect.source
        isKnownSource = options.source == nil && dialect.source != nil
    }
}
