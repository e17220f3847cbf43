import RecordStore
import StorageEngine

/// Works, editions, authors and entries, for a comparison of two libraries. A text is part of the work or entry that it belongs to.
extension ComparedKind {
    static let ofBooks: [ComparedKind] = [
        ComparedKind(
            .authors,
            line: { (snapshot, id) throws(LibraryError) in try snapshot.version.author(ID(rawValue: id))?.jsonLine()
            },
            label: { (snapshot, id) throws(LibraryError) in try snapshot.version.author(ID(rawValue: id))?.name }),
        ComparedKind(
            .works, parts: Self.texts([.description]),
            line: { (snapshot, id) throws(LibraryError) in try snapshot.version.work(ID(rawValue: id))?.jsonLine()
            },
            label: Self.title),
        ComparedKind(
            .editions, home: editionHome,
            line: { (snapshot, id) throws(LibraryError) in
                try snapshot.version.edition(ID(rawValue: id))?.jsonLine()
            },
            label: { (snapshot, id) throws(LibraryError) in
                guard let work = try snapshot.version.home(of: ID(rawValue: id)) else { return nil }
                return try Self.title(snapshot, work.rawValue)
            }),
        ComparedKind(
            .entries, parts: Self.texts([.notes, .review]),
            line: { (snapshot, id) throws(LibraryError) in
                try snapshot.version.entry(of: ID(rawValue: id))?.jsonLine()
            },
            label: Self.title),
    ]

    private static let editionHome = Home(LibraryTree.books, BookKey.Kind.editionFacet) { key in
        BookKey(key)?.edition?.rawValue
    }

    private static func texts(_ kinds: [TextKind]) -> (tree: TreeNumber, kinds: Set<UInt8>) {
        (LibraryTree.texts, Set(kinds.map(\.rawValue)))
    }

    private static func title(_ snapshot: Snapshot, _ id: UInt64) throws(LibraryError) -> String? {
        try snapshot.version.workRecord(ID(rawValue: id))?.work.title
    }
}
