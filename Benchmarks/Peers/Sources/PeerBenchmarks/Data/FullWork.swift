/// A work with everything that a detail view shows.
struct FullWork: Sendable {
    var work: WorkRecord
    /// In the order of `work.authors`.
    var authors: [AuthorRecord]
    /// In the order they were added.
    var editions: [EditionRecord]
    var entry: EntryRecord?

    /// The highest of all its numbers.
    var highestNumber: Int64 { (authors.map(\.id) + editions.map(\.id)).reduce(work.id, max) }
}

extension FullWork: Packed {
    init(from bytes: inout Unpacker) {
        work = WorkRecord(from: &bytes)
        authors = bytes.list()
        editions = bytes.list()
        entry = bytes.list { EntryRecord(from: &$0) }.first
    }

    func pack(into packer: inout Packer) {
        packer.add(work)
        packer.add(authors)
        packer.add(editions)
        packer.add(entry.map { [$0] } ?? [])
    }
}
