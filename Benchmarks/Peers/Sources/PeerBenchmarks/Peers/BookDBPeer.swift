import BookDB

/// BookDB through its public interface, as an app uses it.
struct BookDBPeer: Peer {
    static let name = "BookDB"
    static let importsInTitleOrder = false

    let store: BookStore

    init(_ store: BookStore) { self.store = store }

    init(path: String, access: Access) throws {
        store = try BookStore(at: path, access: access == .read ? .readOnly : .exclusive)
    }

    private var works: Snapshot.Works { store.snapshot.works }

    func page(offset: Int) throws -> [ListRow] {
        try works.list().rows(offset: offset, limit: 50) { ListRow($0) }
    }

    func page(after anchor: Anchor) throws -> [ListRow] {
        try works.list().rows(after: anchor.cursor, limit: 50) { ListRow($0) }.rows
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        let status = ReadingStatus(rawValue: UInt8(status)) ?? .none
        return try works.list(by: .title, .status(status)).rows(offset: offset, limit: 50) { ListRow($0) }
    }

    func page(prefix: String, key: [UInt8]) throws -> [ListRow] {
        try works.list(.titled(prefix)).rows(offset: 0, limit: 50) { ListRow($0) }
    }

    func statusCounts() throws -> [Int] {
        let byStatus = try works.statusCounts
        var counts: [Int] = []
        for status in ReadingStatus.allCases where byStatus[status] > 0 { counts.append(byStatus[status]) }
        return counts
    }

    /// In title order, as the peers answer. Where nothing matches BookDB goes on to look for typos, which nobody else does.
    func search(_ needle: String) throws -> [ListRow] {
        try works.search(needle, forgiving: false, ranked: false).rows(50) { row, _ in ListRow(row) }
    }

    func searchCount(_ needle: String) async throws -> Int { try await works.search(needle, forgiving: false).count() }

    func fullWork(_ id: Int64) throws -> FullWork? { try works.details(ID(id)).map(FullWork.init) }

    func rankedSearch(_ needle: String) throws -> [ListRow]? {
        try works.search(needle).rows(50) { row, isGuess in isGuess ? nil : ListRow(row) }.compactMap(\.self)
    }

    func insert(_ book: Book) async throws {
        try await store.write { library in
            var authors: [Int64: ID<Author>] = [:]
            try library.insert(book, authors: &authors)
        }
    }

    func insertConcurrently(_ books: [[Book]]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for list in books {
                group.addTask { for book in list { try await insert(book) } }
            }
            try await group.waitForAll()
        }
    }

    func rename(_ changes: [Renaming], durably: Bool) async throws {
        try await store.write(durably ? .flushed : .memory) { library in
            for change in changes {
                guard var work = try library.work(ID(change.id)) else { throw Failure("no work \(change.id)") }
                work.title = change.title
                try library.update(work)
            }
        }
    }

    func importBooks(_ file: BookFile) async throws {
        try await store.load { library in
            var authors: [Int64: ID<Author>] = [:]
            try file.forEachBatch { books, _ in
                for book in books { try library.insert(book, authors: &authors) }
            }
        }
    }

    func compact() async throws { try await store.compact() }

    func close() async throws { try await store.close() }
}
