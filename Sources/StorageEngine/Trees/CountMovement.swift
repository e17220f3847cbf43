/// How many changes below a child move what its branch holds of the child. Movements add up, from leaf to root.
///
/// What is no sum (bounds, running sums) has to be made anew from the child; the movement says of which amounts.
struct CountMovement {
    private(set) var all = 0
    /// By facet.
    private(set) var facets = SIMD16<Int32>(repeating: 0)
    /// By column, in two's complement; empty where the tree has none.
    private(set) var columns: [UInt128]
    /// A bit for each amount.
    private var movedAmounts: UInt8 = 0

    init(_ columns: TreeColumns) { self.columns = Array(repeating: 0, count: columns.count) }

    func moves(_ amount: Int) -> Bool { movedAmounts >> UInt8(amount) & 1 == 1 }

    mutating func add(_ change: CountChange, _ columns: TreeColumns) {
        all += change.all
        var changed = change.old ^ change.new
        while changed != 0 {
            let facet = changed.trailingZeroBitCount
            changed &= changed - 1
            facets[facet] += change.new >> UInt16(facet) & 1 == 1 ? 1 : -1
        }
        for index in 0..<columns.count {
            if let difference = change.difference(in: columns[index]) {
                self.columns[index] &+= difference
            } else if let amount = columns[index].amount, change.moves(amount) {
                movedAmounts |= 1 << UInt8(amount)
            }
        }
    }

    mutating func add(_ other: CountMovement) {
        all += other.all
        facets &+= other.facets
        for column in columns.indices { columns[column] &+= other.columns[column] }
        movedAmounts |= other.movedAmounts
    }
}
