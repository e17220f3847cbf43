import ArgumentParser
import BookDB

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
        let last = Day(daysSince1970: next.daysSince1970 - 1)
        let store = try ledger.open()
        var total: Money = 0
        for category in try store.snapshot.list(Entry.self, "by category").groups() {
            let list = try category[from: first, to: last]
            guard let entry = list.first(where: { _ in true }) else { continue }
            let sum = try list.sum(\.amount)
            total += sum
            print(
                (entry.category.allSatisfy(\.isWhitespace) ? "(none)" : entry.category).left(24), "\(sum)".right(14),
                "\(list.count) entries".right(16))
        }
        print("in all".left(24), "\(total)".right(14))
        try await store.close()
    }
}
