/// Says which field a column is about.
public struct FieldMapping: Hashable, Sendable {
    /// The name of the column, in any case.
    public let header: String

    /// Nil to leave the column out, also when it would have been recognised.
    public let field: BookField?

    public init(header: String, field: BookField?) {
        self.header = header
        self.field = field
    }

    /// Reads `Titel=title`; the column's name may hold an equals sign, and `Titel=` leaves the column out.
    ///
    /// - Throws: `ImportError.unknownField` when there is no such field, `ImportError.invalidMapping` without a name.
    public init(parsing text: String) throws(ImportError) {
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex else { throw .invalidMapping(text) }
        let name = text[text.index(after: equals)...].trimmingBlanks().lowercased()
        header = String(text[..<equals].trimmingBlanks())
        field = BookField(rawValue: name) ?? Self.otherNames[name]
        guard field != nil || name.isEmpty else { throw .unknownField(name) }
    }

    /// What people write for a field besides its name.
    private static let otherNames: [String: BookField] = [
        "author": .authors, "tag": .tags, "shelves": .tags, "note": .notes, "isbn13": .isbn, "isbn-13": .isbn,
        "year-published": .year, "cover-url": .cover,
    ]
}
