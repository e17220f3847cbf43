#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point in time as stored: whole milliseconds since 1970.
///
/// A `Date` is a floating-point number; storing integers makes two libraries with the same content equal byte for byte.
package struct Milliseconds: Hashable, Comparable, Sendable {
    package let since1970: Int64

    package init(since1970: Int64) {
        self.since1970 = since1970
    }

    /// As the engine counts them since 1970.
    package init(clamping milliseconds: UInt64) { self.init(since1970: Int64(clamping: milliseconds)) }

    /// `unstorable` for what is no number, and further than 31,000 years from 1970: within, a `Date` holds every millisecond.
    package init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        since1970 = abs(milliseconds) <= Self.limit ? Int64(milliseconds) : Self.unstorable.since1970
    }

    /// Stands for a date that is refused when it is written.
    package static let unstorable = Milliseconds(since1970: .min)

    /// Whether a date holds it: lines of an export may have any number.
    package var isStorable: Bool { (-Self.limit...Self.limit).contains(Double(since1970)) }

    /// Cut in the same way: a file may hold any number.
    package var date: Date { Date(timeIntervalSince1970: min(max(Double(since1970), -Self.limit), Self.limit) / 1000) }

    /// The day it falls on at UTC; `nil` further than 2^31 days from 1970.
    package var day: Day? {
        let (days, rest) = since1970.quotientAndRemainder(dividingBy: Self.ofDay)
        return Int32(exactly: days - (rest < 0 ? 1 : 0)).map(Day.init(daysSince1970:))
    }

    package static let ofDay: Int64 = 86_400_000

    package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.since1970 < right.since1970 }

    private static let limit = 1.0e15
}
