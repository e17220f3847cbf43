import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Rows with the fields of what they name: a category's name beside a payment.
struct LinkedRowTests {
    private struct Category: Record, Equatable {
        var id: ID<Category> = .unassigned
        var name = ""
        var parent: Reference<Category>?
        enum CodingKeys: Int, CodingKey { case id, name, parent }
    }

    private struct Account: Record, Equatable {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Payment: Record, Equatable {
        var id: ID<Payment> = .unassigned
        var account: Reference<Account> = .unassigned
        var category: Reference<Category>?
        var day = 0
        enum CodingKeys: Int, CodingKey { case id, account, category, day }
        static let schema = Schema {
            Order("newest", .descending(\.day))
            Link(\.account, onDelete: .keep)
        }
    }

    private static func words(
        _ payment: RecordRow<Payment>, _ account: RecordRow<Account>?, _ category: RecordRow<Category>?
    ) throws -> String {
        try "\(payment.day) \(account?.name ?? "-") \(category?.name ?? "-")"
    }

    private static func words(
        _ payment: Payment, _ accounts: [ID<Account>: String], _ categories: [ID<Category>: String]
    ) -> String {
        "\(payment.day) \(accounts[payment.account] ?? "-") \(payment.category.flatMap { categories[$0] } ?? "-")"
    }

    @Test func `a page shows what its rows name, as it is now, in a snapshot and in a transaction`() async throws {
        var random = SeededGenerator.forTest(fallback: 91)
        try await withLibrary { store in
            var accounts: [ID<Account>: String] = [:]
            var categories: [ID<Category>: String] = [:]
            for name in ["Cash", "Bank"] { accounts[try await store.insert(Account(name: name))] = name }
            for name in ["food", "rent", "fun"] { categories[try await store.insert(Category(name: name))] = name }
            let accountIDs = accounts.keys.sorted()
            let categoryIDs = categories.keys.sorted()
            for day in 0..<200 {
                let isPlaced = !random.oneIn(9)
                try await store.insert(
                    Payment(
                        account: isPlaced ? random.pick(accountIDs)! : .unassigned,
                        category: random.oneIn(4) ? nil : random.pick(categoryIDs)!, day: day), .memory)
            }
            func check() async throws {
                let (accounts, categories) = (accounts, categories)
                let list = try store.snapshot.list(Payment.self, "newest")
                let expected = try list.page(limit: 300).map { Self.words($0, accounts, categories) }
                #expect(
                    try list.page(limit: 300, with: \.account, \.category) { try Self.words($0, $1, $2) } == expected)
                #expect(
                    try list.page(offset: 190, limit: 50, with: \.category) { try "\($0.day) \($1?.name ?? "-")" }
                        == list.page(offset: 190, limit: 50).map {
                            "\($0.day) \($0.category.flatMap { categories[$0] } ?? "-")"
                        })
                let records = try store.snapshot.records(Payment.self).all
                #expect(
                    try records.page(offset: 3, limit: 40, with: \.account, \.category, line: Self.words)
                        == records.page(offset: 3, limit: 40).map { Self.words($0, accounts, categories) })
                try await store.write(.memory) { library in
                    let inside = try library.records(Payment.self).all
                    #expect(
                        try inside.page(with: \.account, \.category, line: Self.words)
                            == inside.page().map { Self.words($0, accounts, categories) })
                    let list = try library.list(Payment.self, "newest")
                    #expect(try list.page(limit: 300, with: \.account, \.category, line: Self.words) == expected)
                }
            }
            try await check()
            // One record is written, and two hundred lines are others.
            try await store.update(categoryIDs[0]) { $0.name = "groceries" }
            categories[categoryIDs[0]] = "groceries"
            try await check()
            // What is gone, and what nobody removes from those that named it.
            try await store.write { library in
                _ = try library.delete(categoryIDs[1])
                _ = try library.delete(accountIDs[1])
            }
            categories[categoryIDs[1]] = nil
            accounts[accountIDs[1]] = nil
            try await check()
        }
    }

    @Test func `records that name each other, and a line that throws`() async throws {
        let store = try RecordLibrary.inMemory()
        let parent = try await store.insert(Category(name: "all"))
        for name in ["a", "b", "c"] { try await store.insert(Category(name: name, parent: parent)) }
        let categories = try store.snapshot.records(Category.self).all
        let lines = try categories.page(limit: 9, with: \.parent) { "\(try $0.name) < \(try $1?.name ?? "")" }
        #expect(lines == ["all < ", "a < all", "b < all", "c < all"])
        #expect(throws: CancellationError.self) {
            try categories.page(limit: 9, with: \.parent) { _, _ in throw CancellationError() }
        }
        try await store.close()
    }
}
