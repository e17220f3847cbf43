/// An amount of money, exact to the ten-thousandth: `Money("1 234.50")` is no number, `Money("1234.50")` is one.
///
/// It has no currency: keep that in a field of its own, and do not add what has another. Sums of money are exact. As with `Int`, a
/// result that does not fit, beyond some 922 trillion, stops the program.
public struct Money: Hashable, Sendable {
    /// Ten-thousandths.
    public let tenThousandths: Int64

    public init(tenThousandths: Int64) { self.tenThousandths = tenThousandths }

    /// Whole units.
    public init(_ units: Int) { tenThousandths = Int64(units) * Self.scale }

    private static let scale: Int64 = 10_000
    private static let digitCount = 4
}

extension Money: Comparable {
    public static func < (left: Money, right: Money) -> Bool { left.tenThousandths < right.tenThousandths }
}

extension Money: AdditiveArithmetic {
    public static var zero: Money { Money(tenThousandths: 0) }

    public static func + (left: Money, right: Money) -> Money {
        Money(tenThousandths: left.tenThousandths + right.tenThousandths)
    }

    public static func - (left: Money, right: Money) -> Money {
        Money(tenThousandths: left.tenThousandths - right.tenThousandths)
    }

    public static prefix func - (amount: Money) -> Money { zero - amount }
}

extension Money: ExpressibleByIntegerLiteral {
    public init(integerLiteral units: Int) { self.init(units) }
}

extension Money: LosslessStringConvertible {
    /// Reads `-1234.5` and `+1234.5`: digits, and up to four behind a point, with a sign or without. `nil` for anything else.
    public init?(_ description: String) {
        var digits = Substring(description)
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count == 1 || 1...Self.digitCount ~= parts[1].utf8.count
        else { return nil }
        let fraction = parts.count == 1 ? "" : String(parts[1])
        let padded = fraction + String(repeating: "0", count: Self.digitCount - fraction.utf8.count)
        let all = (isNegative ? "-" : "") + whole + padded
        guard (whole + padded).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(all)
        else { return nil }
        tenThousandths = number
    }

    /// `-1234.50`: two digits behind the point, and more where they are needed.
    public var description: String {
        let magnitude = tenThousandths.magnitude
        let scale = UInt64(Self.scale)
        var fraction = String(magnitude % scale + scale).dropFirst()
        while fraction.utf8.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return (tenThousandths < 0 ? "-" : "") + "\(magnitude / scale).\(fraction)"
    }
}

/// Coded as its text form, which loses nothing in a reader that knows only doubles.
extension Money: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let money = Money(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "“\(text)” is not an amount such as -1234.50")
        }
        self = money
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
