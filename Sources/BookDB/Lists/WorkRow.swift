import StorageEngine

/// A row of a list, read in place: lent by `WorkItems.rows` to the closure that makes your own value of it.
///
/// A field is decoded when it is read, so a page costs what is used of it. A row cannot be copied, and so not be kept.
@safe public struct WorkRow: ~Copyable {
    public let id: BookDB.ID<Work>

    // Safe because the row is lent for one call, during which the version that holds the bytes is alive.
    private let bytes: UnsafeRawBufferPointer
    private let texts: RowTexts

    /// - Precondition: the row outlives this, and the texts are its.
    init(_ id: BookDB.ID<Work>, _ row: RawSpan, _ texts: RowTexts) {
        self.id = id
        self.texts = texts
        unsafe bytes = row.withUnsafeBytes { unsafe $0 }
    }

    private func read<Field>(_ field: (RawSpan) -> Field) -> Field { field(unsafe bytes.bytes) }

    private func read<Field>(_ field: (RawSpan, RowTexts) -> Field) -> Field { field(unsafe bytes.bytes, texts) }
}

extension WorkRow {
    /// At most 400 bytes, with an ellipsis where it is cut; `Work.title` is the whole.
    public var title: String { read(StoredRow.shownTitle) }

    /// The authors' names, one comma apart; at most 200 bytes.
    public var authors: String { read(StoredRow.shownAuthors) }

    /// `nil` also when it is longer than 400 bytes; `Work.coverURL` has it then.
    public var coverURL: String? { read(StoredRow.coverURL) }

    /// The year of first publication.
    public var year: Int? { read(StoredRow.year) }

    /// The language of the title.
    public var language: LanguageCode? { read(StoredRow.language) }

    public var dateFinished: Day? { read(StoredRow.dateFinished) }

    public var status: ReadingStatus { read(StoredRow.status) }

    public var rating: Rating? { read(StoredRow.rating) }

    public var reviewStatus: ReviewStatus { read(StoredRow.reviewStatus) }

    public var isOwned: Bool { read(StoredRow.isOwned) }
}

extension WorkItems {
    /// Some rows by position, each as the value you make of it; less than `limit` at the end of the list. O(log n + limit).
    ///
    /// ```swift
    /// let cells = try list.rows(offset: 0, limit: 50) { row in Cell(id: row.id, title: row.title) }
    /// ```
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    @inlinable
    public func rows<Row>(
        offset: Int, limit: Int, _ make: (borrowing WorkRow) -> Row
    ) throws(LibraryError) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(Swift.min(Swift.max(limit, 0), count))
        try forEachRow(offset: offset, limit: limit) { rows.append(make($0)) }
        return rows
    }

    /// The rows after a cursor, or the first ones without, each as the value you make of it, and the cursor that leads on from them;
    /// `nil` from the last. O(log n + limit). See `page(after:limit:)`.
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a cursor of another list or a negative
    ///   limit.
    @inlinable
    public func rows<Row>(
        after cursor: WorkCursor?, limit: Int, _ make: (borrowing WorkRow) -> Row
    ) throws(LibraryError) -> (rows: [Row], next: WorkCursor?) {
        var rows: [Row] = []
        rows.reserveCapacity(Swift.min(Swift.max(limit, 0), count))
        let next = try forEachRow(after: cursor, limit: limit) { rows.append(make($0)) }
        return (rows, next)
    }

    @usableFromInline
    func forEachRow(
        after cursor: WorkCursor?, limit: Int, _ body: (borrowing WorkRow) -> Void
    ) throws(LibraryError) -> WorkCursor? {
        let indices = try indices(after: cursor, limit: limit)
        try forEachRow(indices, body)
        return try translatingErrors { try self.cursor(behind: indices, after: cursor, limit: limit) }
    }

    @usableFromInline
    func forEachRow(offset: Int, limit: Int, _ body: (borrowing WorkRow) -> Void) throws(LibraryError) {
        try forEachRow(try indices(offset: offset, limit: limit), body)
    }

    /// Lends the rows of a page one after the other.
    private func forEachRow(_ indices: Range<Int>, _ body: (borrowing WorkRow) -> Void) throws(LibraryError) {
        var unreadable: BookDB.ID<Work>?
        try translatingErrors {
            try forEachStoredRow(indices) { id, row in
                guard let texts = RowTexts(row) else {
                    unreadable = id
                    return false
                }
                body(WorkRow(id, row, texts))
                return true
            }
        }
        if let unreadable { throw .damagedRow(unreadable) }
    }

    private func forEachStoredRow(
        _ indices: Range<Int>, _ body: (BookDB.ID<Work>, RawSpan) -> Bool
    ) throws(StorageError) {
        guard range.index != WorkOrder.title.index || range.reversedCount > 0 else {
            let start = range.positions.lowerBound
            return try version.forEachValue(
                in: range.index.tree, facet: range.facet,
                positions: start + indices.lowerBound..<start + indices.upperBound
            ) { id, row in body(ID(rawValue: id), row) }
        }
        for entry in try range.entries(indices, in: version) {
            let id = BookDB.ID<Work>(rawValue: try entry.trailingInteger)
            guard let row = try WorkReference(entry: entry, index: range.index).row() else {
                throw .damaged(Damage(file: "the list", byteOffset: 0, finding: "the row of work \(id) is missing"))
            }
            guard try row.withValue({ body(id, $0) }) else { return }
        }
    }
}

extension LibraryError {
    static func damagedRow(_ id: BookDB.ID<Work>) -> LibraryError {
        .damagedRecord("the row of work \(id)", "its lengths do not fit it")
    }
}
