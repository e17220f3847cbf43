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

    /// The author of this name; case, marks and punctuation do not count unless two names differ only in them.
    public func author(named name: String) throws(LibraryError) -> ID<Author>? { try trees.author(named: name) }

    public func works(by author: ID<Author>) throws(LibraryError) -> [ID<Work>] { try trees.works(by: author) }
}

/// Authors met so far, since most works of a batch have one that another work has.
private final class KnownAuthors {
    var byIdentifier: [ID<Author>: Author] = [:]
}

extension LibraryTransaction {
    /// Every call that changes books begins with this.
    ///
    /// - Throws: `LibraryError.invalidArgument` when the store keeps none: lists of books would not follow.
    mutating func requireBooks() throws(LibraryError) {
        if memory is KnownAuthors { return }
        guard trees.builtInKinds.contains(.works) else { throw .keepsNoBooks }
        memory = KnownAuthors()
    }

    /// An author, from memory when met before.
    mutating func known(_ id: ID<Author>) throws(LibraryError) -> Author? {
        let known = memory as? KnownAuthors
        if let author = known?.byIdentifier[id] { return author }
        let author = try trees.author(id)
        known?.byIdentifier[id] = author
        return author
    }

    func remember(_ author: Author) { (memory as? KnownAuthors)?.byIdentifier[author.id] = author }

    func forget(_ author: ID<Author>) { (memory as? KnownAuthors)?.byIdentifier[author] = nil }
}

extension LibraryError {
    static var keepsNoBooks: LibraryError {
        .invalidArgument("This is a RecordLibrary, which keeps no books: open it as a BookStore.")
    }
}
