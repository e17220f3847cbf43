/// A value whose sums are exact: money and whole numbers, of up to 64 bits and with a sign, and optionals of them. No `Double`,
/// and not the least number of 64 bits, whose opposite has no room in them: a record with that is refused.
public protocol Summable: Codable, Sendable {
    /// What a sum of such values is.
    associatedtype Sum: Sendable = Self

    /// `nil` for a sum that does not fit.
    static func sum(exactly total: Int128) -> Sum?

    /// As records hold it.
    static func total(of sum: Sum) -> Int128
}

extension Summable where Self: FixedWidthInteger & SignedInteger, Sum == Int {
    public static func sum(exactly total: Int128) -> Int? { Int(exactly: total) }
    public static func total(of sum: Int) -> Int128 { Int128(sum) }
}

extension Int: Summable {}
// Sums of small numbers are not small.
extension Int8: Summable { public static func total(of sum: Int) -> Int128 { Int128(sum) } }
extension Int16: Summable { public static func total(of sum: Int) -> Int128 { Int128(sum) } }
extension Int32: Summable { public static func total(of sum: Int) -> Int128 { Int128(sum) } }

extension Int64: Summable {
    public static func sum(exactly total: Int128) -> Int64? { Int64(exactly: total) }
    public static func total(of sum: Int64) -> Int128 { Int128(sum) }
}

extension Money: Summable {
    public static func sum(exactly total: Int128) -> Money? { Int64(exactly: total).map(Money.init(tenThousandths:)) }
    public static func total(of sum: Money) -> Int128 { Int128(sum.tenThousandths) }
}

/// One that is absent counts for nothing.
extension Optional: Summable where Wrapped: Summable {
    public static func sum(exactly total: Int128) -> Wrapped.Sum? { Wrapped.sum(exactly: total) }
    public static func total(of sum: Wrapped.Sum) -> Int128 { Wrapped.total(of: sum) }
}
