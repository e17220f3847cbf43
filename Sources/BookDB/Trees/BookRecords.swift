import RecordStore
import StorageEngine

/// The records of a work that lie side by side, as far as they are there.
///
/// Not copyable, since a full work is some twenty references, which each copy would count.
struct BookRecords: ~Copyable {
    private(set) var work: Work?
    /// `work != nil` would copy the work.
    private(set) var hasWork = false
    private(set) var entry: UserLibraryEntry?
    private(set) var editions: [Edition] = []

    /// Which texts there are: they lie elsewhere.
    private var texts: UInt64 = 0

    mutating func take(_ bytes: RawSpan, _ key: BookKey) throws(RecordProblem) {
        switch key.kind {
        case .work:
            let decoded = try Work.decode(bytes, id: key.work)
            work = decoded.work
            hasWork = true
            texts |= decoded.texts & TextKind.description.flag
        case .entry:
            let decoded = try UserLibraryEntry.decode(bytes, work: key.work)
            entry = decoded.entry
            texts |= decoded.texts & ~TextKind.description.flag
        case .edition(let id):
            editions.append(try Edition.decode(bytes, id: id, work: key.work))
            // Keys are in the order of the identifiers, but for those of devices that are far apart.
            if editions.count > 1, id < editions[editions.count - 2].id { editions.sort { $0.id < $1.id } }
        }
    }

    /// Puts the texts into the work and the entry.
    mutating func readTexts(from trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) {
        if let id = work?.id {
            if texts & TextKind.description.flag != 0 { work?.description = try trees.text(.description, of: id) }
        }
        guard let id = entry?.work else { return }
        if texts & TextKind.notes.flag != 0 { entry?.notes = try trees.text(.notes, of: id) }
        if texts & TextKind.review.flag != 0 { entry?.review = try trees.text(.review, of: id) }
    }
}
