/// How a file is to be read, where that is not told by the file or told wrong.
public struct ImportOptions: Sendable {
    /// What the file is; found out from its header when nil.
    public var format: ImportFormat?

    /// What columns are about.
    public var mapping: [FieldMapping]

    /// Whose numbers a column mapped to `source-id` has: `library of my aunt`. Books are known again by them, so two lists that
    /// number their books from 1 need two names.
    public var source: String?

    /// Found out from the bytes when nil. A file that begins with the mark of UTF-8 is UTF-8, whatever is said here.
    public var encoding: TextEncoding?

    /// The order of day and month where that is not clear; found out from each column when nil.
    public var dates: DateOrder?

    public init(
        format: ImportFormat? = nil, mapping: [FieldMapping] = [], source: String? = nil, encoding: TextEncoding? = nil,
        dates: DateOrder? = nil
    ) {
        self.format = format
        self.mapping = mapping
        self.source = source
        self.encoding = encoding
        self.dates = dates
    }
}
