/// What a tree's columns say of a node. Safe because a node is.
extension Node {
    @inline(__always) var columnCount: Int { Int(load(NodeField.columnCount)) }
    @inline(__always) var shape: NodeShape { NodeShape(facetCount: facetCount, columnCount: columnCount) }

    /// What a branch holds of a child.
    @inline(__always) func columnBits(_ column: Int, ofChild index: Int) -> UInt128 {
        assert(column < columnCount && index < count, "a column of the node, and a child in use")
        // Not aligned to its size.
        return unsafe address.loadUnaligned(fromByteOffset: arrays.column(column)[index].offset, as: UInt128.self)
    }

    /// An amount of a leaf's entry; `nil` when it has none.
    @inline(__always) func amount(_ amount: Int, of index: Int) -> Int64? {
        withCell(index) { word, value in word & 0x8000 == 0 ? value.amount(amount) : nil }
    }

    /// What a column holds of some entries or children; of all when none are named.
    func total(ofColumn column: Int, of columns: TreeColumns, in range: Range<Int>? = nil) -> ColumnTotal {
        var total = ColumnTotal(columns[column])
        let range = range ?? 0..<count
        if isLeaf {
            add(entries: range, to: &total)
        } else {
            let sum = columns.sumIndex(of: column)
            for index in range { add(child: index, column, sum, to: &total) }
        }
        return total
    }

    /// Adds entries of a leaf.
    func add(entries range: Range<Int>, to total: inout ColumnTotal) {
        if case .hashSum = total.column {
            for index in range { total.add(hash: entryHash(index)) }
            return
        }
        guard let amount = total.column.amount else {
            for index in range { total.add(hash: ColumnTotal.hash(trailingInteger(index))) }
            return
        }
        if case .sum = total.column {
            // By itself: a stretch of a statement is a leaf or two of nothing else.
            var sum: Int128 = 0
            for index in range { sum = sum &+ Int128(self.amount(amount, of: index) ?? 0) }
            return total.add(bits: UInt128(bitPattern: sum), sum: sum)
        }
        for index in range { total.add(amount: self.amount(amount, of: index)) }
    }

    /// Adds what is below a child of a branch. `sum` is the column that running sums are made of.
    @inline(__always) func add(child index: Int, _ column: Int, _ sum: Int?, to total: inout ColumnTotal) {
        total.add(
            bits: columnBits(column, ofChild: index),
            sum: sum.map { Int128(bitPattern: columnBits($0, ofChild: index)) } ?? 0)
    }

    /// The highest and the lowest running sum of an amount behind any of the entries: one pass for both columns, which are looked for
    /// at every change of a leaf.
    func runningSums(ofAmount amount: Int, _ columns: TreeColumns) -> RunningSums {
        var sums = RunningSums()
        if isLeaf {
            for index in 0..<count { sums.add(amount: self.amount(amount, of: index) ?? 0) }
            return sums
        }
        guard let sum = columns.index(of: .sum(amount: amount)) else { return sums }
        let highest = columns.index(of: .highest(amount: amount)) ?? sum
        let lowest = columns.index(of: .lowest(amount: amount)) ?? sum
        for index in 0..<count {
            sums.add(
                sum: Int128(bitPattern: columnBits(sum, ofChild: index)),
                highest: Int128(bitPattern: columnBits(highest, ofChild: index)),
                lowest: Int128(bitPattern: columnBits(lowest, ofChild: index)))
        }
        return sums
    }
}
