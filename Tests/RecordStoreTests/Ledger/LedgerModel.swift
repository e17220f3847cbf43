import RecordStore
import TestSupport
import Testing

/// What a ledger should hold, in plain arrays, and random things that people do to it.
struct LedgerModel {
    private(set) var accounts: [ID<Ledger.Account>: Ledger.Account] = [:]
    private(set) var categories: [ID<Ledger.Category>] = []
    private(set) var subcategories: [ID<Ledger.Subcategory>: Ledger.Subcategory] = [:]
    private(set) var series: [ID<Ledger.Series>: Ledger.Series] = [:]
    private(set) var transfers: [ID<Ledger.Transfer>: Ledger.Transfer] = [:]
    private var nameCount = 0

    static let lastDay: Int32 = 400

    mutating func begin(_ library: inout LibraryTransaction) throws {
        for currency in ["EUR", "EUR", "USD"] { try open(currency, &library) }
        for number in 0..<3 { categories.append(try library.insert(Ledger.Category(name: "\(number)"))) }
        for number in 0..<4 { try file("sub \(number)", [categories[number % 3]], &library) }
    }

    private mutating func open(_ currency: String, _ library: inout LibraryTransaction) throws {
        nameCount += 1
        var account = Ledger.Account(name: "Account \(nameCount)", currency: currency)
        account.id = try library.insert(account)
        accounts[account.id] = account
    }

    private mutating func file(
        _ name: String, _ categories: [ID<Ledger.Category>], _ library: inout LibraryTransaction
    ) throws {
        var subcategory = Ledger.Subcategory(name: name, categories: categories)
        subcategory.id = try library.insert(subcategory)
        subcategories[subcategory.id] = subcategory
    }

    private func day(_ random: inout SeededGenerator) -> Day {
        Day(daysSince1970: .random(in: 0...Self.lastDay, using: &random))
    }

    private func account(_ random: inout SeededGenerator) -> Ledger.Account? {
        random.oneIn(3) ? nil : accounts.keys.sorted().randomElement(using: &random).flatMap { accounts[$0] }
    }

    private func transfer(_ random: inout SeededGenerator) -> Ledger.Transfer {
        let (from, to) = (account(&random), account(&random))
        let sent = Money(Int.random(in: 0...60, using: &random))
        // Amounts of one currency may differ by a fee, but not within one account.
        let isExchange = from?.currency != to?.currency
        return Ledger.Transfer(
            from: from?.id, to: to?.id, date: day(&random), sent: sent, sentIn: from?.currency ?? "EUR",
            received: isExchange ? sent + sent : sent, receivedIn: to?.currency ?? "EUR",
            subcategory: subcategories.keys.sorted().randomElement(using: &random),
            note: random.pick(["", "Café", "rent"])!)
    }

    /// One thing that somebody does, to the library and to the model.
    mutating func step(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7:
            var new = transfer(&random)
            new.id = try library.insert(new)
            transfers[new.id] = new
        case 7..<11:
            guard let id = transfers.keys.sorted().randomElement(using: &random), let old = transfers[id] else {
                return
            }
            var changed = random.oneIn(2) ? old : transfer(&random)
            (changed.id, changed.series, changed.occurrence) = (id, old.series, old.occurrence)
            changed.date = day(&random)
            try library.update(changed)
            transfers[id] = changed
        case 11:
            guard let id = transfers.keys.sorted().randomElement(using: &random) else { return }
            try library.delete(id)
            transfers[id] = nil
        case 12: try begin(aSeries: &library, &random)
        case 13, 14: try generate(&library, &random)
        case 15: try stop(&library, &random)
        case 16: try refile(&library, &random)
        case 17: try rename(&library, &random)
        case 18: try state(&library, &random)
        default: if random.oneIn(3) { try close(&library, &random) }
        }
    }

    // MARK: Series

    private mutating func begin(aSeries library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard let account = accounts.keys.sorted().randomElement(using: &random).flatMap({ accounts[$0] }) else {
            return
        }
        var new = Ledger.Series(
            from: random.oneIn(2) ? account.id : nil, to: random.oneIn(2) ? account.id : nil,
            amount: Money(Int.random(in: 1...40, using: &random)), currency: account.currency,
            subcategory: subcategories.keys.sorted().randomElement(using: &random), first: day(&random),
            everyDays: .random(in: 20...90, using: &random))
        new.id = try library.insert(new)
        series[new.id] = new
    }

    private mutating func generate(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard let id = series.keys.sorted().randomElement(using: &random), var made = series[id] else { return }
        let end = day(&random)
        try library.generate(id, through: end)
        for transfer in try library.records(Ledger.Transfer.self).where(\.series == id).page() {
            if transfers[transfer.id] != nil { continue }
            transfers[transfer.id] = transfer
            // What is new was due, and was not made before.
            let due = try #require(transfer.occurrence)
            #expect(due <= end && due <= made.last ?? due && made.generatedTo.map { due > $0 } ?? true)
            #expect(transfer.sent == made.amount && transfer.subcategory == made.subcategory)
        }
        let last = min(end, made.last ?? end)
        let dueCount = stride(from: made.first.daysSince1970, through: last.daysSince1970, by: made.everyDays).count {
            Day(daysSince1970: $0) > made.generatedTo ?? Day(daysSince1970: -1)
        }
        made.generatedTo = max(last, made.generatedTo ?? last)
        series[id] = made
        let isNew = { (transfer: Ledger.Transfer) in transfer.series == id }
        #expect(dueCount <= transfers.values.count(where: isNew))
    }

    private mutating func stop(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard let id = series.keys.sorted().randomElement(using: &random), var stopped = series[id] else { return }
        let end = day(&random)
        try library.stop(id, behind: end)
        transfers = transfers.filter { $0.value.series != id || $0.value.occurrence.map { $0 <= end } ?? true }
        stopped.last = end
        stopped.generatedTo = min(end, stopped.generatedTo ?? end)
        series[id] = stopped
    }

    // MARK: Files and accounts

    private mutating func refile(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        if random.oneIn(3), categories.count > 1 {
            let gone = categories.remove(at: Int.random(in: 0..<categories.count, using: &random))
            try library.delete(gone)
            for id in subcategories.keys { subcategories[id]?.categories.removeAll { $0 == gone } }
            nameCount += 1
            categories.append(try library.insert(Ledger.Category(name: "Category \(nameCount)")))
        }
        guard let id = subcategories.keys.sorted().randomElement(using: &random), var changed = subcategories[id] else {
            return
        }
        if random.oneIn(4) {
            try library.delete(id)
            subcategories[id] = nil
            for transfer in transfers.keys where transfers[transfer]?.subcategory == id {
                transfers[transfer]?.subcategory = nil
            }
            for number in series.keys where series[number]?.subcategory == id { series[number]?.subcategory = nil }
            return try file(changed.name, changed.categories, &library)
        }
        changed.categories = categories.filter { _ in random.oneIn(2) }
        try library.update(changed)
        subcategories[id] = changed
    }

    private mutating func rename(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard let id = accounts.keys.sorted().randomElement(using: &random) else { return }
        nameCount += 1
        accounts[id]?.name = "Account \(nameCount)"
        try library.update(accounts[id]!)
        if let other = accounts.values.first(where: { $0.id != id }) {
            let error = #expect(throws: LibraryError.self) {
                try library.insert(Ledger.Account(name: other.name.uppercased()))
            }
            guard case .notUnique = error else { throw error ?? LibraryError.cancelled }
        }
    }

    private mutating func state(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard let id = accounts.keys.sorted().randomElement(using: &random) else { return }
        let (balance, day) = (Money(Int.random(in: -100...100, using: &random)), day(&random))
        accounts[id]?.statedBalance = balance
        accounts[id]?.statedOn = day
        try library.update(accounts[id]!)
    }

    private mutating func close(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        guard accounts.count > 2, let id = accounts.keys.sorted().randomElement(using: &random) else { return }
        try library.close(id)
        let currency = accounts.removeValue(forKey: id)?.currency ?? "EUR"
        let goneSeries = series.values.filter { $0.from == id || $0.to == id }.map(\.id)
        for number in goneSeries { series[number] = nil }
        for (number, transfer) in transfers {
            let hasOther = [transfer.from, transfer.to].contains { $0 != nil && $0 != id }
            let isOf = transfer.from == id || transfer.to == id
            if isOf, !hasOther { transfers[number] = nil }
            if transfer.from == id { transfers[number]?.from = nil }
            if transfer.to == id { transfers[number]?.to = nil }
            if let from = transfer.series, goneSeries.contains(from) { transfers[number]?.series = nil }
        }
        try open(currency, &library)
    }
}

extension LedgerModel {
    /// What a transfer is to an account.
    private func amount(of transfer: Ledger.Transfer, in account: ID<Ledger.Account>) -> Money {
        (transfer.from == account ? -transfer.sent : 0) + (transfer.to == account ? transfer.received : 0)
    }

    private static func sum(_ amounts: some Sequence<Money>) -> Money { amounts.reduce(0) { $0 + $1 } }

    /// Counts everything again that the library keeps.
    func check(_ snapshot: Snapshot, _ random: inout SeededGenerator) throws {
        func all<Value: Record>(_ type: Value.Type) throws -> [ID<Value>: Value] {
            Dictionary(uniqueKeysWithValues: try snapshot.records(type).all.map { ($0.id, $0) })
        }
        try #require(try all(Ledger.Account.self) == accounts)
        try #require(try all(Ledger.Subcategory.self) == subcategories)
        try #require(try all(Ledger.Series.self) == series)
        try #require(try all(Ledger.Transfer.self) == transfers)
        for account in accounts.values { try check(account, snapshot, &random) }
        try checkFiles(snapshot)
    }

    private func check(
        _ account: Ledger.Account, _ snapshot: Snapshot, _ random: inout SeededGenerator
    ) throws {
        let statement = try snapshot.statement(of: account.id)
        let expected = transfers.values.filter { $0.from == account.id || $0.to == account.id }
            .sorted { ($1.date, $0.id) < ($0.date, $1.id) }
        let amounts = expected.map { amount(of: $0, in: account.id) }
        try #require(try statement.identifiers(limit: .max) == expected.map(\.id))
        try #require(try statement.amounts(\.sent, limit: .max) == amounts)
        try #require(try statement.sum(\.sent) == Self.sum(amounts))
        let day = day(&random)
        let known = zip(expected, amounts).filter { $0.0.date <= day }.map(\.1)
        try #require(try statement[to: day].sum(\.sent) == Self.sum(known))
        if !amounts.isEmpty {
            let row = Int.random(in: amounts.indices, using: &random)
            try #require(try statement.runningSum(\.sent, at: row) == Self.sum(amounts[row...]))
            let limit = Money(Int.random(in: -50...200, using: &random))
            var total: Money = 0
            let reached = amounts.firstIndex { amount in
                total += amount
                return total >= limit
            }
            try #require(try statement.row(whereSumOf: \.sent, isAtLeast: limit) == reached)
        }
        let stated = account.statedOn.flatMap { on in
            account.statedBalance.map { stated in
                stated - Self.sum(zip(expected, amounts).filter { $0.0.date <= on }.map(\.1))
            }
        }
        try #require(try snapshot.difference(of: account) == stated)
        for (first, month) in try statement.groups(by: .month) {
            let rows = zip(expected, amounts).filter {
                ($0.0.date.year, $0.0.date.month) == (first.year, first.month)
            }
            try #require(try month.count == rows.count && month.sum(\.sent) == Self.sum(rows.map(\.1)))
        }
    }

    /// By currency, category and month: a category has what its subcategories have.
    private func checkFiles(_ snapshot: Snapshot) throws {
        for category in categories {
            let names = try snapshot.list(Ledger.Subcategory.self, "by category", of: category).page(limit: .max)
            try #require(
                Set(names.map(\.id)) == Set(subcategories.values.filter { $0.categories.contains(category) }.map(\.id)))
            var total: Money = 0
            for subcategory in names {
                total += try snapshot.list(Ledger.Transfer.self, "by subcategory", of: "EUR", subcategory.id).sum(
                    \.sent)
            }
            let expected = transfers.values.filter { transfer in
                transfer.sentIn == "EUR" && names.contains { $0.id == transfer.subcategory }
            }
            try #require(total == Self.sum(expected.map(\.sent)))
        }
    }
}
