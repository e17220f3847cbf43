/// Lists of an order whose next component is a text.
extension OrderedRecords {
    /// The records whose next component begins with a typed text, as the order compares texts: by `.folded` without regard to capitals and
    /// accents, by `.filed` without a leading article of English, too, and a number is a whole one. All of the list, but for absent ones, for an
    /// empty text. Two descents.
    ///
    /// - Throws: `LibraryError.invalidArgument` when the list does not go on with a text.
    public func beginning(with text: String) throws(LibraryError) -> OrderedRecords {
        guard let stretch = try stretch else { return self }
        return with(try stretch.beginning(with: text, in: trees))
    }

    /// The sections of a list whose next component is `.filed`, in its order: A, B, C … as a strip of letters beside it shows them. Numbers and
    /// punctuation are `#`; absent texts are left out. Two descents a section.
    ///
    /// - Throws: `LibraryError.schemaMismatch` when the list does not go on with a text that is filed, `.invalidArgument` when it goes on with none.
    public func sections() throws(LibraryError) -> [(label: String, list: OrderedRecords)] {
        guard let stretch = try stretch else { return [] }
        return try stretch.sections(in: trees).map { ($0.label, with($0.stretch)) }
    }
}
