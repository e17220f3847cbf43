/// Keys from one on, up to another that is not among them.
struct KeyRange: Sendable {
    /// `nil` for all from the least on.
    var start: [UInt8]?
    /// `nil` for all up to the greatest.
    var end: [UInt8]?

    static let all = KeyRange()
}
