import Filing
import StorageEngine

/// An entry of a derived tree.
struct DerivedEntry {
    let tree: TreeNumber
    let key: [UInt8]
    var facets: FacetSet = []
    var value: [UInt8] = []
}

/// Makes the entries of derived trees from the records, some records at a time: memory does not grow with the library.
///
/// Names that a work has and the library does not (an author who is not there) are left out, as `BookVerifier` does.
struct Derivation {
    let trees: Set<TreeNumber>
    private let filing: FilingTailoring
    private var sources: [RecordSource]
    private var last: [UInt8]?
    /// Most works of a library share their author with another.
    private var knownAuthors: [ID<Author>: Author] = [:]

    private static let recordCount = 256
    private static let knownAuthorCount = 1 << 14

    /// The last key that is taken in; `nil` for all.
    private var end: [UInt8]?

    init(_ trees: some Sequence<DerivedTree>, filing: FilingTailoring) {
        self.filing = filing
        self.trees = Set(trees.map(\.number))
        sources = RecordSource.allCases.filter { source in trees.contains { $0.source == source } }
    }

    /// The same of some of the works alone: those behind the key `start`, up to the key `end`.
    init(
        worksIn trees: some Sequence<DerivedTree>, filing: FilingTailoring, after start: [UInt8]?, through end: [UInt8]?
    ) {
        self.init(trees, filing: filing)
        assert(sources == [.works], "the trees are made of works")
        (last, self.end) = (start, end)
    }

    /// What the next records make; `nil` behind the last one.
    mutating func next(
        from records: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [DerivedEntry]? {
        while let source = sources.first {
            var keys = try records.keys(of: source.tree, after: last, limit: Self.recordCount)
            if let end { keys.removeAll { end.lexicographicallyPrecedes($0) } }
            guard let end = keys.last else {
                sources.removeFirst()
                last = nil
                continue
            }
            last = end
            var entries: [DerivedEntry] = []
            let trees = trees
            for key in keys where source.has(key) {
                try forEachEntry(of: source, key, records) { value, key, facets, tree in
                    guard trees.contains(tree) else { return }
                    entries.append(
                        DerivedEntry(
                            tree: tree, key: key.copyBytes(0..<key.byteCount), facets: facets,
                            value: value.copyBytes(0..<value.byteCount)))
                }
            }
            return entries
        }
        return nil
    }

    private mutating func forEachEntry(
        of source: RecordSource, _ key: [UInt8], _ records: borrowing some TreeReadable & ~Copyable,
        _ body: Body<Never>
    ) throws(LibraryError) {
        switch source {
        case .authors:
            if let author = try records.author(ID(rawValue: key.number(at: 0))) {
                Self.forEachEntry(of: author, body)
            }
        case .works:
            let id = ID<Work>(rawValue: key.number(at: 0))
            guard let work = try records.workRecord(id)?.work else { return }
            var authors: [Author] = []
            for id in work.authors {
                if let author = try author(id, records) { authors.append(author) }
            }
            let entry = try records.entryRecord(of: id)?.entry
            Self.forEachEntry(of: work, authors: authors, entry: entry, filing: filing, body)
        case .editions:
            guard let key = BookKey(key) else { return }
            if let edition = try records.editionRecord(key) { Self.forEachEntry(of: edition, body) }
        }
    }

    private mutating func author(
        _ id: ID<Author>, _ records: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Author? {
        if let author = knownAuthors[id] { return author }
        guard let author = try records.author(id) else { return nil }
        if knownAuthors.count == Self.knownAuthorCount { knownAuthors.removeAll(keepingCapacity: true) }
        knownAuthors[id] = author
        return author
    }

    // MARK: What one record makes

    static func forEachEntry<Failure>(of author: Author, _ body: Body<Failure>) throws(Failure) {
        try lend(LibraryKey.authorName(author.name, author.id), of: LibraryTree.authorNames, to: body)
    }

    static func forEachEntry<Failure>(
        of work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring,
        _ body: Body<Failure>
    ) throws(Failure) {
        let listed = ListedWork(work, authors: authors, entry: entry, filing: filing)
        let facets = listed.row.facets
        for key in listed.keys.all {
            try listed.withEntry(of: key) { (bytes, value) throws(Failure) in
                try body(value, bytes, facets, key.index.tree)
            }
        }
        for key in LibraryKey.matches(of: work, authors: authors) {
            try lend(key, of: LibraryTree.matchKeys, to: body)
        }
    }

    static func forEachEntry<Failure>(
        of edition: Edition, _ body: Body<Failure>
    ) throws(Failure) {
        try lend(
            .bigEndian(edition.id.rawValue), .bigEndian(edition.work.rawValue), of: LibraryTree.editionHomes, to: body)
        for key in edition.isbnKeys { try lend(key, of: LibraryTree.isbns, to: body) }
        for key in edition.sourceKeys { try lend(key, of: LibraryTree.sources, to: body) }
    }

    /// Takes an entry, whose bytes are there for as long as the call, as `EntryCollector.put` does.
    typealias Body<Failure: Error> =
        (_ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, _ tree: TreeNumber) throws(Failure) -> Void

    private static func lend<Failure>(
        _ key: [UInt8], _ value: [UInt8] = [], of tree: TreeNumber, to body: Body<Failure>
    ) throws(Failure) {
        try key.withBytes { (key) throws(Failure) in
            try value.withBytes { (value) throws(Failure) in try body(value, key, [], tree) }
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The first keys of a tree behind `key`.
    func keys(of tree: TreeNumber, after key: [UInt8]?, limit: Int) throws(LibraryError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try translatingErrors {
            try scan(tree, after: key) { key, _ in
                keys.append(key.copyBytes(0..<key.byteCount))
                return keys.count < limit
            }
        }
        return keys
    }
}
