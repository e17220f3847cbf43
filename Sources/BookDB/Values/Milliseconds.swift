#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point in time as stored: whole milliseconds since 1970.
///
/// A `Date` is a floating-point number; storing integers makes two libraries with the same content equal byte for byte.
struct Milliseconds: Hashable, Comparable, Sendable {
    let since1970: Int64

    init(since1970: Int64) {
        self.since1970 = since1970
    }

    /// Dates further than 31 000 years from 1970 are cut to that: within, a `Date` holds every millisecond.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard !milliseconds.isNaN else {
            since1970 = 0
            return
        }
        since1970 = Int64(min(max(milliseconds, -Self.limit), Self.limit))
    }

    /// Cut in the same way: a file may hold any number.
    var date: Date { Date(timeIntervalSince1970: min(max(Double(since1970), -Self.limit), Self.limit) / 1000) }

    /// The day it falls on at UTC; `nil` further than 2^31 days from 1970.
    var day: Day? {
        let (days, rest) = since1970.quotientAndRemainder(dividingBy: Self.ofDay)
        return Int32(exactly: days - (rest < 0 ? 1 : 0)).map(Day.init(daysSince1970:))
    }

    static let ofDay: Int64 = 86_400_000

    static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.since1970 < right.since1970 }

    private static let limit = 1.0e15
}
