import Filing
import RecordStore
import StorageEngine

/// Compares everything that follows from books with what it is derived from, in both directions.
///
/// One pass over the records makes every key, row and facet anew and looks for it; then each tree is counted: when all
/// that is expected is there and the tree holds no more than that, the two are equal. Only a tree with too many entries
/// is walked to name the strays. Reads one snapshot, so the library may be written to meanwhile.
///
/// Cost: every record is decoded once and every derived key looked up once, O(n log n); memory does not grow with the
/// library.
struct BookVerifier: SnapshotVerifier {
    package let version: Version
    package let contents = LibraryContents.books
    /// Where the meta tree cannot be read, that is a finding of another check.
    let filing: FilingTailoring
    /// Keys that other rules made are no damage, and are made anew at the next opening: they are counted, not compared.
    let isFiledAsNow: Bool
    package var known: KnownDamage
    var records = CheckBuilder("records")
    var references = CheckBuilder("references")
    var rows = CheckBuilder("list rows")
    var orders = CheckBuilder("orders")
    var facets = CheckBuilder("counts")
    var indexes = CheckBuilder("indexes")
    var texts = CheckBuilder("texts")

    /// What the records say each derived tree holds.
    var expectedCounts: [TreeNumber: Int] = [:]
    var expectedFacets: [Facet: Int] = [:]

    private init(_ snapshot: Snapshot, _ known: KnownDamage) {
        version = snapshot.version
        let meta = try? LibraryMeta(version)
        filing = meta?.filing ?? .standard
        isFiledAsNow = meta?.isFiledAsNow ?? true
        self.known = known
    }

    static func verify(_ snapshot: Snapshot, _ known: inout KnownDamage) -> [LibraryVerification.Check] {
        var verifier = BookVerifier(snapshot, known)
        verifier.verifyAuthors()
        verifier.verifyBooks()
        // What was not looked at is missing from the counts.
        if !Task.isCancelled { verifier.verifyCounts() }
        known = verifier.known
        return [
            verifier.records, verifier.references, verifier.rows, verifier.orders, verifier.facets, verifier.indexes,
            verifier.texts,
        ].map(\.check)
    }
}

// MARK: - From records to what is derived

extension BookVerifier {
    private mutating func verifyAuthors() {
        forEachKey(of: LibraryTree.authors, \.records, byteCount: 8) { (verifier, key) throws(LibraryError) in
            let id = ID<Author>(rawValue: key.number(at: 0))
            guard let author = try verifier.version.author(id) else { return }
            try verifier.compareRecord(author.encodedRecord(), key, LibraryTree.authors, author.name)
            verifier.expect(LibraryKey.authorName(author.name, id), in: LibraryTree.authorNames, author.name)
        }
    }

    private mutating func verifyBooks() {
        forEachKey(of: LibraryTree.books, \.records) { (verifier, bytes) throws(LibraryError) in
            guard let key = BookKey(bytes) else {
                return verifier.records.report(
                    "A key among \(BookWords.words(of: LibraryTree.books)) names nothing: \(bytes.hexadecimal).")
            }
            let facets = try translatingErrors { try verifier.version.facets(forKey: bytes, in: LibraryTree.books) }
            if facets != key.kind.facets { verifier.records.report("The record of \(key.words) counts as another.") }
            switch key.kind {
            case .work: try verifier.verifyWork(key)
            case .entry: try verifier.verifyEntry(key)
            case .edition(let id): try verifier.verifyEdition(id, key)
            }
        }
    }

    private mutating func verifyWork(_ key: BookKey) throws(LibraryError) {
        let id = key.work
        guard let (record, texts) = try version.workRecord(id) else { return }
        var work = record
        let name = "“\(work.title)”"
        work.description = text(.description, of: id, among: texts, name)
        try compareRecord(work.encodedRecord(), key.bytes, LibraryTree.books, name)
        if work.description != nil { expectedCounts[LibraryTree.texts, default: 0] += 1 }
        guard let authors = authors(of: work, name) else {
            rows.skip()
            return
        }
        for key in LibraryKey.matches(of: work, authors: authors) { expect(key, in: LibraryTree.matchKeys, name) }
        attempt(\.rows, name) { (verifier) throws(LibraryError) in
            let entry = try verifier.version.entryRecord(of: id)?.entry
            verifier.verifyListing(
                ListedWork(work, authors: authors, entry: entry, filing: verifier.filing), name: name)
        }
    }

    /// `nil` when one of them cannot be read.
    private mutating func authors(of work: Work, _ name: String) -> [Author]? {
        var authors: [Author] = []
        var isWhole = true
        for id in work.authors {
            isWhole = false
            attempt(\.references, "the author of \(name)") { (verifier) throws(LibraryError) in
                if let author = try verifier.version.author(id) {
                    authors.append(author)
                } else {
                    verifier.references.report("\(name) names the author \(id), who is not there.")
                }
                isWhole = true
            }
            guard isWhole else { return nil }
        }
        return authors
    }

    /// A text that cannot be read is there all the same; a text that is not makes the record encode otherwise.
    private mutating func text(_ kind: TextKind, of id: ID<Work>, among flags: UInt64, _ name: String) -> String? {
        guard flags & kind.flag != 0 else { return nil }
        var text: String? = ""
        attempt(\.texts, "the \(kind.name) of \(name)") { (verifier) throws(LibraryError) in
            text = try verifier.version.text(kind, of: id)
        }
        return text
    }

    private mutating func verifyListing(_ listed: ListedWork, name: String) {
        for facet in (0..<WorkFacet.count).map({ Facet($0) }) where listed.row.facets.contains(facet) {
            expectedFacets[facet, default: 0] += 1
        }
        for key in listed.keys.all {
            expectedCounts[key.index.tree, default: 0] += 1
            guard isFiledAsNow else { continue }
            attempt(key.index == WorkOrder.title.index ? \.rows : \.orders, name) { (verifier) throws(LibraryError) in
                try verifier.verifyListing(listed, key, name: name)
            }
        }
    }

    private mutating func verifyListing(
        _ listed: ListedWork, _ key: WorkKeys.Key, name: String
    ) throws(LibraryError) {
        try translatingErrors {
            guard let entry = try version.entry(forKey: listed.keys.bytes(of: key), in: key.index.tree) else {
                orders.report("\(name) is missing in \(BookWords.words(of: key.index.tree)).")
                return
            }
            if entry.facets != listed.row.facets {
                facets.report(
                    "\(name) counts towards other statuses in \(BookWords.words(of: key.index.tree)) than it has.")
            }
            let value = try entry.withValue { $0.copyBytes(0..<$0.byteCount) }
            guard value != listed.withEntry(of: key, { $1.copyBytes(0..<$1.byteCount) }) else { return }
            if key.index == WorkOrder.title.index {
                rows.report("The list shows \(name) otherwise than its record says.")
            } else {
                orders.report(
                    "\(BookWords.words(of: key.index.tree)) names what \(name) is in otherwise than its record.")
            }
        }
    }

    private mutating func verifyEdition(_ id: ID<Edition>, _ key: BookKey) throws(LibraryError) {
        let work = key.work
        guard let edition = try version.editionRecord(key) else { return }
        var name = "an edition of work \(work)"
        attempt(\.references, name) { (verifier) throws(LibraryError) in
            if let title = try verifier.version.workRecord(work)?.work.title {
                name = "an edition of “\(title)”"
            } else {
                verifier.references.report("Edition \(id) belongs to work \(work), which is not there.")
            }
        }
        attempt(\.indexes, name) { (verifier) throws(LibraryError) in
            guard try verifier.version.home(of: id) != work else { return }
            verifier.indexes.report("Edition \(id) of work \(work) cannot be found by its identifier.")
        }
        try compareRecord(edition.encodedRecord(), key.bytes, LibraryTree.books, name)
        for key in edition.isbnKeys { expect(key, in: LibraryTree.isbns, name) }
        for key in edition.sourceKeys { expect(key, in: LibraryTree.sources, name) }
    }

    private mutating func verifyEntry(_ key: BookKey) throws(LibraryError) {
        let id = key.work
        guard let (record, texts) = try version.entryRecord(of: id) else { return }
        var entry = record
        var name = id.description
        attempt(\.references, "the entry of \(id)") { (verifier) throws(LibraryError) in
            if let title = try verifier.version.workRecord(id)?.work.title {
                name = "“\(title)”"
            } else {
                verifier.references.report("There is an entry of work \(id), which is not there.")
            }
        }
        entry.notes = text(.notes, of: id, among: texts, name)
        entry.review = text(.review, of: id, among: texts, name)
        try compareRecord(entry.encodedRecord(), key.bytes, LibraryTree.books, "the entry of \(name)")
        if entry.notes != nil { expectedCounts[LibraryTree.texts, default: 0] += 1 }
        if entry.review != nil { expectedCounts[LibraryTree.texts, default: 0] += 1 }
    }

    // MARK: Pieces

    /// A record whose text is missing encodes without the flag of the text, and so differs.
    private mutating func compareRecord(
        _ encoded: [UInt8], _ key: [UInt8], _ tree: TreeNumber, _ name: String
    ) throws(LibraryError) {
        let stored = try version.stored(key, in: tree) { $0.copyBytes(0..<$0.byteCount) }
        if stored != encoded { records.report("The record of \(name) is not what its fields encode to.") }
    }

    private mutating func expect(_ key: [UInt8], in tree: TreeNumber, _ name: String) {
        expectedCounts[tree, default: 0] += 1
        guard isFiledAsNow || !LibraryTree.dependsOnFilingRules(tree) else { return }
        attempt(\.indexes, name) { (verifier) throws(LibraryError) in
            if try verifier.version.stored(key, in: tree, { _ in }) == nil {
                verifier.indexes.report("\(name) is missing in \(BookWords.words(of: tree)).")
            }
        }
    }
}
