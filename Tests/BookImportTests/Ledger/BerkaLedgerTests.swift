import BookDB
import Foundation
import Testing

/// The transactions of a Czech bank (PKDD'99), kept in orders with sums: recounted, and compared with the balances that the bank printed.
@Suite(.needsSharedData) struct BerkaLedgerTests {
    private struct BankAccount: Record {
        var id: ID<BankAccount> = .unassigned
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, number }
        static let uniqueKeys = [Unique(\.number)]
    }

    private struct Movement: Record {
        var id: ID<Movement> = .unassigned
        var account: Reference<BankAccount> = .unassigned
        var date = Day(daysSince1970: 0)
        /// Its place in the bank's file, where an account's are in the order of their days.
        var place = 0
        var amount: Money = 0
        var purpose = ""
        enum CodingKeys: Int, CodingKey { case id, account, date, place, amount, purpose }
        static let schema = Schema {
            Order("all", .descending(\.date), .descending(\.place))
            Order("statement", \.account, .descending(\.date), .descending(\.place)).sum(\.amount, findsRows: true)
            Order("by purpose", \.purpose, \.date).sum(\.amount)
            Order("by day", \.date).sum(\.amount)
            Order("largest", .descending(\.amount))
        }
    }

    private struct Row {
        let account: Int
        let date: Day
        let amount: Decimal
        let balance: Decimal
        let purpose: String
    }

    private static func rows() throws -> [Row] {
        let path = try #require(SharedData.directory) + "/ledger/berka/trans_test.csv"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return try text.split(whereSeparator: \.isNewline).dropFirst().map { line in
            let fields = line.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
            let digits = fields[2]
            let (year, month, day) = (digits.prefix(2), digits.dropFirst(2).prefix(2), digits.suffix(2))
            let amount = try #require(Decimal(string: fields[5]))
            return Row(
                account: try #require(Int(fields[1])),
                date: try #require(Day(year: 1900 + Int(year)!, month: Int(month)!, day: Int(day)!)),
                amount: fields[3] == "credit" ? amount : -amount, balance: try #require(Decimal(string: fields[6])),
                purpose: fields[7])
        }
    }

    private static func money(_ amount: Decimal) throws -> Money { try #require(Money("\(amount)")) }

    @Test func `every balance of the bank's that its own rows prove is what the statements say`() async throws {
        let rows = try Self.rows()
        #expect(rows.count == 30_200)
        let store = try BookStore.inMemory()
        let accounts = try await store.write(.memory) { library in
            var accounts: [Int: ID<BankAccount>] = [:]
            for number in Set(rows.map(\.account)).sorted() {
                accounts[number] = try library.insert(BankAccount(number: number))
            }
            for (place, row) in rows.enumerated() {
                try library.insert(
                    Movement(
                        account: accounts[row.account]!, date: row.date, place: place,
                        amount: try Self.money(row.amount),
                        purpose: row.purpose))
            }
            return accounts
        }
        try Self.check(store.snapshot, rows, accounts)
        try await store.compact()
        try Self.check(store.snapshot, rows, accounts)
        try await store.close()
    }

    private static func check(_ snapshot: Snapshot, _ rows: [Row], _ accounts: [Int: ID<BankAccount>]) throws {
        #expect(accounts.count == 354)
        let all = try snapshot.list(Movement.self, "all")
        #expect(all.count == rows.count)
        let days = try snapshot.list(Movement.self, "by day")
        #expect(try days.sum(\.amount) == money(rows.reduce(0) { $0 + $1.amount }))
        var provedCount = 0
        for (number, id) in accounts {
            let own = rows.filter { $0.account == number }
            let statement = try snapshot.list(Movement.self, "statement", of: id)
            #expect(statement.count == own.count)
            #expect(try statement.sum(\.amount) == money(own.reduce(0) { $0 + $1.amount }))
            // The newest row of the statement is the last of the file. A stretch of rows in which each balance follows from
            // the one before is proved by the bank itself.
            var start = 0
            for index in own.indices.dropFirst() {
                if own[index - 1].balance + own[index].amount == own[index].balance {
                    provedCount += 1
                    let stretch = statement.rows(own.count - 1 - index..<own.count - 1 - start)
                    #expect(try stretch.sum(\.amount) == money(own[index].balance - own[start].balance))
                } else {
                    start = index
                }
            }
            var sum: Decimal = 0
            for (index, row) in own.enumerated() {
                sum += row.amount
                guard index.isMultiple(of: 17) else { continue }
                #expect(try statement.runningSum(\.amount, at: own.count - 1 - index) == money(sum))
                let later = try statement[from: row.date]
                #expect(
                    try later.sum(\.amount) == money(own.filter { $0.date >= row.date }.reduce(0) { $0 + $1.amount }))
            }
        }
        #expect(provedCount == 19_971)
        let purposes = Dictionary(grouping: rows, by: \.purpose)
        for (purpose, found) in purposes {
            let list = try snapshot.list(Movement.self, "by purpose", of: purpose)
            #expect(list.count == found.count)
            #expect(try list.sum(\.amount) == money(found.reduce(0) { $0 + $1.amount }))
        }
        #expect(try snapshot.list(Movement.self, "by purpose").groups().count == purposes.count)
        let months = Dictionary(grouping: rows) { "\($0.date.year)-\($0.date.month)" }
        let groups = try days.groups(by: .month)
        #expect(groups.count == months.count)
        for (first, list) in groups {
            let found = try #require(months["\(first.year)-\(first.month)"])
            #expect(list.count == found.count)
            #expect(try list.sum(\.amount) == money(found.reduce(0) { $0 + $1.amount }))
        }
        let largest = try snapshot.list(Movement.self, "largest").page(limit: 5).map(\.amount)
        #expect(largest == (try rows.map(\.amount).sorted(by: >).prefix(5).map(money)))
    }
}
