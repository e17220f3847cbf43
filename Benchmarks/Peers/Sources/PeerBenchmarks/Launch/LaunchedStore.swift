import BookDB
import GRDB

/// A store as an app opens it at its launch, on its main thread.
protocol LaunchedStore: Peer {
    /// What an app calls before it has anything to show: it may go on in the background.
    static func launch(path: String) throws -> Self

    /// The first fifty rows as soon as there are any; perhaps of before the last changes.
    func firstRows() async throws -> [ListRow]

    /// Returns when all changes are there.
    func ready() async throws
}

extension LaunchedStore {
    func firstRows() async throws -> [ListRow] { try page(offset: 0) }
    func ready() async throws {}
}

extension BookDBPeer: LaunchedStore {
    static func launch(path: String) -> BookDBPeer { BookDBPeer(BookStore(.file(path))) }

    func firstRows() async throws -> [ListRow] {
        while !store.snapshot.isLoaded { await Task.yield() }
        return try page(offset: 0)
    }

    func ready() async throws { try await store.ready() }
}

extension GRDBPeer: LaunchedStore {
    /// The pool, and a migrator that looks whether there is anything to migrate: both are called where the app starts.
    static func launch(path: String) throws -> GRDBPeer {
        let peer = try GRDBPeer(path: path, access: .read)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("books") { database in
            if try !database.tableExists("book") { try GRDBSchema.create(database) }
        }
        try migrator.migrate(peer.pool)
        return peer
    }
}

/// The stores whose launches are compared, BookDB first.
enum LaunchedStores {
    static let all: [any LaunchedStore.Type] = [BookDBPeer.self, GRDBPeer.self]

    static func named(_ key: String) throws -> any LaunchedStore.Type {
        guard let store = all.first(where: { $0.key == key }) else {
            throw Failure("No launch of “\(key)” is measured. → one of \(all.map { $0.key }.joined(separator: ", "))")
        }
        return store
    }
}
