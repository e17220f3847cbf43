#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The days that begin, each when it does: for what an app shows as due today, or counts by days.
///
/// ```swift
/// for await today in DayChanges() {
///     print("It is", today)
/// }
/// ```
///
/// A day is given at local midnight, to the millisecond. It is looked for once a minute, too: after the clock was set, the machine slept or the time zone
/// changed, the day that it is now is given within a minute, also when it is an earlier one. Days that passed meanwhile are not.
///
/// The first is the first that is another than when `DayChanges` was made. The loop ends when its task is cancelled, and only then: it needs no library.
///
/// Cost: one timer, which ends once a minute, and a look at the calendar.
public struct DayChanges: AsyncSequence, Sendable {
    public typealias Element = Day
    public typealias Failure = Never

    private let wallClock: WallClock
    private let clock: AnyClock
    private let firstDay: Day?

    /// - Parameters:
    ///   - calendar: where days begin: its time zone at the time. Days are counted in the Gregorian calendar, as every `Day` is. Without one they begin as the
    ///     machine is set, also in a program without Foundation, where `TimeZone.current` is GMT on Linux.
    ///   - clock: measures the time until it looks again. The default goes on while the machine sleeps, so that it looks when the machine wakes.
    public init(calendar: Calendar? = nil, clock: some Clock<Duration> = ContinuousClock()) {
        self.init(calendar.map(WallClock.init) ?? .system, clock: clock)
    }

    init(_ wallClock: WallClock, clock: some Clock<Duration>) {
        self.wallClock = wallClock
        self.clock = AnyClock(clock)
        firstDay = wallClock.day(at: wallClock.now())
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(wallClock: wallClock, clock: clock, day: firstDay)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let wallClock: WallClock
        fileprivate let clock: AnyClock
        /// That was given last.
        fileprivate var day: Day?

        /// The next day; `nil` when the task is cancelled.
        public mutating func next() async -> Day? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Day? {
            while !Task.isCancelled {
                let moment = wallClock.now()
                if let today = wallClock.day(at: moment), today != day {
                    day = today
                    return today
                }
                guard (try? await clock.sleep(for: wallClock.timeToNextDay(after: moment))) != nil else { return nil }
            }
            return nil
        }
    }
}
