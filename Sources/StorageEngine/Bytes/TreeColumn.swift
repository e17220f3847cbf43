/// What the branches of a tree keep for each child besides its counts, in 16 bytes: so it is known of any stretch of the tree at
/// the cost of a descent, and a commit moves it along the path that it copies.
///
/// An *amount* is a signed number of 64 bits at the beginning of an entry's value: amount 0 in the first eight bytes, amount 1
/// in the next, each little-endian. `Int64.min` says that the entry has none, as does a value that ends before.
public enum TreeColumn: Hashable, Sendable {
    /// The exact sum of an amount, in 128 bits: no tree has enough entries to overflow it.
    case sum(amount: Int)
    /// The least and the greatest.
    case bounds(amount: Int)
    /// The highest running sum behind any of the entries, from 0 before the first. Needs the sum of the same amount.
    case highest(amount: Int)
    /// The lowest.
    case lowest(amount: Int)
    /// The sum of a hash of each entry's identifier, which is the last eight bytes of its key: trees that hold the same identifiers
    /// have the same, whatever they are ordered by.
    case fingerprint
    /// The sum of a hash of each entry's key and value: trees of the same entries have the same, and any others almost surely not.
    case hashSum

    /// What files hold of it: the kind in the upper four bits, the amount in the lower.
    var code: UInt8 {
        switch self {
        case .sum(let amount): 0x10 | UInt8(amount)
        case .bounds(let amount): 0x20 | UInt8(amount)
        case .highest(let amount): 0x30 | UInt8(amount)
        case .lowest(let amount): 0x40 | UInt8(amount)
        case .fingerprint: 0x50
        case .hashSum: 0x60
        }
    }

    init?(code: UInt8) {
        let amount = Int(code & 0xF)
        guard amount < Limits.amountCount else { return nil }
        switch code >> 4 {
        case 1: self = .sum(amount: amount)
        case 2: self = .bounds(amount: amount)
        case 3: self = .highest(amount: amount)
        case 4: self = .lowest(amount: amount)
        case 5 where amount == 0: self = .fingerprint
        case 6 where amount == 0: self = .hashSum
        default: return nil
        }
    }

    /// Which amount it is of.
    var amount: Int? {
        switch self {
        case .sum(let amount), .bounds(let amount), .highest(let amount), .lowest(let amount): amount
        case .fingerprint, .hashSum: nil
        }
    }
}

/// The columns of a tree, in their order: up to eight, in one word.
public struct TreeColumns: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The code of a column in each byte, the first in the lowest; zeros behind the last.
    let word: UInt64

    public static let none: TreeColumns = []

    /// Precondition: they are at most eight, each of one of the first four amounts.
    public init(_ columns: [TreeColumn]) {
        precondition(columns.count <= Limits.columnCount, "a tree has at most \(Limits.columnCount) columns")
        precondition(
            columns.allSatisfy { (0..<Limits.amountCount).contains($0.amount ?? 0) },
            "an amount is one of the first \(Limits.amountCount)")
        word = columns.reversed().reduce(0) { $0 << 8 | UInt64($1.code) }
    }

    public init(arrayLiteral columns: TreeColumn...) { self.init(columns) }

    /// `nil` for bytes that are no columns: an unknown code, or one behind zeros.
    init?(word: UInt64) {
        self.word = word
        guard (0..<count).allSatisfy({ TreeColumn(code: UInt8(truncatingIfNeeded: word >> (8 * UInt64($0)))) != nil })
        else { return nil }
    }

    @inline(__always) var isEmpty: Bool { word == 0 }
    @inline(__always) public var count: Int { (71 - word.leadingZeroBitCount) / 8 }

    public subscript(index: Int) -> TreeColumn {
        precondition((0..<count).contains(index), "a column of the tree")
        guard let column = TreeColumn(code: UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) else {
            preconditionFailure("columns are checked when they are made")
        }
        return column
    }

    public func index(of column: TreeColumn) -> Int? {
        let code = UInt64(column.code)
        return (0..<count).first { word >> (8 * UInt64($0)) & 0xFF == code }
    }

    /// Of a column of running sums, the sums that they are made of.
    func sumIndex(of column: Int) -> Int? {
        switch self[column] {
        case .highest(let amount), .lowest(let amount): index(of: .sum(amount: amount))
        case .sum, .bounds, .fingerprint, .hashSum: nil
        }
    }

    /// Codes in hexadecimal, the first first; "none" of none.
    var words: String {
        isEmpty ? "none" : (0..<count).map { String(self[$0].code, radix: 16) }.joined(separator: " ")
    }

    /// Amounts that an entry's value begins with.
    public var amountCount: Int { (0..<count).reduce(0) { max($0, (self[$1].amount ?? -1) + 1) } }

    /// What keeps them from being a tree's, as the rest of "Tree x …".
    var objection: String? {
        for index in 0..<count {
            if self.index(of: self[index]) != index { return "has a column twice" }
            switch self[index] {
            case .highest(let amount), .lowest(let amount):
                if self.index(of: .sum(amount: amount)) == nil {
                    return "has the running sums of amount \(amount), and not its sum, which they are made of"
                }
            case .sum, .bounds, .fingerprint, .hashSum: break
            }
        }
        return nil
    }
}

extension TreeColumn: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sum(let amount): "sum of amount \(amount)"
        case .bounds(let amount): "bounds of amount \(amount)"
        case .highest(let amount): "highest running sum of amount \(amount)"
        case .lowest(let amount): "lowest running sum of amount \(amount)"
        case .fingerprint: "fingerprint"
        case .hashSum: "hash sum"
        }
    }
}
