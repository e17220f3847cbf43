import StorageEngine

extension LibraryTransaction {
    /// Adds a work and gives it its identifier.
    ///
    /// - Throws: `LibraryError.invalidValue`, `.recordNotFound` or `.duplicate` for a work without a title, with an author who is not in the library, or that was
    ///   inserted before.
    @discardableResult
    public mutating func insert(_ work: Work) throws(LibraryError) -> ID<Work> {
        try requireBooks()
        try work.id.requireUnassigned("“\(work.title)”", mayBeUpdated: true)
        return try insert(work, as: nil)
    }

    /// - Parameter id: one that came from outside and that the library does not have; `nil` for a new one.
    mutating func insert(_ work: Work, as id: ID<Work>?) throws(LibraryError) -> ID<Work> {
        var (work, record) = try work.validated()
        let authors = try authors(of: work)
        // Of a work that was lost the entry may still be there.
        let entry = try id.flatMap { (id) throws(LibraryError) in try trees.entryRecord(of: id)?.entry }
        return try apply { (transaction) throws(LibraryError) in
            work.id = try transaction.identifier(id)
            try transaction.write(
                work, record, replacing: nil, with: BooksAtHand.Listed(work: work, authors: authors, entry: entry))
            transaction.changes.insert(work.id.untyped, of: .works)
            return work.id
        }
    }

    /// Replaces a work by one with the same identifier. Writes only what differs.
    ///
    /// - Throws: `LibraryError.invalidValue` or `.recordNotFound` as `insert` does, and when the library has no such work.
    public mutating func update(_ work: Work) throws(LibraryError) {
        try requireBooks()
        guard let old = try trees.work(work.id) else {
            throw .recordNotFound("There is no work \(work.id) to update.")
        }
        let (work, record) = try work.validated()
        let authors = try authors(of: work)
        guard record != old.encodedRecord() || !work.description.hasSameBytes(as: old.description) else { return }
        let entry = try entry(listedWith: work.id)
        let listed = BooksAtHand.Listed(work: old, authors: try self.authors(of: old), entry: entry)
        try apply { (transaction) throws(LibraryError) in
            try transaction.write(
                work, record, replacing: listed,
                with: BooksAtHand.Listed(work: work, authors: authors, entry: entry))
            transaction.changes.update(work.id.untyped, of: .works)
        }
    }

    /// Deletes a work, and with it its editions and the reader's entry. Its authors stay. With records of the app that link to the work or to
    /// its editions, what their links say is done.
    ///
    /// - Returns: whether there was such a work.
    /// - Throws: `LibraryError.referenced` when a link denies it, `.tooLarge` as for a record of the app.
    @discardableResult
    public mutating func delete(_ id: ID<Work>) throws(LibraryError) -> Bool { try delete(CollectionOfOne(id)) > 0 }

    /// Deletes works as if all went at once: what a reader marks in a list. With each goes what `delete` of one deletes.
    ///
    /// - Parameter ids: an identifier of no work is passed over, one that comes twice counts once.
    /// - Returns: how many of them there were.
    /// - Throws: as `delete` does of one work; then all of them stay.
    @discardableResult
    public mutating func delete(_ ids: some Sequence<ID<Work>>) throws(LibraryError) -> Int {
        try requireBooks()
        var works: [(work: Work, authors: [Author], editions: [Edition])] = []
        var met: Set<ID<Work>> = []
        for id in ids where met.insert(id).inserted {
            guard let work = try trees.work(id) else { continue }
            works.append((work, try authors(of: work), try trees.editions(of: id)))
        }
        guard !works.isEmpty else { return 0 }
        var records = works.map { LinkedRecord(target: .builtIn(.works), id: $0.work.id.rawValue) }
        for (_, _, editions) in works {
            records += editions.map { LinkedRecord(target: .builtIn(.editions), id: $0.id.rawValue) }
        }
        let cascade = try cascade(from: records)
        try apply { (transaction) throws(LibraryError) in
            for (work, authors, editions) in works { try transaction.erase(work, by: authors, editions) }
            try transaction.carryOut(cascade)
        }
        return works.count
    }

    // MARK: Pieces

    /// Within `apply` only.
    private mutating func erase(_ work: Work, by authors: [Author], _ editions: [Edition]) throws(LibraryError) {
        for edition in editions { try erase(edition) }
        let entry = try trees.entry(of: work.id)
        let listed = BooksAtHand.Listed(work: work, authors: authors, entry: entry)
        try relist(work.id, from: listed, to: nil)
        try replaceMatchKeys(from: listed, to: nil)
        try replaceText(.description, of: work.id, from: work.description, to: nil)
        if let entry { try erase(entry) }
        try remove(BookKey.work(work.id))
        changes.delete(work.id.untyped, of: .works)
        changes.delete(work.id.untyped, of: .rows)
    }

    /// The authors of a work, in its order.
    mutating func authors(of work: Work) throws(LibraryError) -> [Author] {
        var authors: [Author] = []
        authors.reserveCapacity(work.authors.count)
        for id in work.authors {
            guard let author = try known(id) else {
                throw .recordNotFound("“\(work.title)” names the author \(id), who is not in the library.")
            }
            authors.append(author)
        }
        return authors
    }

    /// What of an entry lists show; its texts may not be there.
    private func entry(listedWith id: ID<Work>) throws(LibraryError) -> UserLibraryEntry? {
        if let listed = atHand(id) { return listed.entry }
        return try trees.entryRecord(of: id)?.entry
    }

    private mutating func write(
        _ work: Work, _ record: [UInt8], replacing old: BooksAtHand.Listed?, with new: BooksAtHand.Listed
    ) throws(LibraryError) {
        if old?.work.encodedRecord() != record {
            try put(record, forKey: BookKey.work(work.id), isNew: old == nil)
        }
        try replaceText(.description, of: work.id, from: old?.work.description, to: work.description)
        try relist(work.id, from: old, to: new)
        try replaceMatchKeys(from: old, to: new)
    }

    mutating func replaceMatchKeys(
        from old: BooksAtHand.Listed?, to new: BooksAtHand.Listed?
    ) throws(LibraryError) {
        func keys(_ listed: BooksAtHand.Listed?) -> [[UInt8]] {
            guard let listed else { return [] }
            return LibraryKey.matches(of: listed.work, authors: listed.authors)
        }
        try replaceKeys(keys(old), with: keys(new), in: LibraryTree.matchKeys)
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it was first.
    func withoutRepetitions() -> [Element] {
        guard count > 1 else { return self }
        // Few are compared one by one: hashing them would cost more.
        if count < 8, indices.allSatisfy({ !self[..<$0].contains(self[$0]) }) { return self }
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
