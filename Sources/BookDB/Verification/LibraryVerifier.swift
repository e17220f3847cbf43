import StorageEngine

/// Compares everything a library derives with what it is derived from, in both directions.
///
/// One pass over the records makes every key, row and facet anew and looks for it; then each tree is counted: when all
/// that is expected is there and the tree holds no more than that, the two are equal. Only a tree with too many entries
/// is walked to name the strays. Reads one snapshot, so the library may be written to meanwhile.
///
/// Cost: every record is decoded once and every derived key looked up once, O(n log n); memory does not grow with the
/// library.
struct LibraryVerifier {
    let version: Version
    var records = CheckBuilder("records")
    var references = CheckBuilder("references")
    var rows = CheckBuilder("list rows")
    var orders = CheckBuilder("orders")
    var facets = CheckBuilder("counts")
    var indexes = CheckBuilder("indexes")
    var texts = CheckBuilder("texts")
    var identifiers = CheckBuilder("identifiers")

    /// What the records say each derived tree holds.
    var expectedCounts: [TreeNumber: Int] = [:]
    var expectedFacets: [Facet: Int] = [:]

    private init(_ version: Version) {
        self.version = version
    }

    static func verify(_ snapshot: Snapshot) -> LibraryVerification {
        var verifier = LibraryVerifier(snapshot.version)
        verifier.verifyAuthors()
        verifier.verifyWorks()
        verifier.verifyEditions()
        verifier.verifyEntries()
        verifier.verifyCounts()
        verifier.verifyIdentifiers()
        let checks = [
            verifier.records, verifier.references, verifier.rows, verifier.orders, verifier.facets, verifier.indexes,
            verifier.texts, verifier.identifiers,
        ]
        return LibraryVerification(checks: checks.map(\.check), damage: [])
    }
}

// MARK: - From records to what is derived

extension LibraryVerifier {
    private mutating func verifyAuthors() {
        forEachIdentifier(of: LibraryTree.authors) { (verifier, number) throws(BookError) in
            let id = ID<Author>(rawValue: number)
            guard let author = try verifier.version.author(id) else { return }
            try verifier.compareRecord(author.encodedRecord(), .bigEndian(number), LibraryTree.authors, author.name)
            try verifier.expect(LibraryKey.authorName(author.name, id), in: LibraryTree.authorNames, author.name)
        }
    }

    private mutating func verifyWorks() {
        forEachIdentifier(of: LibraryTree.works) { (verifier, number) throws(BookError) in
            let id = ID<Work>(rawValue: number)
            guard let work = try verifier.version.work(id) else { return }
            let name = "“\(work.title)”"
            try verifier.compareRecord(work.encodedRecord(), .bigEndian(number), LibraryTree.works, name)
            if work.description != nil { verifier.expectedCounts[LibraryTree.texts, default: 0] += 1 }
            var authors: [Author] = []
            for author in work.authors {
                if let author = try verifier.version.author(author) {
                    authors.append(author)
                } else {
                    verifier.references.report("\(name) names the author \(author), who is not there.")
                }
                try verifier.expect(LibraryKey.authorWork(author, id), in: LibraryTree.authorWorks, name)
            }
            for match in work.matchKeys(authors: authors) {
                try verifier.expect(LibraryKey.match(match, id), in: LibraryTree.matchKeys, name)
            }
            let entry = try verifier.version.entryRecord(of: id)?.entry
            let row = WorkListRow.make(work: work, authors: authors, entry: entry)
            try verifier.verifyListing(
                ListedWork(place: WorkPlace(work, authors: authors), row: row), name: name)
        }
    }

    private mutating func verifyListing(_ listed: ListedWork, name: String) throws(BookError) {
        for facet in (0..<WorkFacet.count).map({ Facet($0) }) where listed.row.facets.contains(facet) {
            expectedFacets[facet, default: 0] += 1
        }
        for order in WorkOrder.allCases {
            let key = listed.place[order]
            do {
                guard let entry = try version.entry(forKey: key, in: order.tree) else {
                    orders.report("\(name) is missing in the order by \(order.rawValue).")
                    continue
                }
                if entry.facets != listed.row.facets {
                    facets.report("\(name) counts towards other statuses by \(order.rawValue) than it has.")
                }
                let value = try entry.withValue { $0.copyBytes(0..<$0.byteCount) }
                if order == .title, value != listed.row.encoded() {
                    rows.report("The list shows \(name) otherwise than its record says.")
                }
            } catch {
                throw BookError(error)
            }
        }
    }

    private mutating func verifyEditions() {
        var last: [UInt8]?
        var isAtEnd = false
        while !isAtEnd {
            var keys: [[UInt8]] = []
            do {
                try version.scan(LibraryTree.editions, after: last) { key, _ in
                    keys.append(key.copyBytes(0..<key.byteCount))
                    return keys.count < 512
                }
            } catch {
                records.report(BookError(error).sentence)
                return
            }
            isAtEnd = keys.count < 512
            last = keys.last
            for key in keys { verifyEdition(key) }
        }
    }

    private mutating func verifyEdition(_ key: [UInt8]) {
        let (work, id) = (ID<Work>(rawValue: key.number(at: 0)), ID<Edition>(rawValue: key.number(at: 8)))
        do {
            guard try version.home(of: id) == work, let edition = try version.edition(id) else {
                indexes.report("Edition \(id) of work \(work) cannot be found by its identifier.")
                return
            }
            let title = try version.workRecord(work)?.work.title
            if title == nil { references.report("Edition \(id) belongs to work \(work), which is not there.") }
            let name = "an edition of “\(title ?? work.description)”"
            try compareRecord(edition.encodedRecord(), key, LibraryTree.editions, name)
            for key in edition.isbnKeys { try expect(key, in: LibraryTree.isbns, name) }
            for key in edition.sourceKeys { try expect(key, in: LibraryTree.sources, name) }
        } catch {
            records.report(error.sentence)
        }
    }

    private mutating func verifyEntries() {
        forEachIdentifier(of: LibraryTree.entries) { (verifier, number) throws(BookError) in
            let id = ID<Work>(rawValue: number)
            guard let entry = try verifier.version.entry(of: id) else { return }
            let title = try verifier.version.workRecord(id)?.work.title
            if title == nil { verifier.references.report("There is an entry of work \(id), which is not there.") }
            try verifier.compareRecord(
                entry.encodedRecord(), .bigEndian(number), LibraryTree.entries,
                "the entry of “\(title ?? id.description)”")
            if entry.notes != nil { verifier.expectedCounts[LibraryTree.texts, default: 0] += 1 }
            if entry.review != nil { verifier.expectedCounts[LibraryTree.texts, default: 0] += 1 }
        }
    }

    // MARK: Pieces

    /// A record whose text is missing encodes without the flag of the text, and so differs.
    private mutating func compareRecord(
        _ encoded: [UInt8], _ key: [UInt8], _ tree: TreeNumber, _ name: String
    ) throws(BookError) {
        let stored = try version.stored(key, in: tree) { $0.copyBytes(0..<$0.byteCount) }
        if stored != encoded { records.report("The record of \(name) is not what its fields encode to.") }
    }

    private mutating func expect(_ key: [UInt8], in tree: TreeNumber, _ name: String) throws(BookError) {
        expectedCounts[tree, default: 0] += 1
        if try version.stored(key, in: tree, { _ in }) == nil {
            indexes.report("\(name) is missing in \(Self.name(of: tree)).")
        }
    }

    private mutating func forEachIdentifier(
        of tree: TreeNumber, _ body: (inout LibraryVerifier, UInt64) throws(BookError) -> Void
    ) {
        let snapshot = Snapshot(version)
        do {
            try snapshot.forEachIdentifier(of: tree) { number in
                do throws(BookError) {
                    try body(&self, number)
                } catch {
                    // One record that cannot be read does not keep the others from being looked at.
                    records.report(error.sentence)
                }
            }
        } catch {
            records.report((error as? BookError)?.sentence ?? "\(error)")
        }
    }
}
