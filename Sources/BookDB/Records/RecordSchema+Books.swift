import RecordStore

/// What the tags of books mean: the tables of `Formats/LIBRARY.md`, which a test compares with these.
extension RecordSchema {
    static let all = [work, edition, author, entry, series, identifier]
}

extension RecordSchema.Kind {
    /// Which texts of a record are in the tree of texts.
    static let texts = RecordSchema.Kind.flags(TextKind.allCases.map { ($0.flag, $0.name) })
}
