import RecordStore
import StorageEngine

extension LibraryTransaction {
    public func work(_ id: ID<Work>) throws(LibraryError) -> Work? { try trees.work(id) }

    public func author(_ id: ID<Author>) throws(LibraryError) -> Author? { try trees.author(id) }

    public func edition(_ id: ID<Edition>) throws(LibraryError) -> Edition? { try trees.edition(id) }

    public func entry(of work: ID<Work>) throws(LibraryError) -> UserLibraryEntry? { try trees.entry(of: work) }

    /// In the order they were added.
    public func editions(of work: ID<Work>) throws(LibraryError) -> [Edition] { try trees.editions(of: work) }

    /// Every edition with the number, and its work: publishers reuse ISBNs and boxed sets share one.
    public func works(withISBN isbn: ISBN) throws(LibraryError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        try trees.works(withISBN: isbn)
    }

    /// Every edition another catalogue knows by the identifier, and its work: one, as a rule.
    public func works(
        withSource identifier: SourceIdentifier
    ) throws(LibraryError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        try trees.works(withSource: identifier)
    }

    /// Works that are likely the one described: same title, and one author in common.
    public func works(matching match: MatchKey) throws(LibraryError) -> [ID<Work>] { try trees.works(matching: match) }

    /// What is made of the first of those works of which anything is.
    ///
    /// - Parameters:
    ///   - limit: so many are looked at, at most.
    ///   - isAskedFor: others are not read.
    package func first<Found>(
        matching match: MatchKey, limit: Int = .max, where isAskedFor: (ID<Work>) -> Bool = { _ in true },
        _ make: (ID<Work>) throws(LibraryError) -> Found?
    ) throws(LibraryError) -> Found? {
        for id in try trees.candidates(matching: match, limit: limit) where isAskedFor(id) {
            if try trees.work(id, matches: match), let found = try make(id) { return found }
        }
        return nil
    }

    /// The author of this name; case, marks and punctuation do not count unless two names differ only in them.
    public func author(named name: String) throws(LibraryError) -> ID<Author>? { try trees.author(named: name) }

    public func works(by author: ID<Author>) throws(LibraryError) -> [ID<Work>] { try trees.works(by: author) }
}

extension LibraryTransaction {
    /// Every call that changes books begins with this.
    ///
    /// - Throws: `LibraryError.invalidArgument` when the store keeps none: lists of books would not follow.
    mutating func requireBooks() throws(LibraryError) {
        if memory is BooksAtHand { return }
        guard trees.builtInKinds.contains(.works) else { throw .keepsNoBooks }
        let books = BooksAtHand(filing)
        memory = books
        trees.reader.pending = books
    }

    private var books: BooksAtHand? { memory as? BooksAtHand }

    /// An author, from memory when met before.
    mutating func known(_ id: ID<Author>) throws(LibraryError) -> Author? {
        if let author = books?.authors[id] { return author }
        let author = try trees.author(id)
        books?.authors[id] = author
        return author
    }

    func remember(_ author: Author) { books?.authors[author.id] = author }

    func forget(_ author: ID<Author>) { books?.authors[author] = nil }

    /// The work that was changed last, as it is now.
    func atHand(_ id: ID<Work>) -> BooksAtHand.Listed? { books?.listed(id) }

    /// A work is listed as it is now in place of what it was.
    func relist(
        _ id: ID<Work>, from old: BooksAtHand.Listed?, to new: BooksAtHand.Listed?
    ) throws(LibraryError) {
        try translatingErrors { try books?.relist(id, from: old, to: new, in: trees.reader) }
    }
}

extension LibraryError {
    static var keepsNoBooks: LibraryError {
        .invalidArgument("This is a RecordLibrary, which keeps no books: open it as a BookStore.")
    }
}
