import StorageEngine

/// A row of a list: a handle on the stored row, decoded field by field when asked.
///
/// `id` is there without touching the row, so a list that asks for all identifiers reads no titles. Each other field is
/// read in place on access; in orders other than by title the first access also looks the row up, unless the item came
/// from a page or a loop, which have done so.
///
/// An item keeps its snapshot alive and never changes.
public struct WorkListItem: Identifiable, Sendable {
    public let id: BookDB.ID<Work>

    private let row: Row

    private enum Row: Sendable {
        case stored(Entry)
        case reference(WorkReference)
        case unreadable
    }

    /// A row of the tree `title`.
    init(row: Entry) throws(StorageError) {
        id = ID(rawValue: try row.trailingInteger)
        self.row = .stored(row)
    }

    init(_ reference: WorkReference) throws(StorageError) {
        id = try reference.id
        row = .reference(reference)
    }

    /// Stands for a row that cannot be read. Its identifier names no work; it is different for each position.
    init(unreadableAt position: Int) {
        id = ID(device: IDLayout.placeholderDevice, counter: UInt64(position))
        row = .unreadable
    }

    private init(unreadable id: BookDB.ID<Work>) {
        self.id = id
        row = .unreadable
    }

    /// The same item with its row looked up.
    func resolved() throws(StorageError) -> WorkListItem {
        guard case .reference(let reference) = row else { return self }
        guard let entry = try reference.row() else { return WorkListItem(unreadable: id) }
        return try WorkListItem(row: entry)
    }
}

extension WorkListItem {
    /// At most 400 bytes, with an ellipsis where it is cut; `Work.title` is the whole.
    public var title: String { read(or: "", StoredRow.shownTitle) }

    /// The authors' names, one comma apart; at most 200 bytes.
    public var authors: String { read(or: "", StoredRow.shownAuthors) }

    /// `nil` also when it is longer than 400 bytes; `Work.coverURL` has it then.
    public var coverURL: String? { read(or: nil, StoredRow.coverURL) }

    /// The year of first publication.
    public var year: Int? { read(or: nil, StoredRow.year) }

    /// The language of the title.
    public var language: LanguageCode? { read(or: nil, StoredRow.language) }

    public var dateFinished: Day? { read(or: nil, StoredRow.dateFinished) }

    public var status: ReadingStatus { read(or: .none, StoredRow.status) }

    public var rating: Rating? { read(or: nil, StoredRow.rating) }

    public var reviewStatus: ReviewStatus { read(or: .unreviewed, StoredRow.reviewStatus) }

    public var isOwned: Bool { read(or: false, StoredRow.isOwned) }

    /// Whether the stored row could be read. When the bytes are damaged every field is empty; the list goes on.
    public var isReadable: Bool { read(or: false) { _ in true } }

    /// The stored row and its entry in the tree by title; `nil` when it cannot be read.
    func withRow<Result>(_ body: (RawSpan, RowTexts, Entry) -> Result) -> Result? {
        switch row {
        case .stored(let entry):
            let result = try? entry.withValue { bytes in
                RowTexts(bytes).map { body(bytes, $0, entry) }
            }
            return result ?? nil
        case .reference:
            guard let item = try? resolved(), case .stored = item.row else { return nil }
            return item.withRow(body)
        case .unreadable: return nil
        }
    }

    private func read<Field>(or none: Field, _ field: (RawSpan) -> Field) -> Field {
        withRow { row, _, _ in field(row) } ?? none
    }

    private func read<Field>(or none: Field, _ field: (RawSpan, RowTexts) -> Field) -> Field {
        withRow { row, texts, _ in field(row, texts) } ?? none
    }
}

extension WorkListItem: Equatable {
    /// Whether both show the same of the same work, from whichever snapshots.
    public static func == (left: WorkListItem, right: WorkListItem) -> Bool {
        left.id == right.id && left.title == right.title && left.authors == right.authors
            && left.coverURL == right.coverURL && left.year == right.year && left.status == right.status
            && left.rating == right.rating && left.reviewStatus == right.reviewStatus
            && left.language == right.language && left.dateFinished == right.dateFinished
            && left.isOwned == right.isOwned && left.isReadable == right.isReadable
    }
}

/// A work's entry in a tree whose keys end in the key of the row.
struct WorkReference: Sendable {
    let entry: Entry
    let index: WorkIndex

    var id: BookDB.ID<Work> {
        get throws(StorageError) { ID(rawValue: try entry.trailingInteger) }
    }

    /// In `title` the entry itself; `nil` when there is no such row, which `verify` reports.
    func row() throws(StorageError) -> Entry? {
        guard let lead = index.lead else { return entry }
        return try entry.homeEntry(behind: lead, in: LibraryTree.title)
    }
}
