/// A store that answers what a list of books asks.
///
/// All answers are typed rows with strings of their own, in title order; what is durable is flushed to the device.
protocol Peer: Sendable {
    static var name: String { get }

    /// Whether the works come to an import in title order; otherwise in the order they were added.
    static var importsInTitleOrder: Bool { get }

    /// Opens what is at the path, and begins a store there when there is none and it may be written.
    init(path: String, access: Access) throws

    /// For reading on another thread.
    func another() throws -> Self

    // MARK: Reading

    func page(offset: Int) throws -> [ListRow]

    /// The fifty rows behind one.
    func page(after anchor: Anchor) throws -> [ListRow]
    func page(status: Int, offset: Int) throws -> [ListRow]

    /// The first fifty rows whose titles begin with a text.
    func page(prefix: String, key: [UInt8]) throws -> [ListRow]

    /// Of the statuses that a work has, in their order.
    func statusCounts() throws -> [Int]

    /// The first fifty rows whose text holds the needle, which is lower-case.
    func search(_ needle: String) throws -> [ListRow]
    func searchCount(_ needle: String) async throws -> Int

    /// The best fifty rows whose text holds the needle, by the store's own ranking; `nil` when it has none.
    func rankedSearch(_ needle: String) throws -> [ListRow]?

    func fullWork(_ id: Int64) throws -> FullWork?

    // MARK: Writing

    /// Durable, in a commit of its own.
    func insert(_ book: Book) async throws

    /// One writer for each list of books, all at the same time; every book is a commit of its own, and durable.
    func insertConcurrently(_ books: [[Book]]) async throws

    /// One commit for all.
    func rename(_ changes: [Renaming], durably: Bool) async throws

    /// The quickest way in; everything is durable when this returns.
    func importBooks(_ file: BookFile) async throws

    /// Leaves out what is no longer part of the store, and gives its room back.
    func compact() async throws

    /// Leaves the files as a process does that ends in order.
    func close() async throws

    // MARK: An app's own records

    /// One durable commit for all.
    func insert(_ records: [SessionRecord]) async throws

    /// Fifty by day; those of a day in the order they were inserted.
    func sessions(offset: Int) throws -> [SessionRecord]

    /// Of all sessions of some days.
    func pageSum(days: Range<Int>) throws -> Int

    /// All sessions of so many pages, in the order they were inserted. No store has an index for that.
    func sessions(pages: Int) throws -> [SessionRecord]
}

enum Access: Sendable {
    case read
    case write
}

extension Peer {
    static var importsInTitleOrder: Bool { true }
    static var key: String { name.lowercased() }

    func another() throws -> Self { self }
    func rankedSearch(_ needle: String) throws -> [ListRow]? { nil }

    /// A store that is let go of is closed.
    func close() async throws {}

    static func source(_ folder: String) -> BookFile {
        importsInTitleOrder ? Catalogue.titleOrder(folder) : Catalogue.arrivalOrder(folder)
    }
}
