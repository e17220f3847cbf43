import BookDB

/// Reads a day as exports write it.
enum DayText {
    /// Why a text is no day, as the end of a sentence that begins with the text.
    struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// Three numbers with something between them.
    private struct Numbers {
        /// The year in full.
        let values: [Int]
        let yearIsFirst: Bool
        let hasPoints: Bool

        /// - Parameter order: with one, years may have two digits: those of 1970...2069.
        init(_ text: some StringProtocol, _ order: DateOrder?) throws(Problem) {
            let date = DayText.dayPart(of: text)
            let parts = date.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "-" || $0 == "." }
            let numbers = parts.compactMap { part in
                part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(part) : nil
            }
            guard numbers.count == parts.count, 1...3 ~= parts.count else {
                throw Problem(description: "is not a date like 2020/10/25")
            }
            guard parts.count == 3 else { throw Problem(description: "does not say the day") }
            yearIsFirst = parts[0].count == 4 || (order == .yearMonthDay && parts[2].count != 4)
            let year = parts[yearIsFirst ? 0 : 2]
            guard year.count == 4 || (year.count == 2 && order != nil) else {
                throw Problem(description: "is not a date like 2020/10/25")
            }
            hasPoints = date.contains(".")
            var values = numbers
            if year.count == 2 { values[yearIsFirst ? 0 : 2] += values[yearIsFirst ? 0 : 2] < 70 ? 2000 : 1900 }
            self.values = values
        }
    }

    /// Reads `2020/10/25`, `2020-10-25`, `25.10.2020`, `10/25/2020`, with or without a time behind it.
    ///
    /// `04/05/2020` is refused without an order: half the world reads May in it, the other half April.
    ///
    /// - Parameters:
    ///   - order: that of the column, or as the caller says; a day that stands in no other order is read all the same.
    ///   - pointOrder: the same for days with points; without one these have the day first.
    static func day(
        _ text: some StringProtocol, _ order: DateOrder? = nil, points pointOrder: DateOrder? = nil
    ) throws(Problem) -> Day {
        let order = hasPoints(text) ? pointOrder : order
        let numbers = try Numbers(text, order)
        let values = numbers.values
        if numbers.yearIsFirst { return try day(year: values[0], month: values[1], day: values[2]) }
        let year = values[2]
        if values[0] > 12 { return try day(year: year, month: values[1], day: values[0]) }
        if values[1] > 12 || values[0] == values[1] { return try day(year: year, month: values[0], day: values[1]) }
        // Who writes points writes the day first, unless the column says otherwise.
        switch numbers.hasPoints && order != .monthDayYear ? .dayMonthYear : order {
        case .dayMonthYear: return try day(year: year, month: values[1], day: values[0])
        case .monthDayYear: return try day(year: year, month: values[0], day: values[1])
        case .yearMonthDay, nil: throw Problem(description: "may be two different days; --dates dmy or mdy says which")
        }
    }

    /// Whether a day is written with points. Those of a time behind it do not count.
    static func hasPoints(_ text: some StringProtocol) -> Bool { dayPart(of: text).contains(".") }

    private static func dayPart<Text: StringProtocol>(of text: Text) -> Text.SubSequence {
        text.trimmingBlanks().prefix { !$0.isWhitespace && $0 != "T" }
    }

    /// The order that a day shows beyond doubt, of those with the year last; `nil` for any other.
    static func order(shownBy text: some StringProtocol) -> DateOrder? {
        guard let numbers = try? Numbers(text, nil), !numbers.yearIsFirst else { return nil }
        let (first, second) = (numbers.values[0], numbers.values[1])
        if first > 12, second <= 12 { return .dayMonthYear }
        return second > 12 && first <= 12 ? .monthDayYear : nil
    }

    /// Whether a text is how programs write that they know no date: calibre, .NET and MySQL.
    static func saysNone(_ text: some StringProtocol) -> Bool { none.contains { text.hasPrefix($0) } }

    private static let none = [
        "0101-01-01", "0001-01-01", "01/01/0001", "1/1/0001", "01.01.0001", "0000-00-00", "0000/00/00",
    ]

    private static func day(year: Int, month: Int, day: Int) throws(Problem) -> Day {
        guard 1...12 ~= month else { throw Problem(description: "has no such month") }
        guard let day = Day(year: year, month: month, day: day) else { throw Problem(description: "has no such day") }
        return day
    }
}
