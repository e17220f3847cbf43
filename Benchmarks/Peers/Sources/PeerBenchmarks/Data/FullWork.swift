/// A work with everything that a detail view shows.
struct FullWork: Sendable {
    var work: WorkRecord
    /// In the order of `work.authors`.
    var authors: [AuthorRecord]
    /// In the order they were added.
    var editions: [EditionRecord]
    var entry: EntryRecord?
}
