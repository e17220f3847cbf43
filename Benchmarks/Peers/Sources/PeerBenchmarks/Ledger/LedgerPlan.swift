import BookDB

/// The transfers of a run, and what the stores are asked about them: the same in every process.
struct LedgerPlan: Sendable {
    static let accountCount = 5
    /// The index of the account whose statement is read.
    static let account = 2
    static let since = Day(daysSince1970: 16_500)
    static let largeAmount = Money(900)
    static let category = 7
    static let note = "note 77"
    static let words = "note 77"
    static let mistypedWords = "nto 77"
    /// A smaller ledger has too few rows for the edits and for pages at random offsets.
    static let leastCount = 1000

    private static let importCount = 3
    private static let questionCount = 64

    let transfers: [LedgerTransfer]
    /// A thousand each, for ledgers that have all the others.
    let imports: [[LedgerTransfer]]
    /// Where pages of all transfers begin.
    let offsets: [Int]
    /// Rows of the statement.
    let rows: [Int]
    /// What the sum of the statement reaches, somewhere between its first row and its last.
    let sums: [Money]

    init(count: Int) throws {
        guard count >= Self.leastCount else { throw Failure("A ledger has \(Self.leastCount) transfers or more.") }
        var numbers = LedgerNumbers()
        let transfers = (1...count).map { LedgerTransfer(number: $0, &numbers) }
        imports = (0..<Self.importCount).map { part in
            (1...1000).map { LedgerTransfer(number: count + part * 1000 + $0, &numbers) }
        }
        let statement = transfers.filter { $0.account == Self.account }
            .sorted { ($1.date, $0.number) < ($0.date, $1.number) }
        offsets = (0..<Self.questionCount).map { _ in numbers.next(below: count - 50) }
        rows = (0..<Self.questionCount).map { _ in numbers.next(below: statement.count) }
        sums = Self.sums(reachedBy: statement)
        self.transfers = transfers
    }

    /// Shares of the greatest sum from the first row on.
    private static func sums(reachedBy statement: [LedgerTransfer]) -> [Money] {
        var (sum, greatest): (Int64, Int64) = (0, 1)
        for transfer in statement {
            sum += transfer.amount.tenThousandths
            greatest = max(greatest, sum)
        }
        return (1...questionCount).map { Money(tenThousandths: greatest * Int64($0) / Int64(questionCount)) }
    }
}
