import ArgumentParser
import RecordStore

/// A month by category: a group for each, narrowed to the month.
struct MonthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "month", abstract: "Sums a month up by category.")

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "Such as 2026-11.") var month: String

    func run() async throws {
        guard let first = Day(month + "-01"),
            let next = Day(
                year: first.month == 12 ? first.year + 1 : first.year, month: first.month == 12 ? 1 : first.month + 1,
                day: 1)
        else { throw LedgerError("“\(month)” is no month such as 2026-11.") }
        let last = next.advanced(by: -1)
        let store = try ledger.open()
        for currency in try store.snapshot.list(Entry.self, "by category").groups() {
            var (total, words): (Money, String) = (0, "")
            for category in try currency.groups() {
                let list = try category[from: first, to: last]
                guard let entry = try list.page(limit: 1).first else { continue }
                let sum = try list.sum(\.amount)
                total += sum
                words = entry.currency
                print(
                    (entry.category.allSatisfy(\.isWhitespace) ? "(none)" : entry.category).left(24),
                    "\(sum)".right(14), words.left(3),
                    "\(list.count) \(list.count == 1 ? "entry" : "entries")".right(16))
            }
            if !words.isEmpty { print("in all".left(24), "\(total)".right(14), words) }
        }
        try await store.close()
    }
}
