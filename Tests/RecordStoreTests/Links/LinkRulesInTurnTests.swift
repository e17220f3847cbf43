import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

private struct Account: Record {
    var id: ID<Account> = .unassigned
    enum CodingKeys: Int, CodingKey { case id = 0 }
}

/// An app and its extension, whose types declare different rules of one link.
private enum Old {
    struct Expense: Record {
        var id: ID<Expense> = .unassigned
        var account: Reference<Account>?
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let recordName = "Expense"
        static let schema = Schema { Link(\.account, onDelete: .cascade) }
    }

    struct Receipt: Record {
        var id: ID<Receipt> = .unassigned
        var expense: Reference<Expense>?
        enum CodingKeys: Int, CodingKey { case id = 0, expense = 1 }
        static let recordName = "Receipt"
        static let schema = Schema { Link(\.expense, onDelete: .cascade) }
    }
}

private enum New {
    /// Of the same rule.
    struct Expense: Record {
        var id: ID<Expense> = .unassigned
        var account: Reference<Account>?
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let recordName = "Expense"
        static let schema = Schema { Link(\.account, onDelete: .cascade) }
    }

    struct Denying: Record {
        var id: ID<Denying> = .unassigned
        var account: Reference<Account>?
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let recordName = "Expense"
        static let schema = Schema { Link(\.account, onDelete: .deny) }
    }

    struct Keeping: Record {
        var id: ID<Keeping> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0 }
        static let recordName = "Expense"
        static let schema = Schema { EndedLink(1) }
    }

    struct Receipt: Record {
        var id: ID<Receipt> = .unassigned
        var expense: Reference<Expense>?
        enum CodingKeys: Int, CodingKey { case id = 0, expense = 1 }
        static let recordName = "Receipt"
        static let schema = Schema { Link(\.expense, onDelete: .nullify) }
    }
}

@Suite struct LinkRulesInTurnTests {
    private let fileSystem = MemoryFileSystem()

    /// A library that the extension wrote to last.
    private func open() async throws -> (RecordLibrary, ID<Account>) {
        let old = try RecordLibrary(at: "Links.bookdb", fileSystem: fileSystem)
        let account = try await old.write { library in
            let account = try library.insert(Account())
            let expense = try library.insert(Old.Expense(account: account))
            try library.insert(Old.Receipt(expense: expense))
            return account
        }
        try await old.close()
        return (try RecordLibrary(at: "Links.bookdb", fileSystem: fileSystem), account)
    }

    private func close(_ store: RecordLibrary) async throws {
        expectSound(store.snapshot)
        #expect(try await store.verify().isSound)
        try await store.close()
    }

    @Test func `a deletion goes by the rule of the app that deletes, and not by that of the version that wrote last`()
        async throws
    {
        let (store, account) = try await open()
        #expect(try store.snapshot.records(New.Denying.self).count == 1)
        let error = await libraryError { try await store.delete(account) }
        guard case .referenced? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try store.snapshot.records(New.Denying.self).count == 1)
        try await close(store)
    }

    @Test func `so does what is deleted with it`() async throws {
        let (store, account) = try await open()
        #expect(try store.snapshot.records(New.Expense.self).count == 1)
        #expect(try store.snapshot.records(New.Receipt.self).count == 1)
        try await store.delete(account)
        #expect(try store.snapshot.records(New.Expense.self).count == 0)
        #expect(try store.snapshot.records(New.Receipt.self).all.map(\.expense) == [nil])
        try await close(store)
    }

    @Test func `a link that the app has ended deletes nothing`() async throws {
        let (store, account) = try await open()
        #expect(try store.snapshot.records(New.Keeping.self).count == 1)
        try await store.delete(account)
        #expect(try store.snapshot.records(New.Keeping.self).count == 1)
        try await close(store)
    }

    @Test func `where types of one app do not agree, what is stored counts`() async throws {
        let (store, account) = try await open()
        #expect(try store.snapshot.records(New.Denying.self).count == 1)
        #expect(try store.snapshot.records(New.Expense.self).count == 1)
        try await store.delete(account)
        #expect(try store.snapshot.records(New.Expense.self).count == 0)
        try await close(store)
    }
}
