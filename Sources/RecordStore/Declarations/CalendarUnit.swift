/// A stretch of the calendar by which days are grouped.
public enum CalendarUnit: Sendable {
    case month, year

    /// The first and the last day of the one that a day is in.
    func days(around day: Day) -> (first: Day, last: Day) {
        let (year, month, _) = day.components
        let first = Day(year: year, month: self == .month ? month : 1, day: 1)
        let isLastMonth = self == .year || month == 12
        let next = Day(year: isLastMonth ? year + 1 : year, month: isLastMonth ? 1 : month + 1, day: 1)
        // The first and the last that there are lie in stretches of which the calendar does not have all.
        return (
            first ?? Day(daysSince1970: .min),
            next.map { Day(daysSince1970: $0.daysSince1970 - 1) } ?? Day(daysSince1970: .max)
        )
    }
}
