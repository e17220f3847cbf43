import StorageEngine

/// A record of a kind that a search found, for who has not got its type.
public struct StoredMatch: Sendable {
    public let record: StoredRecord

    /// `exactTitle`, `titleBeginning`, `wordBeginnings`, `substring`, and of guesses `joinedWords`, `typo`, `twoTypos`, `someWords`.
    public let band: String

    /// Whether something typed was taken for a mistake.
    public let isGuess: Bool

    /// Words typed that the record does not have, folded: none unless no record has them all.
    public let missingWords: [String]

    private let highlighter: SearchHighlighter

    fileprivate init(_ record: StoredRecord, _ place: SearchBandPlace, _ query: SearchQuery) {
        self.record = record
        band = "\(place.band)"
        isGuess = place.band.isGuess
        missingWords = query.words(place.missing)
        highlighter = SearchHighlighter(query: query, edits: place.band.editCount)
    }

    /// Where a text, such as that of a field, holds the words typed: ranges in its order, none touching another.
    public func highlights(in text: String) -> [Range<String.Index>] { highlighter.ranges(in: text) }
}

extension StoredKind {
    /// The fields that a search can look through: texts, addresses and lists of them, by number.
    public var searchedFields: [String] { fields.indices.filter { isSearched($0) }.map { fields[$0].name } }

    private func isSearched(_ index: Int) -> Bool {
        guard described.fields[index].number != nil else { return false }
        switch described.fields[index].type {
        case .text, .url, .list(of: .text), .list(of: .url): return true
        default: return false
        }
    }

    /// - Throws: `LibraryError.invalidArgument` for a field that has no text.
    fileprivate func searched(_ names: [String]) throws(LibraryError) -> [SearchedField] {
        try names.map { (name) throws(LibraryError) in
            guard let index = fields.firstIndex(where: { $0.name == name }), isSearched(index),
                let number = described.fields[index].number
            else {
                let known = searchedFields.joined(separator: ", ")
                throw .invalidArgument(
                    "\(self.name) has no text “\(name)” to search; "
                        + (known.isEmpty ? "none of its fields is a text." : "its texts are \(known)."))
            }
            let isList = if case .list = described.fields[index].type { true } else { false }
            return SearchedField(FieldNumber.tag(number), isList: isList)
        }
    }
}

extension Snapshot {
    /// The records of a kind that have what was typed in some fields, the best first: `Records.search` by the names of the fields. The first
    /// counts as the title.
    ///
    /// - Parameter fields: all texts of the kind, when there are none.
    /// - Returns: the best, and how many there are in all.
    /// - Throws: `LibraryError.invalidArgument` for a field that has no text; `.cancelled` when the task is.
    public func search(
        _ text: String, in kind: StoredKind, fields: [String] = [], limit: Int = 50, matching: WordMatching = .anywhere
    ) throws(LibraryError) -> (matches: [StoredMatch], count: Int) {
        let query = SearchQuery(text, matching, isForgiving: true)
        let searched = try kind.searched(fields.isEmpty ? kind.searchedFields : fields)
        guard !searched.isEmpty else {
            throw .invalidArgument("None of the fields of \(kind.name) is a text, so there is nothing to search.")
        }
        let schema = KindSchema(kind.name, orders: [], sums: [], objection: nil)
        let run = RecordSearchRun(query, in: searched)
        let found = try run.found(limit) { (body) throws(LibraryError) in
            try schema.scan(schema.positions(in: version), in: version, body)
        }
        var matches: [StoredMatch] = []
        for (row, place) in found.first() {
            matches.append(StoredMatch(try StoredRecord(kind, row.id, row.bytes), place, query))
        }
        return (matches, found.count)
    }
}
