import ArgumentParser
import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where `bookdb log --since` begins: after a commit, or at a moment.
enum LogStart: Equatable {
    case commit(UInt64)
    case moment(Date)

    private static let units = [
        "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800,
    ]

    /// - Throws: `ValidationError` that says what could be there.
    init(_ text: String, now: Date) throws {
        let words = text.lowercased().split(separator: " ").map(String.init)
        if words.count == 1, let number = UInt64(words[0]) {
            self = .commit(number)
        } else if let moment = Self.moment(text) {
            self = .moment(moment)
        } else if words.count == 3, words[2] == "ago", let count = Int(words[0]), (0..<1_000_000).contains(count),
            let seconds = Self.units[words[1].hasSuffix("s") ? String(words[1].dropLast()) : words[1]]
        {
            self = .moment(now.addingTimeInterval(-Double(count * seconds)))
        } else {
            throw ValidationError(
                "'\(text)' is no commit and no moment. Write a commit such as 18400, a day such as 2026-11-24, a time such as "
                    + "2026-11-24T18:30, or \"2 hours ago\".")
        }
    }

    /// A day, or a time of one, in UTC: `2026-11-24`, `2026-11-24T18:30`, `2026-11-24T18:30:05Z`.
    private static func moment(_ text: String) -> Date? {
        var text = text.uppercased()
        if text.hasSuffix("Z") { text.removeLast() }
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count <= 2, let day = Day(String(parts[0])) else { return nil }
        var seconds = Double(day.daysSince1970) * 86_400
        if parts.count == 2 {
            let clock = parts[1].split(separator: ":", omittingEmptySubsequences: false)
            guard (2...3).contains(clock.count), let hour = Int(clock[0]), let minute = Int(clock[1]),
                let second = clock.count == 3 ? Double(clock[2]) : 0, (0..<24).contains(hour),
                (0..<60).contains(minute), (0..<60).contains(second)
            else { return nil }
            seconds += Double(hour * 3_600 + minute * 60) + second
        }
        return Date(timeIntervalSince1970: seconds)
    }

    func includes(_ commit: LibraryLog.Head) -> Bool {
        switch self {
        case .commit(let number): commit.number > number
        case .moment(let date): commit.date >= date
        }
    }
}
