import Foundation
import RecordStore
import Testing

@Suite struct DayTests {
    @Test(arguments: [
        (0, "1970-01-01"), (-1, "1969-12-31"), (18_560, "2020-10-25"), (11_016, "2000-02-29"), (-719_528, "0000-01-01"),
        (-982_137, "-0720-12-31"), (2_932_896, "9999-12-31"), (2_932_897, "10000-01-01"),
    ])
    func `a day is a count of days and a text`(days: Int, text: String) throws {
        let day = Day(daysSince1970: Int32(days))
        #expect(day.description == text)
        #expect(Day(text) == day)
    }

    @Test(arguments: [
        "", "2020", "2020-10", "2020-13-01", "2020-00-10", "2020-02-30", "2019-02-29", "1900-02-29", "2020-1-1",
        "2020/10/25", "20-10-25", "2020-10-25T00:00", "2020-10-25 ", "２０２０-10-25", "99999999-01-01", "9999999-01-01",
        "--2020-01-01", "2020-10--1", "+-2020-01-01",
    ])
    func `a text that names no day is nil`(text: String) {
        #expect(Day(text) == nil)
    }

    @Test func `a date that is not in the calendar is nil`() {
        #expect(Day(year: 2020, month: 2, day: 29) != nil)
        #expect(Day(year: 2021, month: 2, day: 29) == nil)
        #expect(Day(year: 2020, month: 4, day: 31) == nil)
        #expect(Day(year: .max, month: 1, day: 1) == nil)
        #expect(Day(year: .min, month: 1, day: 1) == nil)
        #expect(Day(year: 2020, month: .min, day: .max) == nil)
    }

    @Test func `four hundred years of days follow one another`() throws {
        var day = try #require(Day(year: 1800, month: 1, day: 1))
        var expected = (year: 1800, month: 1, day: 1)
        while expected.year < 2201 {
            #expect(day.components == expected)
            #expect(Day(year: expected.year, month: expected.month, day: expected.day) == day)
            if expected.day < Day.dayCount(ofMonth: expected.month, inYear: expected.year) {
                expected.day += 1
            } else if expected.month < 12 {
                expected = (expected.year, expected.month + 1, 1)
            } else {
                expected = (expected.year + 1, 1, 1)
            }
            day = Day(daysSince1970: day.daysSince1970 + 1)
        }
    }

    @Test(arguments: [Int32.min, Int32.min + 1, -720_000, -1, 0, 1, Int32.max - 1, Int32.max])
    func `the furthest days have a date and a text too`(days: Int32) {
        let day = Day(daysSince1970: days)
        let (year, month, dayOfMonth) = day.components
        #expect(Day(year: year, month: month, day: dayOfMonth) == day)
        #expect(Day(day.description) == day)
    }

    @Test func `days order in time`() throws {
        #expect(try #require(Day("2015-02-24")) < #require(Day("2020-10-28")))
    }

    @Test func `a moment is a day of some place, also before 1970`() throws {
        let berlin = try #require(TimeZone(secondsFromGMT: 3600))
        let newYear = Date(timeIntervalSince1970: -1800)
        #expect(Day(newYear, in: .gmt) == Day("1969-12-31"))
        #expect(Day(newYear, in: berlin) == Day("1970-01-01"))
        #expect(Day(Date(timeIntervalSince1970: 0), in: .gmt) == Day(daysSince1970: 0))
        #expect(Day(Date(timeIntervalSince1970: 1e300), in: .gmt) == Day(daysSince1970: .max))
        #expect(Day(Date(timeIntervalSince1970: -1e300), in: .gmt) == Day(daysSince1970: .min))
        #expect(Day(Date(timeIntervalSince1970: .nan), in: .gmt) == Day(daysSince1970: .min))
    }

    @Test func `days are counted on, and stop at the last`() throws {
        let leap = try #require(Day("2024-02-28"))
        #expect(leap.advanced(by: 1) == Day("2024-02-29") && leap.advanced(by: 2) == Day("2024-03-01"))
        #expect(leap.distance(to: leap.advanced(by: -400)) == -400)
        #expect(Day(daysSince1970: .max).advanced(by: 1) == Day(daysSince1970: .max))
        #expect(Day(daysSince1970: .min).advanced(by: .min) == Day(daysSince1970: .min))
        #expect(Array(stride(from: leap, to: leap.advanced(by: 3), by: 1)).map(\.day) == [28, 29, 1])
        #expect(Day("+2020-10-25") == nil && Day("-0000-01-01") == nil)
        #expect(Day.dayCount(ofMonth: 13, inYear: 2024) == 0)
    }
}
