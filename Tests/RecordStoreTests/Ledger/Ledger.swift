import RecordStore

/// The records of a finance app, and what it does with them: the second schema that the record store is built against.
enum Ledger {
    struct Account: Record, Equatable {
        var id: ID<Account> = .unassigned
        var name = ""
        var currency = "EUR"
        /// What the bank says it has, by hand, at the end of a day.
        var statedBalance: Money?
        var statedOn: Day?
        enum CodingKeys: Int, CodingKey { case id, name, currency, statedBalance, statedOn }
        static let uniqueKeys = [Unique(\.name, folded: true)]
    }

    struct Category: Record, Equatable {
        var id: ID<Category> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let uniqueKeys = [Unique(\.name)]
    }

    /// Of several categories: a train is travel, and it is work.
    struct Subcategory: Record, Equatable {
        var id: ID<Subcategory> = .unassigned
        var name = ""
        var categories: [Reference<Category>] = []
        enum CodingKeys: Int, CodingKey { case id, name, categories }
        static let schema = Schema {
            Link(\.categories, onDelete: .nullify)
            Order("by category", .each(\.categories), .folded(\.name))
        }
    }

    /// What is paid again and again.
    struct Series: Record, Equatable {
        var id: ID<Series> = .unassigned
        var from: Reference<Account>?
        var to: Reference<Account>?
        var amount: Money = 0
        var currency = "EUR"
        var subcategory: Reference<Subcategory>?
        var first = Day(daysSince1970: 0)
        /// No payment is behind it.
        var last: Day?
        var everyDays = 30
        /// Payments up to it have been made.
        var generatedTo: Day?
        enum CodingKeys: Int, CodingKey {
            case id, from, to, amount, currency, subcategory, first, last, everyDays, generatedTo
        }
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .cascade)
            Link(\.subcategory, onDelete: .nullify)
        }
    }

    /// Money that goes from one account to another, comes in, or leaves: one record, two statements.
    struct Transfer: Record, Equatable {
        var id: ID<Transfer> = .unassigned
        var from: Reference<Account>?
        var to: Reference<Account>?
        var date = Day(daysSince1970: 0)
        var sent: Money = 0
        var sentIn = "EUR"
        var received: Money = 0
        var receivedIn = "EUR"
        var subcategory: Reference<Subcategory>?
        var note = ""
        var series: Reference<Series>?
        /// Of a series, for which day it was made: it may have been moved since.
        var occurrence: Day?
        enum CodingKeys: Int, CodingKey {
            case id, from, to, date, sent, sentIn, received, receivedIn, subcategory, note, series, occurrence
        }
        static let uniqueKeys = [Unique(\.series, \.occurrence)]
        static let schema = Schema {
            Link(\.from, onDelete: .nullify)
            Link(\.to, onDelete: .nullify)
            Link(\.subcategory, onDelete: .nullify)
            Link(\.series, onDelete: .nullify)
            Order("newest", .descending(\.date))
            Order("statement") {
                Stand(.present(\.from), .descending(\.date)).sum(minus: \.sent, in: \.sentIn, findsRows: true)
                Stand(.present(\.to), .descending(\.date)).sum(\.received, in: \.receivedIn, findsRows: true)
            }
            Order("by subcategory", \.sentIn, .ascending(\.subcategory), .ascending(\.date)).sum(\.sent)
            Facet("to another account", \.to != nil)
            Facet("large", \.sent >= 30)
        }
    }
}

extension Snapshot {
    func statement(of account: ID<Ledger.Account>) throws(LibraryError) -> RecordOrderList<Ledger.Transfer> {
        try list(Ledger.Transfer.self, "statement", of: account)
    }

    /// What the bank says more than the transfers do, at the end of the day that it says it of; `nil` where it says nothing.
    func difference(of account: Ledger.Account) throws(LibraryError) -> Money? {
        guard let stated = account.statedBalance, let day = account.statedOn else { return nil }
        return stated - (try statement(of: account.id)[to: day].sum(\.sent))
    }
}

extension LibraryTransaction {
    /// Makes the payments of a series up to a day. Whoever else made some of them meanwhile, each is made once.
    mutating func generate(_ id: ID<Ledger.Series>, through day: Day) throws {
        guard var series = try record(id) else { return }
        let end = min(day, series.last ?? day)
        var next = series.first
        while next <= end {
            if next > series.generatedTo ?? Day(daysSince1970: .min / 2) {
                try insert(
                    Ledger.Transfer(
                        from: series.from, to: series.to, date: next, sent: series.amount, sentIn: series.currency,
                        received: series.amount, receivedIn: series.currency, subcategory: series.subcategory,
                        series: id, occurrence: next))
            }
            next = Day(daysSince1970: next.daysSince1970 + Int32(series.everyDays))
        }
        series.generatedTo = max(end, series.generatedTo ?? end)
        try update(series)
    }

    /// Ends a series: what was made of it behind the day goes, also where it was moved.
    mutating func stop(_ id: ID<Ledger.Series>, behind day: Day) throws {
        guard var series = try record(id) else { return }
        let made = try records(Ledger.Transfer.self).where(\.series == id, \.occurrence > day)
        for transfer in try made.page() { try delete(transfer.id) }
        series.last = day
        series.generatedTo = min(day, series.generatedTo ?? day)
        try update(series)
    }

    /// Removes an account. Transfers that nobody else has go with it, those with another account stay there.
    mutating func close(_ account: ID<Ledger.Account>) throws {
        let sent = try records(Ledger.Transfer.self).where(\.from == account, \.to == nil)
        let received = try records(Ledger.Transfer.self).where(\.to == account, \.from == nil)
        let own = try records(Ledger.Transfer.self).where(\.from == account, \.to == account)
        for transfer in try sent.page() + received.page() + own.page() { try delete(transfer.id) }
        try delete(account)
    }
}
