import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the clock on the wall shows, which people set and which is another in each time zone.
struct WallClock: Sendable {
    let now: @Sendable () -> Milliseconds
    /// How many seconds local time is ahead of UTC at a moment.
    let secondsAheadOfUTC: @Sendable (Milliseconds) -> Int

    /// `nil` further than 2^31 days from 1970.
    func day(at moment: Milliseconds) -> Day? {
        Milliseconds(since1970: moment.since1970 + Int64(secondsAheadOfUTC(moment)) * 1000).day
    }

    private static let minute: Int64 = 60_000

    /// How long after a moment the next day begins, and a minute at most; never nothing.
    ///
    /// Found by halving, since it may begin at any time: where clocks go from 23:00 to midnight it begins an hour early. 2 looks at the
    /// calendar, and 18 in the last minute of a day.
    func timeToNextDay(after moment: Milliseconds) -> Duration {
        let day = day(at: moment)
        func isSameDay(after milliseconds: Int64) -> Bool {
            self.day(at: Milliseconds(since1970: moment.since1970 + milliseconds)) == day
        }
        var (same, other) = (Int64(0), Self.minute)
        guard !isSameDay(after: other) else { return .milliseconds(other) }
        while other - same > 1 {
            let middle = (same + other) / 2
            if isSameDay(after: middle) { same = middle } else { other = middle }
        }
        return .milliseconds(other)
    }
}

extension WallClock {
    /// As the machine is set.
    static let system = WallClock(now: systemNow) { moment in
        LocalTime.secondsAheadOfUTC(atSecondsSince1970: moment.since1970 / 1000)
    }

    /// The machine's time, in a calendar's zone.
    init(_ calendar: Calendar) {
        self.init(now: Self.systemNow) { moment in calendar.timeZone.secondsFromGMT(for: moment.date) }
    }

    private static let systemNow: @Sendable () -> Milliseconds = {
        Milliseconds(clamping: PosixFileSystem().now())
    }
}
