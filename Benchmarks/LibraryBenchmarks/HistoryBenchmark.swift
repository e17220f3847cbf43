import BookDB
import Foundation

/// What a log would grow by if it carried what its commits replaced: real commits of a ledger and of books, their frames made again with
/// what each kind of history adds.
///
///     swift run -c release LibraryBenchmarks FOLDER --history
///
/// Nothing of it is written by the library today: `docs/decisions/0027-history.md` says what is decided and reserved.
struct HistoryBenchmark {
    struct Account: Record {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    struct Transfer: Record {
        var id: ID<Transfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var date = Day(daysSince1970: 0)
        var amount: Money = 0
        var category = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, account, date, amount, category, note }
        static let schema = Schema {
            Order("all", .descending(\.date))
            Order("statement", \.account, .descending(\.date)).sum(\.amount, findsRows: true)
            Order("by category", \.category, \.date).sum(\.amount)
            Order("by day", \.date).sum(\.amount)
            Order("largest", .descending(\.amount))
            Link(\.account, onDelete: .cascade)
        }
    }

    let folder: String
    private static let transferCount = 19_000
    private static let bookCount = 10_000
    private static let editCount = 200

    func run() async throws {
        HistoryTable.printHead()
        try await ledger()
        try await books()
        HistoryTable.printFoot()
    }

    // MARK: A ledger

    private func ledger() async throws {
        let path = "\(folder)/History-ledger.bookdb"
        try? FileManager.default.removeItem(atPath: path)
        let first = try BookStore(at: path)
        let accounts = try await first.write { library in
            try (0..<5).map { try library.insert(Account(name: "Account \($0)")) }
        }
        let transfers = (0..<Self.transferCount).map { Self.transfer($0, accounts) }
        for start in stride(from: 0, to: transfers.count, by: 1000) {
            let batch = transfers[start..<min(start + 1000, transfers.count)]
            try await first.write { library in for transfer in batch { try library.insert(transfer) } }
        }
        let ids = try first.snapshot.list(Transfer.self, "all").identifiers(limit: Self.editCount)
        try await first.close()

        try await measure("ledger: an amount", path) { store in
            for id in ids { try await store.update(id, .memory) { $0.amount += 1 } }
        }
        try await measure("ledger: a note", path) { store in
            for (number, id) in ids.enumerated() {
                try await store.update(id, .memory) { $0.note = "for the \(number). time" }
            }
        }
        try await measure("ledger: import, 100 a commit", path) { store in
            for batch in 0..<10 {
                try await store.write(.memory) { library in
                    for number in 0..<100 {
                        try library.insert(Self.transfer(Self.transferCount + batch * 100 + number, accounts))
                    }
                }
            }
        }
        try await measure("ledger: an account, with its transfers", path) { store in
            try await store.delete(accounts[0])
        }
    }

    private static func transfer(_ number: Int, _ accounts: [BookDB.ID<Account>]) -> Transfer {
        var state = UInt64(number) &+ 88_172_645_463_325_252
        func next(_ limit: UInt64) -> UInt64 {
            for _ in 0..<3 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
            }
            return state % limit
        }
        return Transfer(
            account: accounts[Int(next(5))], date: Day(daysSince1970: 15_000 + Int32(next(3000))),
            amount: Money(tenThousandths: (Int64(next(200_000)) - 100_000) * 100), category: Int(next(40)),
            note: "note \(number)")
    }

    // MARK: Books

    private func books() async throws {
        let path = "\(folder)/History-books.bookdb"
        try? FileManager.default.removeItem(atPath: path)
        let first = try BookStore(at: path)
        try await first.fill(withSample: Self.bookCount, seed: 7)
        let ids = try first.snapshot.works.list().page(offset: 5000, limit: 2 * Self.editCount).map(\.id)
        try await first.close()
        let (edited, deleted) = (ids.prefix(Self.editCount), ids.suffix(Self.editCount))

        try await measure("books: a status", path) { store in
            for id in edited {
                try await store.updateEntry(of: id, .memory) { $0.status = $0.status == .read ? .reading : .read }
            }
        }
        try await measure("books: a title", path) { store in
            for id in edited { try await store.update(id, .memory) { $0.title += ", revised" } }
        }
        let invented = try await InventedBooks(works: 1000)
        try await measure("books: import, 100 a commit", path) { store in
            let authors = try await store.write(.memory) { library in
                var ids: [BookDB.ID<Author>] = []
                for author in invented.authors { ids.append(try library.insert(author)) }
                return ids
            }
            for start in stride(from: 0, to: invented.books.count, by: 100) {
                try await store.write(.memory) { library in
                    for book in invented.books[start..<min(start + 100, invented.books.count)] {
                        var work = book.work
                        work.authors = book.authors.map { authors[$0] }
                        let id = try library.insert(work)
                        if var entry = book.entry {
                            entry.work = id
                            try library.set(entry)
                        }
                    }
                }
            }
        }
        try await measure("books: a work, with all it has", path) { store in
            for id in deleted { try await store.delete(id, .memory) }
        }
    }

    /// The commits that `body` makes, after a snapshot of what was there before.
    private func measure(_ name: String, _ path: String, _ body: (BookStore) async throws -> Void) async throws {
        let before = try BookStore(at: path)
        try await before.compact()
        try await before.close()
        let store = try BookStore(at: path)
        try await body(store)
        try await store.close()
        try HistoryTable(name, path).printLine()
    }
}
