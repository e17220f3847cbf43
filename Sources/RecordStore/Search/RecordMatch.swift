/// A record that a search found.
@dynamicMemberLookup public struct RecordMatch<Value: Record>: Identifiable, Sendable {
    /// Its fields, each read when it is asked for; also by their names, as in `match.note`.
    public let row: RecordRow<Value>
    let band: SearchBand

    /// Words typed that the record does not have, folded: none unless no record has them all.
    public let missingWords: [String]

    private let query: SearchQuery

    init(row: RecordRow<Value>, band: SearchBand, missingWords: [String] = [], query: SearchQuery) {
        self.row = row
        self.band = band
        self.missingWords = missingWords
        self.query = query
    }

    public var id: RecordStore.ID<Value> { row.id }

    /// Whether something typed was taken for a mistake: a typo, words run together, or a word that the record does not have.
    public var isGuess: Bool { band.isGuess }

    /// What the record has in a field.
    ///
    /// - Throws: `LibraryError.damaged` when it cannot be read.
    public subscript<Field: Decodable>(dynamicMember path: KeyPath<Value, Field> & Sendable) -> Field {
        get throws(LibraryError) { try row[dynamicMember: path] }
    }

    /// Where a text, such as `match.note`, holds the words typed: ranges in its order, none touching another.
    public func highlights(in text: String) -> [Range<String.Index>] {
        SearchHighlighter(query: query, edits: band.editCount).ranges(in: text)
    }
}

/// What a search of records found. See `Records.search`.
public struct RecordSearch<Value: Record>: Sendable {
    /// The best first, up to the limit.
    public let matches: [RecordMatch<Value>]

    /// How many records match, exactly.
    public let count: Int
}
