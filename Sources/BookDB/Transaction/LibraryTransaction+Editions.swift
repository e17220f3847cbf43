extension LibraryTransaction {
    /// Adds an edition to its work.
    ///
    /// - Throws: `LibraryError.recordNotFound` or `.duplicate` when the work is not in the library, or the edition was inserted before;
    ///   `.invalidValue` for a year, a number of pages or an identifier of a source that cannot be.
    @discardableResult
    public mutating func insert(_ edition: Edition) throws(LibraryError) -> ID<Edition> {
        try requireBooks()
        try edition.id.requireUnassigned("The edition", mayBeUpdated: true)
        return try insert(edition, as: nil)
    }

    /// - Parameter id: one that came from outside and that the library does not have; `nil` for a new one.
    mutating func insert(_ edition: Edition, as id: ID<Edition>?) throws(LibraryError) -> ID<Edition> {
        try checkWork(of: edition)
        var (edition, record) = try edition.validated()
        return try apply { (transaction) throws(LibraryError) in
            edition.id = try transaction.identifier(id)
            try transaction.write(edition, record, replacing: nil)
            transaction.changes.insert(edition.id.untyped, of: .editions)
            return edition.id
        }
    }

    /// Replaces an edition by one with the same identifier; it may move to another work.
    ///
    /// - Throws: `LibraryError.recordNotFound` when the library has no such edition, or no such work; `.invalidValue` as `insert`.
    public mutating func update(_ edition: Edition) throws(LibraryError) {
        try requireBooks()
        guard let old = try trees.edition(edition.id) else {
            throw .recordNotFound("There is no edition \(edition.id) to update.")
        }
        try checkWork(of: edition)
        let (edition, record) = try edition.validated()
        guard record != old.encodedRecord() || edition.work != old.work else { return }
        try apply { (transaction) throws(LibraryError) in
            try transaction.write(edition, record, replacing: old)
            transaction.changes.update(edition.id.untyped, of: .editions)
        }
    }

    /// Deletes an edition. Its work stays, even without editions. With records of the app that link to it, what their links say is done.
    ///
    /// - Returns: whether there was such an edition.
    /// - Throws: `LibraryError.referenced` when a link denies it, `.tooLarge` as for a record of the app.
    @discardableResult
    public mutating func delete(_ id: ID<Edition>) throws(LibraryError) -> Bool {
        try requireBooks()
        guard let old = try trees.edition(id) else { return false }
        let cascade = try cascade(from: [LinkedRecord(target: .builtIn(.editions), id: id.rawValue)])
        try apply { (transaction) throws(LibraryError) in
            try transaction.erase(old)
            try transaction.carryOut(cascade)
        }
        return true
    }

    // MARK: Pieces

    /// Within `apply` only.
    mutating func erase(_ edition: Edition) throws(LibraryError) {
        try remove(BookKey.edition(edition.work, edition.id))
        try remove(edition.id.rawValue, in: LibraryTree.editionHomes)
        try replaceIndexes(from: edition, to: nil)
        changes.delete(edition.id.untyped, of: .editions)
    }

    private mutating func write(
        _ edition: Edition, _ record: [UInt8], replacing old: Edition?
    ) throws(LibraryError) {
        if edition.work != old?.work {
            if let old { try remove(BookKey.edition(old.work, old.id)) }
            try put(
                .bigEndian(edition.work.rawValue), forKey: .bigEndian(edition.id.rawValue), isNew: old == nil,
                in: LibraryTree.editionHomes)
        }
        try put(record, forKey: BookKey.edition(edition.work, edition.id), isNew: edition.work != old?.work)
        try replaceIndexes(from: old, to: edition)
    }

    private mutating func replaceIndexes(from old: Edition?, to new: Edition?) throws(LibraryError) {
        try replaceKeys(old?.isbnKeys ?? [], with: new?.isbnKeys ?? [], in: LibraryTree.isbns)
        try replaceKeys(old?.sourceKeys ?? [], with: new?.sourceKeys ?? [], in: LibraryTree.sources)
    }

    private func checkWork(of edition: Edition) throws(LibraryError) {
        if atHand(edition.work) != nil { return }
        guard try translatingErrors({ try trees.contains(.work(edition.work)) }) else {
            throw .recordNotFound("An edition belongs to a work, and there is no work \(edition.work).")
        }
    }
}

extension Edition {
    var isbnKeys: [[UInt8]] { isbns.map { LibraryKey.isbn($0, work, id) } }

    var sourceKeys: [[UInt8]] { identifiers.map { LibraryKey.source($0, work, id) } }
}
