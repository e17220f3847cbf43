import StorageEngine

extension LibraryTransaction {
    /// Adds a work and gives it its identifier.
    ///
    /// - Throws: `LibraryError.invalidValue`, `.recordNotFound` or `.duplicate` for a work without a title, with an author who is not in the library, or that was
    ///   inserted before.
    @discardableResult
    public mutating func insert(_ work: Work) throws(LibraryError) -> ID<Work> {
        try requireBooks()
        guard !work.id.isAssigned else {
            throw .duplicate("“\(work.title)” is in the library as work \(work.id) already: update it instead.")
        }
        return try insert(work, as: nil)
    }

    /// - Parameter id: one that came from outside and that the library does not have; `nil` for a new one.
    mutating func insert(_ work: Work, as id: ID<Work>?) throws(LibraryError) -> ID<Work> {
        var (work, record) = try work.validated()
        let authors = try authors(of: work)
        return try apply { (transaction) throws(LibraryError) in
            work.id = try transaction.identifier(id)
            try transaction.write(work, record, authors: authors, replacing: nil)
            transaction.changes[.works].insert(work.id.untyped)
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
        let oldAuthors = try self.authors(of: old)
        try apply { (transaction) throws(LibraryError) in
            try transaction.write(work, record, authors: authors, replacing: (old, oldAuthors))
            transaction.changes[.works].update(work.id.untyped)
        }
    }

    /// Deletes a work, and with it its editions and the reader's entry. Its authors stay. With records of the app that link to the work or to
    /// its editions, what their links say is done.
    ///
    /// - Returns: whether there was such a work.
    /// - Throws: `LibraryError.referenced` when a link denies it, `.tooLarge` as for a record of the app.
    @discardableResult
    public mutating func delete(_ id: ID<Work>) throws(LibraryError) -> Bool {
        try requireBooks()
        guard let old = try trees.work(id) else { return false }
        let authors = try authors(of: old)
        let editions = try trees.editions(of: id)
        let cascade = try cascade(
            from: [LinkedRecord(target: .builtIn(.works), id: id.rawValue)]
                + editions.map { LinkedRecord(target: .builtIn(.editions), id: $0.id.rawValue) })
        try apply { (transaction) throws(LibraryError) in
            for edition in editions { try transaction.erase(edition) }
            let entry = try transaction.trees.entry(of: id)
            try transaction.replaceListing(
                ListedWork(old, authors: authors, entry: entry, filing: transaction.filing), with: nil)
            try transaction.replaceMatchKeys(of: id, from: (old, authors), to: nil)
            try transaction.replaceText(.description, of: id, from: old.description, to: nil)
            if let entry { try transaction.erase(entry) }
            try transaction.remove(id.rawValue, in: LibraryTree.works)
            transaction.changes[.works].delete(id.untyped)
            transaction.changes[.rows].delete(id.untyped)
            try transaction.carryOut(cascade)
        }
        return true
    }

    // MARK: Pieces

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

    private mutating func write(
        _ work: Work, _ record: [UInt8], authors: [Author], replacing old: (work: Work, authors: [Author])?
    ) throws(LibraryError) {
        if old == nil || old?.work.encodedRecord() != record {
            try put(record, forKey: work.id.rawValue, in: LibraryTree.works)
        }
        try replaceText(.description, of: work.id, from: old?.work.description, to: work.description)
        let entry = old == nil ? nil : try trees.entryRecord(of: work.id)?.entry
        try replaceListing(
            old.map { ListedWork($0.work, authors: $0.authors, entry: entry, filing: filing) },
            with: ListedWork(work, authors: authors, entry: entry, filing: filing))
        try replaceMatchKeys(of: work.id, from: old, to: (work, authors))
    }

    mutating func replaceMatchKeys(
        of id: ID<Work>, from old: (work: Work, authors: [Author])?, to new: (work: Work, authors: [Author])?
    ) throws(LibraryError) {
        func keys(_ state: (work: Work, authors: [Author])?) -> [[UInt8]] {
            guard let state else { return [] }
            return state.work.matchKeys(authors: state.authors).map { LibraryKey.match($0, id) }
        }
        try replaceKeys(keys(old), with: keys(new), in: LibraryTree.matchKeys)
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it was first.
    func withoutRepetitions() -> [Element] {
        guard count > 1 else { return self }
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
