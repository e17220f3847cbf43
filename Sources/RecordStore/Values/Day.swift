/// A day of the calendar without a time and without a time zone: when a payment was made, a book finished.
///
/// A `Date` is a moment, and a moment is another day elsewhere; what a reader writes in a reading log is a day.
/// Counted in the Gregorian calendar, also before it was introduced.
///
/// Cost: 4 bytes; comparing is one integer comparison; `year`, `month` and `day` are some 20 integer operations.
public struct Day: Hashable, Sendable {
    /// Days since 1 January 1970; negative before it.
    public let daysSince1970: Int32

    /// The day so many days after (or, negative, before) 1 January 1970.
    public init(daysSince1970: Int32) {
        self.daysSince1970 = daysSince1970
    }

    /// The day of a date of the calendar; nil when there is no such day (month 13, 30 February).
    ///
    /// Year 0 is the year before year 1. Years beyond about ±5 877 000 do not fit and give nil.
    public init?(year: Int, month: Int, day: Int) {
        guard -6_000_000...6_000_000 ~= year, 1...12 ~= month else { return nil }
        guard 1...Self.dayCount(ofMonth: month, inYear: year) ~= day else { return nil }
        // A year that begins in March ends with its leap day, which makes the length of its months regular.
        let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let (era, yearOfEra) = Self.flooredDivision(shiftedYear, by: 400)
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        guard let days = Int32(exactly: era * Self.dayCountOfEra + dayOfEra - Self.dayOf1970) else { return nil }
        daysSince1970 = days
    }

    public var year: Int { components.year }

    /// 1…12
    public var month: Int { components.month }

    /// 1…31
    public var day: Int { components.day }

    /// Year, month and day at once, at a third of the cost.
    public var components: (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = Self.flooredDivision(Int(daysSince1970) + Self.dayOf1970, by: Self.dayCountOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// How many days a month has: 28 to 31, and none where there is no such month.
    public static func dayCount(ofMonth month: Int, inYear year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        case 1...12: 31
        default: 0
        }
    }
}

extension Day {
    /// The 400 years after which the calendar repeats.
    private static let dayCountOfEra = 146_097
    /// 1 January 1970 counted from 1 March of year 0.
    private static let dayOf1970 = 719_468

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func flooredDivision(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Day: Comparable {
    // Named, or they would be those that days have as what one can stride over.
    public static func == (left: Day, right: Day) -> Bool { left.daysSince1970 == right.daysSince1970 }

    public static func < (left: Day, right: Day) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }
}

extension Day: LosslessStringConvertible {
    /// Reads `2020-10-25`, as `description` writes it; nil for anything else, also for a day that does not exist.
    public init?(_ description: String) {
        var digits = description.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        let fields = digits.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard fields.count == 3, 4...7 ~= fields[0].count, fields[1].count == 2, fields[2].count == 2,
            let year = Self.number(fields[0]), let month = Self.number(fields[1]), let day = Self.number(fields[2]),
            !isNegative || year > 0, fields[0].count == 4 || year > 9999
        else { return nil }
        self.init(year: isNegative ? -year : year, month: month, day: day)
    }

    /// `2020-10-25`. A year before 0 has a minus sign in front and one past 9999 more digits.
    public var description: String {
        let (year, month, day) = components
        return (year < 0 ? "-" : "") + Self.padded(abs(year), to: 4) + "-" + Self.padded(month, to: 2) + "-"
            + Self.padded(day, to: 2)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        digits.reduce(0 as Int?) { number, digit in
            guard let number, UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            return number * 10 + Int(digit - UInt8(ascii: "0"))
        }
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Day: Codable {
    /// Reads the text `2020-10-25`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = Day(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not a day like 2020-10-25")
        }
        self = day
    }

    /// Writes the text `2020-10-25`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
