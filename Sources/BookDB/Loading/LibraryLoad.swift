import Filing
import StorageEngine

/// Books and an app's own records on their way into a library, any number of them, as one commit.
///
/// It exists only inside the closure given to `BookStore.load` and cannot be kept. A work's editions and the reader's entry follow
/// it, before the next work; a record follows those that it links to. Nothing can be changed or deleted: that is what `BookStore.write` is
/// for.
///
/// An error that says the data is invalid leaves the load as it was, so a caller may skip a bad record and go on.
public struct LibraryLoad: ~Copyable {
    private let load: Load
    private let version: Version
    private let queue: LoadQueue
    private var meta: LibraryMeta
    private let storedMeta: LibraryMeta?
    private var changes = LibraryChanges()

    /// Authors of this load, and those of the library that it met.
    private var knownAuthors: [ID<Author>: Author] = [:]

    /// The last work, and what has followed it so far.
    private var last: LoadedBook?
    private var books: [LoadedBook] = []
    private var authors: [LoadedAuthor] = []

    /// `nil` until the first record of the app comes.
    private var records: RecordLoad?

    private static let batchCount = 256

    init(_ load: Load, newDevice: UInt32, newFiling: FilingTailoring) throws(BookError) {
        self.load = load
        version = load.version
        storedMeta = try LibraryMeta(load.version)
        meta = storedMeta ?? LibraryMeta(device: newDevice, filing: newFiling)
        queue = LoadQueue(load, filing: meta.filing)
    }

    /// What other threads still work out goes to collectors that end with the load, also where that throws.
    deinit { queue.wait() }

    /// Hands over what is left, and what goes with every commit.
    mutating func finish() throws(BookError) {
        endWork()
        try queue.add(LoadBatch(books, authors))
        try queue.finish()
        if let failure = records?.failure { throw failure }
        try load.put(meta, since: storedMeta)
        load.note = changes
    }
}

extension Load {
    /// Adds what a library says of itself, as far as it differs from what is stored.
    func put(_ meta: LibraryMeta, since stored: LibraryMeta?) throws(BookError) {
        try translatingErrors {
            try withCollector { (collector) throws(StorageError) in
                for (name, value) in meta.changes(since: stored) {
                    try collector.put(value, forKey: name, in: LibraryTree.meta)
                }
            }
        }
    }
}

extension LibraryLoad {
    /// Adds an author. Two authors may have the same name; look for `author(named:)` in a snapshot first to have one.
    ///
    /// - Throws: `BookError.invalidValue` or `.duplicate` for an author without a name, or who was inserted before.
    public mutating func insert(_ author: Author) throws(BookError) -> ID<Author> {
        guard !author.id.isAssigned else {
            throw .duplicate("\(author.name) is in the library as author \(author.id) already.")
        }
        let record = try author.validatedRecord()
        var author = author
        author.id = try meta.takeIdentifier()
        knownAuthors[author.id] = author
        changes.authors.insert(author.id)
        authors.append(LoadedAuthor(author: author, record: record))
        return author.id
    }

    /// Adds a work and gives it its identifier.
    ///
    /// - Throws: `BookError.invalidValue`, `.recordNotFound` or `.duplicate` for a work without a title, with an author who is neither in the library nor in the load, or
    ///   that was inserted before.
    @discardableResult
    public mutating func insert(_ work: Work) throws(BookError) -> ID<Work> {
        guard !work.id.isAssigned else {
            throw .duplicate("“\(work.title)” is in the library as work \(work.id) already.")
        }
        var (work, record) = try work.validated()
        var authors: [Author] = []
        authors.reserveCapacity(work.authors.count)
        for id in work.authors { authors.append(try author(id, of: work)) }
        endWork()
        if books.count >= Self.batchCount {
            try queue.add(LoadBatch(books, self.authors))
            books = []
            self.authors = []
        }
        work.id = try meta.takeIdentifier()
        changes.works.insert(work.id)
        last = LoadedBook(work: work, record: record, authors: authors)
        return work.id
    }

    /// Adds an edition of the work inserted last.
    ///
    /// - Throws: `BookError.invalidArgument` or `.duplicate` for one of another work, or that was inserted before.
    @discardableResult
    public mutating func insert(_ edition: Edition) throws(BookError) -> ID<Edition> {
        guard !edition.id.isAssigned else {
            throw .duplicate("The edition \(edition.id) is in the library already.")
        }
        guard let last, edition.work == last.work.id else { throw Self.outOfOrder("An edition", edition.work) }
        var (edition, record) = try edition.validated()
        edition.id = try meta.takeIdentifier()
        changes.editions.insert(edition.id)
        last.add(LoadedEdition(edition, record))
        return edition.id
    }

    /// Sets what the reader did with the work inserted last.
    ///
    /// - Throws: `BookError.invalidArgument` or `.invalidValue` for an entry of another work, or when it was read less than never.
    public mutating func set(_ entry: UserLibraryEntry) throws(BookError) {
        guard let last, entry.work == last.work.id else { throw Self.outOfOrder("An entry", entry.work) }
        let record = try entry.validatedRecord(title: last.work.title)
        if last.entry == nil { changes.entries.insert(entry.work) }
        last.set(entry, record)
    }

    /// Adds a record of the app and gives it its identifier. The library has to keep the orders and keys of the type already; a type that
    /// is named where the load begins has them: `store.load(Account.self, Transfer.self) { … }`.
    ///
    /// Some 7 µs with five orders, sorting and writing included. Until the load ends a record takes some 30 bytes of memory and each of its
    /// unique keys 40; each record of the library that was linked to takes as much, and one of the load by whose fields others stand in an
    /// order is kept whole.
    ///
    /// - Throws: `BookError.schemaMismatch` for a type that the library does not keep so; `.duplicate` or `.invalidValue` for a record that
    ///   was inserted before or that cannot be stored; `.notUnique` when another, of the library or of the load, has a unique key of it;
    ///   `.recordNotFound` when it links to one that is in neither. After an error of the disk the load adds nothing.
    @discardableResult
    public mutating func insert<Value: Record>(_ record: Value) throws(BookError) -> ID<Value> {
        if records == nil { records = try RecordLoad(load) }
        var next = meta
        let id: ID<Value> = try next.takeIdentifier()
        try records?.insert(record, as: id, beside: changes)
        meta = next
        changes.records[Value.recordName, default: Changes()].insert(id.untyped)
        return id
    }

    // MARK: Pieces

    private mutating func endWork() {
        if let last { books.append(last) }
        last = nil
    }

    private mutating func author(_ id: ID<Author>, of work: Work) throws(BookError) -> Author {
        if let author = knownAuthors[id] { return author }
        guard let author = try version.author(id) else {
            throw .recordNotFound("“\(work.title)” names the author \(id), who is not in the library.")
        }
        knownAuthors[id] = author
        return author
    }

    private static func outOfOrder(_ what: String, _ work: ID<Work>) -> BookError {
        .invalidArgument(
            "\(what) of a load follows its work, before the next work: \(work) is not the one inserted last. "
                + "For a work that is in the library use write.")
    }
}
