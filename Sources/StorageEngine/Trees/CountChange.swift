/// How one change of an entry moves what the branches above it hold.
struct CountChange {
    var all = 0
    var old: UInt16 = 0
    var new: UInt16 = 0
    /// Of the tree's columns only.
    var identifier: UInt64 = 0
    var removed = EntryAmounts()
    var added = EntryAmounts()
    /// Of the hash sum: that of the entry that comes, without that of the one that goes.
    var hashSum: UInt128 = 0

    /// What it adds to a column that is a sum, in two's complement; `nil` for one that is none.
    @inline(__always)
    func difference(in column: TreeColumn) -> UInt128? {
        switch column {
        case .sum(let amount): UInt128(bitPattern: Int128(added[amount] ?? 0) - Int128(removed[amount] ?? 0))
        case .fingerprint: UInt128(bitPattern: Int128(all) * Int128(ColumnTotal.hash(identifier)))
        case .hashSum: hashSum
        case .bounds, .highest, .lowest: nil
        }
    }

    /// Whether an amount comes, goes, or is replaced by another.
    func moves(_ amount: Int) -> Bool { all != 0 || added[amount] != removed[amount] }
}
