/// What a column holds for some entries, taken in their order. What a file says is added without trapping.
struct ColumnTotal {
    let column: TreeColumn
    /// As a branch holds it.
    private(set) var bits: UInt128
    /// Of the same amount, for the running sums that come.
    private var sum: Int128 = 0

    /// Of no entries.
    init(_ column: TreeColumn) {
        self.column = column
        bits = Self.none(of: column)
    }

    /// As a branch holds it.
    init(_ column: TreeColumn, bits: UInt128) {
        self.column = column
        self.bits = bits
    }

    /// Bounds when one amount goes and another comes; `nil` when the one that goes is a bound, so that they have to be looked for.
    func widened(by added: Int64?, without removed: Int64?) -> UInt128? {
        if let removed, removed != added {
            guard let bounds, bounds.lowerBound < removed, removed < bounds.upperBound else { return nil }
        }
        var total = self
        if let added { total.widen(added...added) }
        return total.bits
    }

    private static func none(of column: TreeColumn) -> UInt128 {
        switch column {
        case .sum, .fingerprint, .hashSum: 0
        case .bounds: Self.bits(least: .max, greatest: .min)
        case .highest: UInt128(bitPattern: .min)
        case .lowest: UInt128(bitPattern: .max)
        }
    }

    /// Adds the next entry, of which the column counts an amount.
    @inline(__always)
    mutating func add(amount: Int64?) {
        switch column {
        case .sum: if let amount { bits = UInt128(bitPattern: Int128(bitPattern: bits) &+ Int128(amount)) }
        case .fingerprint, .hashSum: preconditionFailure("the column counts no amount")
        case .bounds: if let amount { widen(amount...amount) }
        case .highest, .lowest: add(bits: UInt128(bitPattern: Int128(amount ?? 0)), sum: Int128(amount ?? 0))
        }
    }

    /// Adds the next entry, of which the column counts a hash.
    @inline(__always)
    mutating func add(hash: UInt64) { bits &+= UInt128(hash) }

    /// Adds the entries behind those, of which a branch holds these bits of the column, and of the sum that it is made of.
    @inline(__always)
    mutating func add(bits other: UInt128, sum otherSum: Int128) {
        switch column {
        case .sum, .fingerprint, .hashSum: bits &+= other
        case .bounds: if let bounds = Self.bounds(other) { widen(bounds) }
        case .highest: bits = UInt128(bitPattern: max(running, sum &+ Int128(bitPattern: other)))
        case .lowest: bits = UInt128(bitPattern: min(running, sum &+ Int128(bitPattern: other)))
        }
        sum = sum &+ otherSum
    }

    /// Adds the entries behind those that another total is of.
    mutating func add(_ other: ColumnTotal) { add(bits: other.bits, sum: other.sum) }

    /// Whether a total without some of its entries is the difference of both.
    var isAdditive: Bool {
        switch column {
        case .sum, .fingerprint, .hashSum: true
        case .bounds, .highest, .lowest: false
        }
    }

    /// Takes entries away. Precondition: the column is additive.
    mutating func subtract(_ other: ColumnTotal) {
        precondition(isAdditive, "a sum can be taken away from")
        bits &-= other.bits
    }

    private mutating func widen(_ other: ClosedRange<Int64>) {
        guard let own = bounds else { return bits = Self.bits(least: other.lowerBound, greatest: other.upperBound) }
        bits = Self.bits(least: min(own.lowerBound, other.lowerBound), greatest: max(own.upperBound, other.upperBound))
    }

    // MARK: What it says

    /// A sum, or the highest or lowest running sum.
    var running: Int128 { Int128(bitPattern: bits) }

    /// `nil` when no entry has the amount.
    var bounds: ClosedRange<Int64>? { Self.bounds(bits) }

    /// For people.
    var words: String {
        switch column {
        case .sum, .highest, .lowest: "\(running)"
        case .bounds: bounds.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        case .fingerprint, .hashSum: String(bits, radix: 16)
        }
    }

    private static func bounds(_ bits: UInt128) -> ClosedRange<Int64>? {
        let least = Int64(truncatingIfNeeded: bits)
        let greatest = Int64(truncatingIfNeeded: bits >> 64)
        return least <= greatest ? least...greatest : nil
    }

    private static func bits(least: Int64, greatest: Int64) -> UInt128 {
        UInt128(UInt64(bitPattern: greatest)) << 64 | UInt128(UInt64(bitPattern: least))
    }

    /// The finalizer of splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
    static func hash(_ identifier: UInt64) -> UInt64 {
        var bits = identifier &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}

/// The highest and the lowest running sum of entries taken in their order, as two `ColumnTotal`s would find them.
struct RunningSums {
    private(set) var highest = Int128.min
    private(set) var lowest = Int128.max
    private var sum: Int128 = 0

    /// Adds the next entry.
    @inline(__always) mutating func add(amount: Int64) {
        sum = sum &+ Int128(amount)
        highest = max(highest, sum)
        lowest = min(lowest, sum)
    }

    /// Adds the entries below the next child.
    @inline(__always) mutating func add(sum other: Int128, highest otherHighest: Int128, lowest otherLowest: Int128) {
        highest = max(highest, sum &+ otherHighest)
        lowest = min(lowest, sum &+ otherLowest)
        sum = sum &+ other
    }
}
