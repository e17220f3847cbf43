import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

struct DayChangesTests {
    private let clock = ScriptedClock()
    private let machine = Machine()

    // MARK: Midnight

    @Test func `each day is given at local midnight, to the millisecond, and nothing at the start`() async throws {
        machine.set("2026-11-25T21:30:00.500Z", zone: 3600)
        var days = changes().makeAsyncIterator()
        for (number, day) in ["2026-11-26", "2026-11-27", "2026-11-28"].enumerated() {
            #expect(await days.next() == Day(day))
            #expect(clock.now.time == .milliseconds(5_399_500 + number * 86_400_000))
        }
    }

    @Test func `it looks once a minute and at midnight, no more`() async throws {
        machine.set("2026-11-25T21:30:30Z", zone: 0)
        var days = changes().makeAsyncIterator()
        _ = await days.next()
        #expect(clock.sleepCount == 150, "149 minutes and a half")
        _ = await days.next()
        #expect(clock.sleepCount == 150 + 1440)
    }

    @Test func `days begin when the zone's calendar says, also where clocks change at midnight`() async throws {
        // Nuuk's clocks go from 23:00 to 0:00, Beirut's from 0:00 to 1:00 and from 0:00 to 23:00, Apia's 30th of December never was.
        let moves = [
            ("America/Nuuk", "2025-03-28"), ("America/Nuuk", "2025-10-24"), ("Asia/Beirut", "2021-03-26"),
            ("Asia/Beirut", "2021-10-29"), ("Pacific/Apia", "2011-12-28"), ("Australia/Lord_Howe", "2025-10-03"),
            ("Asia/Kathmandu", "2026-02-27"),
        ]
        for (name, date) in moves {
            let zone = try #require(TimeZone(identifier: name))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let start = try Machine.moment("\(date)T12:00:07Z")
            let (clock, machine) = (ScriptedClock(), Machine())
            machine.set("\(date)T12:00:07Z") { zone.secondsFromGMT(for: $0.date) }
            var days = DayChanges(machine.wallClock(clock), clock: clock).makeAsyncIterator()
            var expected = try #require(Self.days(of: calendar, from: start.date, to: start.date + 4 * 86_400))
            while let next = expected.first {
                let day = try #require(await days.next())
                #expect(day == next.day, "\(name)")
                let moment = Milliseconds(since1970: start.since1970 + clock.milliseconds)
                #expect(moment == Milliseconds(next.start), "\(name), \(day)")
                expected.removeFirst()
            }
        }
    }

    // MARK: Other reasons

    @Test func `a clock that is set ahead or back is noticed within a minute`() async throws {
        machine.set("2026-11-25T12:00:00Z", zone: 0)
        var days = changes().makeAsyncIterator()
        clock.at(.seconds(600)) { [machine] in machine.shift(by: 3 * 86_400_000) }
        #expect(await days.next() == Day("2026-11-28"))
        #expect(Duration.seconds(600)...(.seconds(660)) ~= clock.now.time)
        clock.at(.seconds(1230)) { [machine] in machine.shift(by: -4 * 86_400_000) }
        #expect(await days.next() == Day("2026-11-24"), "an earlier day is the day now")
        #expect(Duration.seconds(1230)...(.seconds(1290)) ~= clock.now.time)
    }

    @Test func `a change of the time zone is noticed within a minute, both ways`() async throws {
        machine.set("2026-11-25T12:00:00Z", zone: 0)
        var days = changes().makeAsyncIterator()
        clock.at(.seconds(90)) { [machine] in machine.setZone(13 * 3600) }
        #expect(await days.next() == Day("2026-11-26"))
        #expect(Duration.seconds(90)...(.seconds(150)) ~= clock.now.time)
        clock.at(.seconds(600)) { [machine] in machine.setZone(-11 * 3600) }
        #expect(await days.next() == Day("2026-11-25"))
    }

    @Test func `a machine that slept over midnights gives the day on which it woke`() async throws {
        machine.set("2026-11-25T23:59:59Z", zone: 0)
        var days = changes().makeAsyncIterator()
        // The timer ends late, when the machine wakes.
        clock.at(.milliseconds(500)) { [machine] in machine.shift(by: 5 * 86_400_000 + 30_000) }
        #expect(await days.next() == Day("2026-12-01"))
        #expect(clock.now.time == .seconds(1))
    }

    @Test func `a loop that comes late gets the day that it is, once`() async throws {
        machine.set("2026-11-25T12:00:00Z", zone: 0)
        let changes = changes()
        clock.pass(.seconds(2 * 86_400))
        var days = changes.makeAsyncIterator()
        #expect(await days.next() == Day("2026-11-27"))
        #expect(clock.sleepCount == 0)
        #expect(await days.next() == Day("2026-11-28"))
    }

    @Test func `a clock and zones that make no sense trap nothing, and no time is slept too short`() async throws {
        var random = SeededGenerator(seed: 25)
        for _ in 0..<300 {
            let zones = (0..<3).map { _ in Int.random(in: -200_000...200_000, using: &random) }
            // Another zone every twenty seconds.
            let wallClock = WallClock(now: { Milliseconds(since1970: 0) }) { moment in
                zones[Int((moment.since1970 / 20_000 % 3).magnitude)]
            }
            let moment = Milliseconds(since1970: .random(in: -(1 << 45)...(1 << 45), using: &random))
            #expect(Duration.milliseconds(1)...(.seconds(60)) ~= wallClock.timeToNextDay(after: moment), "seed 25")
        }
        let far = WallClock(now: { Milliseconds(since1970: 1 << 60) }, secondsAheadOfUTC: { _ in 0 })
        #expect(far.day(at: far.now()) == nil)
        #expect(far.timeToNextDay(after: far.now()) == .seconds(60))
    }

    // MARK: The end

    @Test func `cancelling ends the loop at once`() async throws {
        machine.set("2026-11-25T12:00:00Z", zone: 0)
        let (changes, clock) = (changes(), clock)
        let (permission, begin) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            for await _ in permission {}
            var days: [Day] = []
            for await day in changes { days.append(day) }
            return days
        }
        clock.at(.seconds(86_400 + 90)) { reading.cancel() }
        begin.finish()
        #expect(await reading.value == [Day("2026-11-26")])
        #expect(clock.now.time == .seconds(86_400 + 90))
    }

    @Test func `the machine's own calendar is that of Foundation, and an app's may be another`() async throws {
        for seconds: Int64 in [-2_000_000_000, 0, 1_000_000_000, 1_795_618_800, 1_780_000_000] {
            let moment = Milliseconds(since1970: seconds * 1000)
            let expected = TimeZone.current.secondsFromGMT(for: moment.date)
            #expect(WallClock.system.secondsAheadOfUTC(moment) == expected)
        }
        var calendar = Calendar(identifier: .buddhist)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 36_000))
        let wallClock = WallClock(calendar)
        #expect(try wallClock.day(at: Machine.moment("2026-11-25T13:59:59Z")) == Day("2026-11-25"))
        #expect(try wallClock.day(at: Machine.moment("2026-11-25T14:00:00Z")) == Day("2026-11-26"))
    }

    // MARK: Pieces

    private func changes() -> DayChanges { DayChanges(machine.wallClock(clock), clock: clock) }

    /// The days that begin within a time, one each, when the calendar says.
    private static func days(of calendar: Calendar, from start: Date, to end: Date) -> [(day: Day, start: Date)]? {
        var days: [(Day, Date)] = []
        var moment = start
        // Looked for by the second, and not by what the calendar says of a whole day.
        func day(_ date: Date) -> Day? {
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
        }
        var last = day(moment)
        while moment < end {
            moment += 1
            // Days begin at a quarter of an hour in every zone there is now.
            guard Int(moment.timeIntervalSince1970) % 900 == 0, let day = day(moment), day != last else { continue }
            days.append((day, moment))
            last = day
        }
        return days
    }
}

/// A machine whose clock and time zone a test sets.
private final class Machine: Sendable {
    private struct State {
        /// When the scripted clock was at its beginning.
        var start = Milliseconds(since1970: 0)
        var secondsAheadOfUTC: @Sendable (Milliseconds) -> Int = { _ in 0 }
    }

    private let state = Mutex(State())

    static func moment(_ text: String) throws -> Milliseconds {
        let seconds = try #require(MomentText.seconds(text))
        return Milliseconds(Date(timeIntervalSinceReferenceDate: seconds))
    }

    func set(_ moment: String, zone: Int) {
        set(moment) { _ in zone }
    }

    func set(_ moment: String, _ secondsAheadOfUTC: @escaping @Sendable (Milliseconds) -> Int) {
        let start = try? Self.moment(moment)
        precondition(start != nil, "\(moment) is a moment")
        state.withLock { state in
            state.start = start ?? state.start
            state.secondsAheadOfUTC = secondsAheadOfUTC
        }
    }

    func setZone(_ seconds: Int) { state.withLock { $0.secondsAheadOfUTC = { _ in seconds } } }

    /// Sets the clock ahead by milliseconds, or back.
    func shift(by milliseconds: Int64) {
        state.withLock { state in
            state.start = Milliseconds(since1970: state.start.since1970 + milliseconds)
        }
    }

    func wallClock(_ clock: ScriptedClock) -> WallClock {
        WallClock { [self] in
            let start = state.withLock { $0.start }
            return Milliseconds(since1970: start.since1970 + clock.milliseconds)
        } secondsAheadOfUTC: { [self] moment in
            state.withLock { $0.secondsAheadOfUTC }(moment)
        }
    }
}
