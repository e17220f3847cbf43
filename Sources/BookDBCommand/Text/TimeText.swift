import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Points in time as text, in UTC.
enum TimeText {
    static func day(_ date: Date) -> Day {
        Day(daysSince1970: Int32(clamping: Int((Double(milliseconds(date)) / 86_400_000).rounded(.down))))
    }

    /// Since 1970; of a date as only a wrong file has it, 30,000 years.
    private static func milliseconds(_ date: Date) -> Int {
        Int(max(-1e15, min(1e15, (date.timeIntervalSince1970 * 1000).rounded())))
    }

    /// `2020-10-25T14:03:00.250Z`
    static func text(_ date: Date) -> String {
        let milliseconds = milliseconds(date)
        let ofDay = milliseconds - Int((Double(milliseconds) / 86_400_000).rounded(.down)) * 86_400_000
        let seconds = ofDay / 1000
        return "\(day(date))T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))."
            + String(String(1000 + ofDay % 1000).dropFirst()) + "Z"
    }

    /// `2020-10-25 14:03:00`
    static func second(_ date: Date) -> String {
        String(text(date).prefix(19).map { $0 == "T" ? " " : $0 })
    }

    /// `just now`, `2 minutes ago`, `3 days ago`; the day when that is more than a month.
    static func ago(_ date: Date, now: Date) -> String {
        let seconds = (milliseconds(now) - milliseconds(date)) / 1000
        return switch seconds {
        case ..<60: "just now"
        case ..<3_600: NumberText.count(seconds / 60, "minute") + " ago"
        case ..<86_400: NumberText.count(seconds / 3_600, "hour") + " ago"
        case ..<2_592_000: NumberText.count(seconds / 86_400, "day") + " ago"
        default: "on \(day(date))"
        }
    }

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// Years as people write them.
enum Years {
    /// `1937`, and `750 BC` for −749 and before: catalogues give −750.
    static func text(_ year: Int) -> String {
        year < 0 ? "\(year.magnitude) BC" : "\(year)"
    }
}
