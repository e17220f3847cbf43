/// The amounts that an entry has, in no allocation.
struct EntryAmounts {
    private var values = SIMD4<Int64>(repeating: .min)

    /// None.
    init() {}

    /// Those of a leaf's entry.
    init(_ leaf: Node, _ index: Int) {
        for amount in 0..<Limits.amountCount { values[amount] = leaf.amount(amount, of: index) ?? .min }
    }

    /// Those of a value.
    init(_ value: RawSpan) {
        for amount in 0..<Limits.amountCount { values[amount] = value.amount(amount) ?? .min }
    }

    subscript(amount: Int) -> Int64? { values[amount] == .min ? nil : values[amount] }
}

extension RawSpan {
    /// An amount that these bytes begin with, as an entry's value does; `nil` when they have none.
    package func amount(_ amount: Int) -> Int64? {
        guard byteCount >= 8 * (amount + 1) else { return nil }
        let number = loadLittleEndian(at: 8 * amount, as: Int64.self)
        return number == .min ? nil : number
    }

    /// The last eight bytes as a big-endian number; of fewer, as if zeros preceded them.
    var trailingInteger: UInt64 {
        guard byteCount < 8 else { return loadBigEndian(at: byteCount - 8) }
        var number: UInt64 = 0
        for index in 0..<byteCount {
            number = number << 8 | UInt64(loadLittleEndian(at: index, as: UInt8.self))
        }
        return number
    }
}
