/// How the rows of one file are to be read: its dialect, and which column is which field.
public struct RowPlan: Sendable {
    public let dialect: Dialect

    /// False when the caller named the format.
    public let isGuessed: Bool

    /// The columns as the file names them.
    public let headers: [String]

    /// The first line of the file as it stands, to give back rejected rows under.
    let headerLine: String

    /// The position and the field of every column in use.
    let columns: [(index: Int, field: BookField)]

    /// How many columns there are up to the last with a name; spreadsheets like to add nameless ones.
    let namedCount: Int

    /// What identifiers of the file belong to.
    let source: String

    /// Columns that are not imported, by name.
    public var ignoredHeaders: [String] {
        headers.indices.filter { index in !columns.contains { $0.index == index } }
            .map { headers[$0] }.filter { !$0.isEmpty }
    }

    /// Decides from the first record of a file.
    ///
    /// - Throws: `ImportError.unknownFormat` when no column holds titles, `ImportError.noSuchColumn` for a mapping of
    ///   a column the file does not have.
    init(
        header: CSVRecord, name: String, format: ImportFormat?, mapping: [FieldMapping]
    ) throws(ImportError) {
        let headers = (0..<header.count).map { CleanText.line(header.text(at: $0)) ?? "" }
        let names = headers.map { HeaderName($0) }
        let dialect = format.map { Dialect.of($0) } ?? Dialect.detect(names)
        var fields = names.map { dialect.columns[$0] }
        for entry in mapping {
            let wanted = HeaderName(entry.header)
            let exact = headers.firstIndex(of: entry.header)
            guard let index = exact ?? names.firstIndex(of: wanted) else {
                throw .noSuchColumn(entry.header, headers: headers.filter { !$0.isEmpty })
            }
            fields[index] = entry.field
        }
        guard fields.contains(.title) else {
            throw .unknownFormat(name: name, headers: headers.filter { !$0.isEmpty })
        }
        self.dialect = dialect
        self.headers = headers
        isGuessed = format == nil
        headerLine = header.raw
        columns = fields.enumerated().compactMap { index, field in field.map { (index, $0) } }
        namedCount = (headers.lastIndex { !$0.isEmpty } ?? -1) + 1
        source = dialect.source ?? Self.source(ofFile: name)
    }

    /// The file's name without directory and ending: a file's own numbers are known again under it.
    private static func source(ofFile name: String) -> String {
        let file = name.split(separator: "/").last ?? "csv"
        let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        return stem.isEmpty ? "csv" : stem.lowercased()
    }
}
