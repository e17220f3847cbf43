import StorageEngine
import Testing

@testable import RecordStore

private struct Book: Record {
    struct Credit: RecordPart {
        var role = ""
        var share: Money = 0
        enum CodingKeys: Int, CodingKey { case role = 0, share = 1 }
    }
    var id: ID<Book> = .unassigned
    var title = ""
    var account: Reference<LedgerAccount>?
    var credits: [Credit] = []
    enum CodingKeys: Int, CodingKey { case id = 0, title = 1, account = 2, credits = 3 }
    static let schema = Schema {
        Link(\.account, onDelete: .nullify)
        Order("by account", .linked(\.account, .ascending(\.name)), .descending(\.title))
        Order("by role", .each(\.credits, \.role)).sum(each: \.credits, \.share)
    }
}

/// Who has not got an app's types sees its records in the app's words all the same.
@Suite struct StoredKindTests {
    @Test func `kinds, orders, sums and links are told in the words of the app`() async throws {
        try await withLibrary { library in
            let account = try await library.insert(LedgerAccount(name: "Savings"))
            try await library.insert(
                Book(title: "A", account: account, credits: [.init(role: "author", share: 2), .init(role: "editor")]))
            try await library.insert(Book(title: "B"))
            let kinds = try library.snapshot.kinds
            #expect(kinds.map(\.name) == ["Book", "LedgerAccount"] && kinds.map(\.count) == [2, 1])
            let book = kinds[0]
            #expect(
                book.fields.map { "\($0.number) \($0.name): \($0.type)" } == [
                    "1 title: a text", "2 account: an identifier",
                    "3 credits: a list, each element a value with fields",
                ])
            #expect(book.orders.map(\.name) == ["by account", "by role", "link 2"])
            #expect(book.orders.map(\.words) == ["account.name, title descending", "credits.role", "account"])
            #expect(book.orders.map(\.sums) == [[], ["credits.share"], []] && book.orders.map(\.count) == [2, 2, 2])
            #expect(book.links == [.init(field: "account", target: "LedgerAccount", onDelete: "nullify")])
            #expect(try library.snapshot.kind(named: "Nothing") == nil)
        }
    }

    @Test func `records come by identifier and in any order, each as an export has it`() async throws {
        try await withLibrary { library in
            try await library.write { transaction in
                for day in 0..<20 {
                    try transaction.insert(
                        LedgerTransfer(
                            account: .unassigned, date: Day(daysSince1970: Int32(day * 7 % 20)), amount: Money(day),
                            note: "n\(day)", isPending: day % 3 == 0))
                }
            }
            let snapshot = library.snapshot
            let kind = try #require(try snapshot.kind(named: "LedgerTransfer"))
            let all = try snapshot.records(of: kind, limit: 100)
            let exported = try snapshot.exportedLines().filter { $0.contains(#""type":"record""#) }
            #expect(all.map(\.line) == exported && all.map(\.kind).allSatisfy { $0 == "LedgerTransfer" })
            let newest = try #require(kind.orders.first { $0.name == "all" })
            #expect(newest.words == "date descending" && newest.facets.contains("income"))
            let page = try snapshot.records(of: kind, in: newest, offset: 5, limit: 4)
            let expected = try snapshot.list(LedgerTransfer.self, "all").page(offset: 5, limit: 4)
            #expect(page.map(\.id) == expected.map(\.id.description))
            #expect(page[0].fields.first { $0.name == "date" }?.text == expected[0].date.description)
            #expect(page[0].fields.first { $0.name == "note" }?.json == "\"\(expected[0].note)\"")
            #expect(
                try snapshot.records(of: kind, offset: 19).count == 1 && snapshot.records(of: kind, offset: 99).isEmpty)
            #expect(throws: LibraryError.self) { try snapshot.records(of: kind, offset: -1) }
            #expect(try snapshot.record(identified: all[3].id)?.line == all[3].line)
            #expect(try snapshot.record(identified: "nothing") == nil && snapshot.record(identified: "000001-1") == nil)
        }
    }
}
