import Filing
import StorageEngine

/// Reading books from their trees: the same for a snapshot and within a transaction.
extension TreeReadable where Self: ~Copyable {
    // MARK: Records

    func work(_ id: ID<Work>) throws(LibraryError) -> Work? {
        guard let (record, texts) = try workRecord(id) else { return nil }
        var work = record
        if texts & TextKind.description.flag != 0 { work.description = try text(.description, of: id) }
        return work
    }

    /// All but the description, and which texts there are.
    func workRecord(_ id: ID<Work>) throws(LibraryError) -> (work: Work, texts: UInt64)? {
        try record(BookKey.work(id).bytes, in: LibraryTree.books, named: BookKey.work(id).words) {
            bytes throws(RecordProblem) in
            try Work.decode(bytes, id: id)
        }
    }

    func author(_ id: ID<Author>) throws(LibraryError) -> Author? {
        try record(id.rawValue, in: LibraryTree.authors, named: "author \(id)") { bytes throws(RecordProblem) in
            try Author.decode(bytes, id: id)
        }
    }

    func edition(_ id: ID<Edition>) throws(LibraryError) -> Edition? {
        guard let work = try home(of: id) else { return nil }
        return try editionRecord(.edition(work, id))
    }

    /// The edition of a key, which needs no index.
    func editionRecord(_ key: BookKey) throws(LibraryError) -> Edition? {
        guard let id = key.edition else { return nil }
        return try record(key.bytes, in: LibraryTree.books, named: key.words) { bytes throws(RecordProblem) in
            try Edition.decode(bytes, id: id, work: key.work)
        }
    }

    /// The editions of a work, in the order they were added. One range of the tree.
    func editions(of work: ID<Work>) throws(LibraryError) -> [Edition] {
        try records(of: work, behind: BookKey.entry(work)).editions
    }

    /// What lies side by side in the tree of books: a work, its entry and its editions, but for their texts. One range of the tree.
    ///
    /// - Parameter key: where to begin; `nil` for all of them, and then for none where there is no such work.
    func records(of id: ID<Work>, behind start: BookKey? = nil) throws(LibraryError) -> BookRecords {
        var records = BookRecords()
        var problem: (name: String, description: String)?
        try translatingErrors {
            try scan(LibraryTree.books, prefix: .bigEndian(id.rawValue), after: start?.bytes) { key, value in
                guard let key = BookKey(key) else { return true }
                guard start != nil || records.hasWork || key.kind == .work else { return false }
                do throws(RecordProblem) {
                    try records.take(value, key)
                    return true
                } catch {
                    problem = (key.words, error.description)
                    return false
                }
            }
        }
        if let problem { throw .damagedRecord(problem.name, problem.description) }
        return records
    }

    func entry(of work: ID<Work>) throws(LibraryError) -> UserLibraryEntry? {
        guard let (record, texts) = try entryRecord(of: work) else { return nil }
        var entry = record
        if texts & TextKind.notes.flag != 0 { entry.notes = try text(.notes, of: work) }
        if texts & TextKind.review.flag != 0 { entry.review = try text(.review, of: work) }
        return entry
    }

    /// All but notes and review, and which of them there are.
    func entryRecord(of work: ID<Work>) throws(LibraryError) -> (entry: UserLibraryEntry, texts: UInt64)? {
        let key = BookKey.entry(work)
        return try record(key.bytes, in: LibraryTree.books, named: key.words) { bytes throws(RecordProblem) in
            try UserLibraryEntry.decode(bytes, work: work)
        }
    }

    func text(_ kind: TextKind, of work: ID<Work>) throws(LibraryError) -> String? {
        try stored(LibraryKey.text(work, kind), in: LibraryTree.texts) { $0.string(at: 0, count: $0.byteCount) }
    }

    func contains(_ key: BookKey) throws(StorageError) -> Bool { try contains(key.bytes, in: LibraryTree.books) }

    /// A copy of a record as it is stored.
    func recordBytes(_ key: BookKey) throws(LibraryError) -> [UInt8]? {
        try translatingErrors { try bytes(forKey: key.bytes, in: LibraryTree.books) }
    }

    // MARK: Indexes

    func home(of edition: ID<Edition>) throws(LibraryError) -> ID<Work>? {
        return try translatingErrors {
            try value(forKey: edition.rawValue, in: LibraryTree.editionHomes) { value in
                value.byteCount == 8 ? ID(rawValue: value.loadBigEndian(at: 0)) : nil
            } ?? nil
        }
    }

    func works(withISBN isbn: ISBN) throws(LibraryError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        try homes(in: LibraryTree.isbns, prefix: .bigEndian(isbn.digits))
    }

    func works(withSource identifier: SourceIdentifier) throws(LibraryError) -> [(work: ID<Work>, edition: ID<Edition>)]
    {
        try homes(in: LibraryTree.sources, prefix: LibraryKey.sourcePrefix(identifier))
    }

    /// The index has hashes of match keys; the records decide.
    func works(matching match: MatchKey) throws(LibraryError) -> [ID<Work>] {
        var works: [ID<Work>] = []
        for id in try candidates(matching: match) where try work(id, matches: match) { works.append(id) }
        return works
    }

    /// The works whose match keys have the hash of one, ascending: the first of them.
    func candidates(matching match: MatchKey, limit: Int = .max) throws(LibraryError) -> [ID<Work>] {
        try identifiers(in: LibraryTree.matchKeys, prefix: LibraryKey.matchPrefix(match), limit: limit)
    }

    /// Whether a candidate has the match key itself.
    func work(_ id: ID<Work>, matches match: MatchKey) throws(LibraryError) -> Bool {
        guard let work = try workRecord(id)?.work else { return false }
        let authors = try presentAuthors(of: work)
        // Where an author is lost, only the index can tell.
        return authors.count != work.authors.count || work.matchKeys(authors: authors).contains(match)
    }

    /// The authors of a work, in its order; one who is not there is left out.
    func presentAuthors(of work: Work) throws(LibraryError) -> [Author] {
        var authors: [Author] = []
        for id in work.authors {
            if let author = try author(id) { authors.append(author) }
        }
        return authors
    }

    func works(by author: ID<Author>) throws(LibraryError) -> [ID<Work>] {
        try works(in: LibraryTree.authorWorks, prefix: .bigEndian(author.rawValue))
    }

    /// The works that stand in a tree under a prefix, ascending.
    func works(in tree: TreeNumber, prefix: [UInt8]) throws(LibraryError) -> [ID<Work>] {
        var works: [ID<Work>] = []
        try translatingErrors {
            try scan(tree, prefix: prefix) { key, _ in
                works.append(ID(rawValue: key.trailingIdentifier))
                return true
            }
        }
        return works.sorted()
    }

    /// The author of exactly this name, or else the oldest whose name differs only in case, marks and punctuation.
    func author(named name: String) throws(LibraryError) -> ID<Author>? {
        let prefix = LibraryKey.authorNamePrefix(name)
        let candidates: [ID<Author>] = try identifiers(in: LibraryTree.authorNames, prefix: prefix)
        let folded = FoldedText(utf8: Array(name.utf8)[...]).bytes
        // A name of nothing but punctuation folds to nothing, as every other such name does.
        var alike: ID<Author>?
        for candidate in candidates {
            guard let found = try author(candidate)?.name else { continue }
            if found == name { return candidate }
            // Keys have the beginning of a name.
            if alike == nil, !folded.isEmpty, FoldedText(utf8: Array(found.utf8)[...]).bytes == folded {
                alike = candidate
            }
        }
        return alike
    }

    // MARK: Pieces

    /// The identifiers that follow a prefix in a multimap, ascending.
    private func identifiers<Record>(
        in tree: TreeNumber, prefix: [UInt8], limit: Int = .max
    ) throws(LibraryError) -> [ID<Record>] {
        var identifiers: [ID<Record>] = []
        try scanKeys(tree, prefix: prefix, byteCount: prefix.count + 8) { key, _ in
            identifiers.append(ID(rawValue: key.loadBigEndian(at: prefix.count)))
            return identifiers.count < limit
        }
        return identifiers
    }

    private func homes(
        in tree: TreeNumber, prefix: [UInt8]
    ) throws(LibraryError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        var homes: [(work: ID<Work>, edition: ID<Edition>)] = []
        try scanKeys(tree, prefix: prefix, byteCount: prefix.count + 16) { key, _ in
            let work = ID<Work>(rawValue: key.loadBigEndian(at: prefix.count))
            let edition = ID<Edition>(rawValue: key.loadBigEndian(at: prefix.count + 8))
            homes.append((work, edition))
            return true
        }
        return homes
    }
}
