#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Day {
    /// The day that it is at a moment in some place: `Day(.now)` is today, where the system's time zone is known: without the whole of Foundation
    /// on Linux it is GMT, and `DayChanges` goes by the zone that the system's library knows. A moment further than 2^31 days from 1970 gives the last day on that side.
    public init(_ date: Date, in timeZone: TimeZone = .current) {
        let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        let days = (seconds / 86_400).rounded(.down)
        // What is no number is no day, and the comparison below is false for it.
        self.init(daysSince1970: days >= Double(Int32.max) ? .max : days > Double(Int32.min) ? Int32(days) : .min)
    }
}

extension Day: Strideable {
    /// How many days later another one is; negative where it is before.
    public func distance(to other: Day) -> Int { Int(other.daysSince1970) - Int(daysSince1970) }

    /// The day so many days later: `day.advanced(by: -1)` is the day before. Stops at the last that there is.
    public func advanced(by days: Int) -> Day {
        let (sum, overflows) = Int(daysSince1970).addingReportingOverflow(days)
        return Day(daysSince1970: overflows ? (days < 0 ? .min : .max) : Int32(clamping: sum))
    }
}
