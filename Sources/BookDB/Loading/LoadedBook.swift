import Filing
import StorageEngine

/// A work with all that belongs to it, found valid, on its way into a load: what the trees will hold of it.
///
/// A class, because it goes from hand to hand: to copy a work with its editions counts some forty references.
final class LoadedBook: @unchecked Sendable {
    // Safe to share because it is filled on the load's thread, and from then on only read.

    let work: Work
    let record: [UInt8]
    /// Those of the work, in its order.
    let authors: [Author]
    private(set) var editions: [LoadedEdition] = []
    private(set) var entry: (entry: UserLibraryEntry, record: [UInt8])?

    init(work: Work, record: [UInt8], authors: [Author]) {
        self.work = work
        self.record = record
        self.authors = authors
    }

    func add(_ edition: LoadedEdition) { editions.append(edition) }

    func set(_ entry: UserLibraryEntry, _ record: [UInt8]) { self.entry = (entry, record) }

    func put(into collector: EntryCollector, filing: FilingTailoring) throws(StorageError) {
        try collector.put(record, forKey: BookKey.work(work.id))
        try put(work.description, .description, into: collector)
        for edition in editions { try edition.put(into: collector) }
        if let (entry, record) = entry {
            try collector.put(record, forKey: BookKey.entry(work.id))
            try put(entry.notes, .notes, into: collector)
            try put(entry.review, .review, into: collector)
        }
        try Derivation.forEachEntry(
            of: work, authors: authors, entry: entry?.entry, filing: filing, collector.put(_:forKey:facets:in:))
    }

    private func put(_ text: String?, _ kind: TextKind, into collector: EntryCollector) throws(StorageError) {
        guard let text else { return }
        try collector.put(Array(text.utf8), forKey: LibraryKey.text(work.id, kind), in: LibraryTree.texts)
    }
}

/// An edition on the way into a load.
final class LoadedEdition: Sendable {
    let edition: Edition
    let record: [UInt8]

    init(_ edition: Edition, _ record: [UInt8]) {
        self.edition = edition
        self.record = record
    }

    func put(into collector: EntryCollector) throws(StorageError) {
        try collector.put(record, forKey: BookKey.edition(edition.work, edition.id))
        try Derivation.forEachEntry(of: edition, collector.put(_:forKey:facets:in:))
    }
}

/// An author on the way into a load.
struct LoadedAuthor: Sendable {
    let author: Author
    let record: [UInt8]

    func put(into collector: EntryCollector) throws(StorageError) {
        try collector.put(record, forKey: .bigEndian(author.id.rawValue), in: LibraryTree.authors)
        try Derivation.forEachEntry(of: author, collector.put(_:forKey:facets:in:))
    }
}

extension EntryCollector {
    fileprivate func put(_ record: [UInt8], forKey key: BookKey) throws(StorageError) {
        try put(record, forKey: key.bytes, facets: key.kind.facets, in: LibraryTree.books)
    }

    func put(_ entry: DerivedEntry) throws(StorageError) {
        try put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
    }
}
