import RecordStore
import BookImport
import Foundation

/// A CSV file of entries, read whole.
struct EntryFile {
    struct Row {
        /// Where it is, in words.
        let place: String
        let account: String
        let date: Day
        let amount: Money
        let category: String
        let note: String
        let reference: String?
        let other: String?
        /// What the money is there; `nil` when nothing is said, and it is what left.
        let otherAmount: Money?

        func entry(of account: Account, with other: Account?) -> Entry {
            Entry(
                account: account.id, date: date, amount: amount, currency: account.currency, category: category,
                note: note, reference: reference, other: other?.id,
                otherAmount: other.map { _ in otherAmount ?? -amount } ?? 0, otherCurrency: other?.currency ?? "EUR")
        }
    }

    private(set) var rows: [Row] = []

    private enum Column: String, CaseIterable { case account, date, amount, category, note, reference, other, received }

    init(path: String) throws {
        var reader = CSVReader()
        reader.append(Array(try Data(contentsOf: URL(filePath: path))))
        reader.finish()
        var record = CSVRecord()
        guard try reader.next(into: &record) else { throw LedgerError("\(path) is empty.") }
        let header = (0..<record.count).map { record.text(at: $0).lowercased() }
        for column in [Column.account, .date, .amount] where !header.contains(column.rawValue) {
            throw LedgerError(
                "\(path) has no column “\(column.rawValue)”; its columns are \(header.joined(separator: ", ")).")
        }
        while try reader.next(into: &record) {
            func text(_ column: Column) -> String {
                header.firstIndex(of: column.rawValue).map { $0 < record.count ? record.text(at: $0) : "" } ?? ""
            }
            let place = "\(path), line \(record.line)"
            guard let date = Day(text(.date)) else {
                throw LedgerError("\(place): “\(text(.date))” is no day such as 2026-11-23.")
            }
            // What left one account comes to another with the opposite sign, which the least amount has not.
            guard let amount = Money(text(.amount)), amount.tenThousandths > Int64.min else {
                throw LedgerError("\(place): “\(text(.amount))” is no amount such as -12.50.")
            }
            guard !text(.account).isEmpty else { throw LedgerError("\(place) names no account.") }
            guard text(.received).isEmpty || Money(text(.received)) != nil else {
                throw LedgerError("\(place): “\(text(.received))” is no amount such as 12.50.")
            }
            rows.append(
                Row(
                    place: place, account: text(.account), date: date, amount: amount, category: text(.category),
                    note: text(.note),
                    reference: text(.reference).isEmpty ? nil : text(.reference),
                    other: text(.other).isEmpty ? nil : text(.other), otherAmount: Money(text(.received))))
        }
    }
}
