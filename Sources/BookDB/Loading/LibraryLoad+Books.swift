import RecordStore
import StorageEngine

/// Books of a load, which take a fraction of inserting them one by one, and hardly more memory for more of them. A work's editions and
/// the reader's entry follow it, before the next work.
///
/// ```swift
/// try await store.load { library in
///     let author = try library.insert(Author("Ursula K. Le Guin"))
///     let work = try library.insert(Work("The Dispossessed", by: author, year: 1974))
///     try library.set(UserLibraryEntry(for: work, status: .read))
/// }
/// ```
extension LibraryLoad {
    /// Adds an author. Two authors may have the same name; look for them with `snapshot.authors.named(_:)` first to have one.
    ///
    /// - Throws: `LibraryError.invalidValue` or `.duplicate` for an author without a name, or who was inserted before.
    public mutating func insert(_ author: Author) throws(LibraryError) -> ID<Author> {
        try author.id.requireUnassigned(author.name, mayBeUpdated: false)
        let record = try author.validatedRecord()
        var author = author
        author.id = try newIdentifier()
        try books.add(author, record)
        changes.load(author.id.untyped, of: .authors)
        return author.id
    }

    /// Adds a work and gives it its identifier.
    ///
    /// - Throws: `LibraryError.invalidValue`, `.recordNotFound` or `.duplicate` for a work without a title, with an author who is neither in the library nor in the load, or
    ///   that was inserted before.
    @discardableResult
    public mutating func insert(_ work: Work) throws(LibraryError) -> ID<Work> {
        try work.id.requireUnassigned("“\(work.title)”", mayBeUpdated: false)
        var (work, record) = try work.validated()
        var authors: [Author] = []
        authors.reserveCapacity(work.authors.count)
        let books = try books
        for id in work.authors {
            guard let author = try books.author(id) else {
                throw .recordNotFound("“\(work.title)” names the author \(id), who is not in the library.")
            }
            authors.append(author)
        }
        try books.endWork()
        work.id = try newIdentifier()
        changes.load(work.id.untyped, of: .works)
        books.begin(LoadedBook(work: work, record: record, authors: authors))
        return work.id
    }

    /// Adds an edition of the work inserted last.
    ///
    /// - Throws: `LibraryError.invalidArgument` or `.duplicate` for one of another work, or that was inserted before.
    @discardableResult
    public mutating func insert(_ edition: Edition) throws(LibraryError) -> ID<Edition> {
        try edition.id.requireUnassigned("The edition", mayBeUpdated: false)
        guard let last = try books.last, edition.work == last.work.id else {
            throw Self.outOfOrder("An edition", edition.work)
        }
        var (edition, record) = try edition.validated()
        edition.id = try newIdentifier()
        changes.load(edition.id.untyped, of: .editions)
        last.add(LoadedEdition(edition, record))
        return edition.id
    }

    /// Sets what the reader did with the work inserted last.
    ///
    /// - Throws: `LibraryError.invalidArgument` or `.invalidValue` for an entry of another work, or when it was read less than never.
    public mutating func set(_ entry: UserLibraryEntry) throws(LibraryError) {
        guard let last = try books.last, entry.work == last.work.id else {
            throw Self.outOfOrder("An entry", entry.work)
        }
        let record = try entry.validatedRecord(title: last.work.title)
        if last.entry == nil { changes.load(entry.work.untyped, of: .entries) }
        last.set(entry, record)
    }

    // MARK: Pieces

    private var books: BookLoad {
        mutating get throws(LibraryError) {
            if let known = others as? BookLoad { return known }
            guard load.version.builtInKinds.contains(.works) else { throw .keepsNoBooks }
            let made = BookLoad(load, filing: filing)
            others = made
            return made
        }
    }

    private static func outOfOrder(_ what: String, _ work: ID<Work>) -> LibraryError {
        .invalidArgument(
            "\(what) of a load follows its work, before the next work: \(work) is not the one inserted last. "
                + "For a work that is in the library use write.")
    }
}
