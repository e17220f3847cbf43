extension LibraryTransaction {
    /// Adds an author. Two authors may have the same name; look for `author(named:)` first to have one.
    ///
    /// - Throws: `LibraryError.invalidValue` or `.duplicate` for an author without a name, or who was inserted before.
    @discardableResult
    public mutating func insert(_ author: Author) throws(LibraryError) -> ID<Author> {
        try requireBooks()
        try author.id.requireUnassigned(author.name, mayBeUpdated: true)
        return try insert(author, as: nil)
    }

    /// - Parameter id: one that came from outside and that the library does not have; `nil` for a new one.
    mutating func insert(_ author: Author, as id: ID<Author>?) throws(LibraryError) -> ID<Author> {
        let record = try author.validatedRecord()
        return try apply { (transaction) throws(LibraryError) in
            var author = author
            author.id = try transaction.identifier(id)
            try transaction.put(record, forKey: author.id.rawValue, in: LibraryTree.authors)
            try transaction.put(
                [], forKey: LibraryKey.authorName(author.name, author.id), in: LibraryTree.authorNames)
            transaction.remember(author)
            transaction.changes.insert(author.id.untyped, of: .authors)
            return author.id
        }
    }

    /// Replaces an author by one with the same identifier. Every list row that shows the name changes with it, so the
    /// cost grows with the number of the author's works; `Commit.rows` names these.
    ///
    /// A sort name that follows from the old name follows from the new one, unless the author comes with another.
    ///
    /// - Throws: `LibraryError.invalidValue` or `.recordNotFound` for an author without a name or who is not in the library.
    public mutating func update(_ author: Author) throws(LibraryError) {
        try requireBooks()
        guard let old = try known(author.id) else {
            throw .recordNotFound("There is no author \(author.id) to update.")
        }
        try replace(old, with: author.withSortName(followingFrom: old))
    }

    /// - Parameter author: with the sort name that it will have.
    mutating func replace(_ old: Author, with author: Author) throws(LibraryError) {
        let record = try author.validatedRecord()
        guard record != old.encodedRecord() else { return }
        // The rows of works are found by what the author was.
        remember(old)
        try apply { (transaction) throws(LibraryError) in
            try transaction.put(record, forKey: author.id.rawValue, in: LibraryTree.authors)
            try transaction.replaceKeys(
                [LibraryKey.authorName(old.name, old.id)], with: [LibraryKey.authorName(author.name, author.id)],
                in: LibraryTree.authorNames)
            if !author.name.hasSameBytes(as: old.name) || !author.sortName.hasSameBytes(as: old.sortName) {
                try transaction.replaceInWorks(old, with: author)
            }
            transaction.remember(author)
            transaction.changes.update(author.id.untyped, of: .authors)
        }
    }

    /// Deletes an author whom no work names any more. With records of the app that link to the author, what their links say is done.
    ///
    /// - Returns: whether there was such an author.
    /// - Throws: `LibraryError.referenced` while works name the author or a link denies it, `.tooLarge` as for a record of the app.
    @discardableResult
    public mutating func delete(_ id: ID<Author>) throws(LibraryError) -> Bool {
        try requireBooks()
        guard let old = try known(id) else { return false }
        let works = try trees.works(by: id)
        if let first = works.first {
            let title = try trees.workRecord(first)?.work.title ?? "\(first)"
            let others = works.count == 1 ? "" : " and \(works.count - 1) more"
            throw .referenced("\(old.name) cannot be deleted while “\(title)”\(others) names them.")
        }
        let cascade = try cascade(from: [LinkedRecord(target: .builtIn(.authors), id: id.rawValue)])
        try apply { (transaction) throws(LibraryError) in
            try transaction.remove(id.rawValue, in: LibraryTree.authors)
            try transaction.remove(LibraryKey.authorName(old.name, id), in: LibraryTree.authorNames)
            transaction.forget(id)
            transaction.changes.delete(id.untyped, of: .authors)
            try transaction.carryOut(cascade)
        }
        return true
    }

    // MARK: Pieces

    /// Gives every work of the author the row, the place and the match keys that the new name makes.
    private mutating func replaceInWorks(_ old: Author, with new: Author) throws(LibraryError) {
        for id in try trees.works(by: old.id) {
            guard let work = try trees.workRecord(id)?.work else {
                throw .damaged("author \(old.id) is listed with work \(id), which is not there.")
            }
            let listed = BooksAtHand.Listed(
                work: work, authors: try authors(of: work), entry: try trees.entryRecord(of: id)?.entry)
            var renamed = listed
            renamed.authors = listed.authors.map { $0.id == new.id ? new : $0 }
            try relist(id, from: listed, to: renamed)
            try replaceMatchKeys(from: listed, to: renamed)
            changes.update(id.untyped, of: .rows)
        }
    }
}
