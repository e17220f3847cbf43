import BookDB

/// Reads a day as exports write it.
enum DayText {
    /// Why a text is no day, as the end of a sentence that begins with the text.
    struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// Reads `2020/10/25`, `2020-10-25`, `25.10.2020`, `10/25/2020`, with or without a time behind it.
    ///
    /// `04/05/2020` is refused: half the world reads May in it, the other half April.
    static func day(_ text: some StringProtocol) throws(Problem) -> Day {
        let date = text.trimmingBlanks().prefix { !$0.isWhitespace && $0 != "T" }
        let parts = date.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "-" || $0 == "." }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(part) : nil
        }
        guard numbers.count == parts.count, 1...3 ~= parts.count else {
            throw Problem(description: "is not a date like 2020/10/25")
        }
        guard parts.count == 3 else { throw Problem(description: "does not say the day") }
        if parts[0].count == 4 { return try day(year: numbers[0], month: numbers[1], day: numbers[2]) }
        guard parts[2].count == 4 else { throw Problem(description: "is not a date like 2020/10/25") }
        if date.contains(".") || numbers[0] > 12 {
            return try day(year: numbers[2], month: numbers[1], day: numbers[0])
        }
        guard numbers[1] > 12 || numbers[0] == numbers[1] else {
            throw Problem(description: "may be two different days; write it like 2020-10-25")
        }
        return try day(year: numbers[2], month: numbers[0], day: numbers[1])
    }

    private static func day(year: Int, month: Int, day: Int) throws(Problem) -> Day {
        guard 1...12 ~= month else { throw Problem(description: "has no such month") }
        guard let day = Day(year: year, month: month, day: day) else { throw Problem(description: "has no such day") }
        return day
    }
}
