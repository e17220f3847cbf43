/// What the figures of a row count.
enum MeasuredUnit: String, Codable, Sendable {
    case nanoseconds, perSecond, kilobytes, bytesPerWork

    var moreIsBetter: Bool { self == .perSecond }

    /// A figure for people.
    func text(_ figure: Int) -> String {
        switch self {
        case .nanoseconds:
            switch figure {
            case ..<1000: "\(figure) ns"
            case ..<10_000: Self.decimal(figure / 10, 100) + " µs"
            case ..<1_000_000: Self.decimal(figure / 100, 10) + " µs"
            case ..<100_000_000: Self.decimal(figure / 10_000, 100) + " ms"
            default: Self.decimal(figure / 10_000_000, 100) + " s"
            }
        case .perSecond: Self.grouped(figure) + "/s"
        case .kilobytes: figure < 10_000 ? Self.grouped(figure) + " KB" : Self.grouped(figure / 1000) + " MB"
        case .bytesPerWork: Self.grouped(figure) + " B/work"
        }
    }

    private static func decimal(_ number: Int, _ divisor: Int) -> String { "\(Double(number) / Double(divisor))" }

    /// With a comma before every three digits.
    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return digits
    }
}
