import StorageEngine

extension WorkSearch {
    /// The first matches, each as the value you make of its row; the first works in title order when nothing was typed.
    ///
    /// ```swift
    /// let cells = try search.rows(50) { row, isGuess in Cell(id: row.id, title: row.title, isGuess: isGuess) }
    /// ```
    ///
    /// A match is a guess when something typed was taken for a mistake (`SearchMatch.isGuess`).
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative limit.
    public func rows<Row>(
        _ limit: Int = 50, _ make: (borrowing WorkRow, _ isGuess: Bool) -> Row
    ) throws(LibraryError) -> [Row] {
        guard !isEmpty else { return try list.rows(offset: 0, limit: limit) { make($0, false) } }
        guard limit >= 0 else { throw .invalidArgument("A search gives zero or more works, not \(limit).") }
        guard limit > 0 else { return [] }
        var unreadable: BookDB.ID<Work>?
        var stored = EntryCursor(version, in: LibraryTree.title)
        let rows: [Row] = try ranked(limit, tellsBands: false) { (found) throws(StorageError) in
            var result: Row?
            _ = try stored.lendValue(at: found.position) { number, row in
                let id = BookDB.ID<Work>(rawValue: number)
                if let texts = RowTexts(row) {
                    result = make(WorkRow(id, row, texts), found.band.isGuess)
                } else {
                    unreadable = id
                }
            }
            return result
        }
        if let unreadable { throw .damagedRow(unreadable) }
        return rows
    }
}
