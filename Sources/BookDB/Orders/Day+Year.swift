import RecordStore

extension Day {
    /// `nil` for a year that begins before the first day there is.
    var startOfYear: Day? { Day(year: year, month: 1, day: 1) }
}
