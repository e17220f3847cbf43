import RecordStore
import StorageEngine

extension LoggedKind {
    /// Works, editions, authors and entries. A text that changes is a change of its work or its entry.
    static let ofBooks: [LoggedKind] = [
        LoggedKind(
            "work", plural: "works", in: [LibraryTree.books, LibraryTree.texts],
            record: { tree, key in record(tree, key, .work) { $0 == .description } },
            find: { (version, id) throws(LibraryError) in try version.recordBytes(.work(ID(rawValue: id))) },
            excerpt: workExcerpt),
        LoggedKind(
            "edition", plural: "editions", in: [LibraryTree.books],
            record: { _, key in BookKey(key)?.edition.map { ($0.rawValue, false) } },
            find: { (version, id) throws(LibraryError) in
                guard let home = try version.home(of: ID(rawValue: id)) else { return nil }
                return try version.recordBytes(.edition(home, ID(rawValue: id)))
            }, excerpt: editionExcerpt),
        LoggedKind("author", plural: "authors", in: LibraryTree.authors, excerpt: authorExcerpt),
        LoggedKind(
            "entry", plural: "entries", in: [LibraryTree.books, LibraryTree.texts],
            record: { tree, key in record(tree, key, .entry) { $0 != .description } },
            find: { (version, id) throws(LibraryError) in try version.recordBytes(.entry(ID(rawValue: id))) },
            excerpt: entryExcerpt),
    ]

    /// The record of a work or an entry, by the work, or that of a text.
    private static func record(
        _ tree: TreeNumber, _ key: [UInt8], _ kind: BookKey.Kind, has text: (TextKind) -> Bool
    ) -> (id: UInt64, isPart: Bool)? {
        if tree == LibraryTree.books {
            guard let key = BookKey(key), key.kind == kind else { return nil }
            return (key.work.rawValue, false)
        }
        guard key.count == 9, let kind = TextKind(rawValue: key[8]), text(kind) else { return nil }
        return (key.number(at: 0), true)
    }

    @Sendable private static func workExcerpt(_ bytes: [UInt8]) -> String {
        let work = DumpedBytes(bytes).withSpan { try? Work.decode($0, id: .unassigned).work }
        guard let work else { return "" }
        return work.title + (work.firstPublicationYear.map { ", \($0)" } ?? "")
    }

    @Sendable private static func editionExcerpt(_ bytes: [UInt8]) -> String {
        let edition = DumpedBytes(bytes).withSpan { try? Edition.decode($0, id: .unassigned, work: .unassigned) }
        guard let edition else { return "" }
        var facts = edition.isbns.map { "ISBN \($0)" }
        facts += [edition.title, edition.publisher, edition.format].compactMap { $0 }
        return facts.joined(separator: ", ")
    }

    @Sendable private static func authorExcerpt(_ bytes: [UInt8]) -> String {
        DumpedBytes(bytes).withSpan { try? Author.decode($0, id: .unassigned).name } ?? ""
    }

    @Sendable private static func entryExcerpt(_ bytes: [UInt8]) -> String {
        let entry = DumpedBytes(bytes).withSpan { try? UserLibraryEntry.decode($0, work: .unassigned).entry }
        guard let entry else { return "" }
        var facts = entry.status == .none ? [] : [entry.status.name]
        if let rating = entry.rating { facts.append("\(rating) stars") }
        if let finished = entry.dateFinished { facts.append("finished \(finished)") }
        if entry.isOwned { facts.append("owned") }
        return (facts + entry.tags).joined(separator: ", ")
    }
}
