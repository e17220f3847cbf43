/// What the columns say of a stretch of a tree. Two descents at most: what lies between is in the branches on the way.
extension TreeReader {
    /// What a column holds of the entries at `positions`.
    func total(ofColumn column: Int, _ positions: Range<Int>) throws(StorageError) -> ColumnTotal {
        var total = ColumnTotal(columns[column])
        guard let node = try rootNode() else { return total }
        try add(node, at: 0, positions, Column(index: column, sum: columns.sumIndex(of: column)), to: &total)
        return total
    }

    private struct Column {
        let index: Int
        /// The column that running sums are made of.
        let sum: Int?
    }

    private func add(
        _ node: Node, at start: Int, _ positions: Range<Int>, _ column: Column, to total: inout ColumnTotal
    ) throws(StorageError) {
        guard node.level > 0 else { return node.add(entries: node.indices(of: positions, from: start), to: &total) }
        var position = start
        for index in 0..<node.count {
            let end = position + node.childCount(index, column: 0)
            defer { position = end }
            if end <= positions.lowerBound { continue }
            if position >= positions.upperBound { return }
            if positions.lowerBound <= position, end <= positions.upperBound {
                node.add(child: index, column.index, column.sum, to: &total)
                continue
            }
            let child = try pages.child(of: node, at: index)
            let missing = (position..<end).count - positions.clamped(to: position..<end).count
            if total.isAdditive, child.isLeaf, missing * 2 < end - position {
                // Most of the leaf: what its parent holds of it, without the rest.
                let inside = child.indices(of: positions, from: position)
                var rest = ColumnTotal(total.column)
                child.add(entries: 0..<inside.lowerBound, to: &rest)
                child.add(entries: inside.upperBound..<child.count, to: &rest)
                node.add(child: index, column.index, column.sum, to: &total)
                total.subtract(rest)
            } else {
                try add(child, at: position, positions, column, to: &total)
            }
        }
    }

    /// The first of `positions` behind whose entry a sum, from 0 before the first of them, is at least `limit` (in a column of the
    /// highest running sums) or at most that (in one of the lowest); `nil` when it never is.
    func position(
        whereColumn column: Int, reaches limit: Int128, _ positions: Range<Int>
    ) throws(StorageError) -> Int? {
        guard let node = try rootNode(), let sum = columns.sumIndex(of: column) else { return nil }
        var search = RunningSum(column: column, sum: sum, of: columns[column], limit: limit, positions: positions)
        return try find(&search, in: node, at: 0)
    }

    private struct RunningSum {
        let column: Int
        /// The column of the sums.
        let sum: Int
        let isHighest: Bool
        let amount: Int
        let limit: Int128
        let positions: Range<Int>
        /// Of the positions so far.
        var running: Int128 = 0

        init(column: Int, sum: Int, of kind: TreeColumn, limit: Int128, positions: Range<Int>) {
            self.column = column
            self.sum = sum
            if case .highest = kind { isHighest = true } else { isHighest = false }
            amount = kind.amount ?? 0
            self.limit = limit
            self.positions = positions
        }

        func isReached(_ sum: Int128) -> Bool { isHighest ? sum >= limit : sum <= limit }
    }

    private func find(_ search: inout RunningSum, in node: Node, at start: Int) throws(StorageError) -> Int? {
        guard node.level > 0 else {
            for index in node.indices(of: search.positions, from: start) {
                search.running = search.running &+ Int128(node.amount(search.amount, of: index) ?? 0)
                if search.isReached(search.running) { return start + index }
            }
            return nil
        }
        var position = start
        for index in 0..<node.count {
            let below = position..<position + node.childCount(index, column: 0)
            position = below.upperBound
            guard below.overlaps(search.positions) else {
                if below.lowerBound >= search.positions.upperBound { return nil }
                continue
            }
            if search.positions.contains(below) {
                let extreme = Int128(bitPattern: node.columnBits(search.column, ofChild: index))
                if !search.isReached(search.running &+ extreme) {
                    search.running = search.running &+ Int128(bitPattern: node.columnBits(search.sum, ofChild: index))
                    continue
                }
            }
            let child = try pages.countedChild(of: node, at: index)
            if let found = try find(&search, in: child, at: below.lowerBound) { return found }
        }
        return nil
    }
}

extension Node {
    /// A leaf's entries that are at some positions of its tree, of which its first is at `start`.
    fileprivate func indices(of positions: Range<Int>, from start: Int) -> Range<Int> {
        let first = min(max(positions.lowerBound - start, 0), count)
        return first..<max(first, min(positions.upperBound - start, count))
    }
}

extension Range<Int> {
    fileprivate func contains(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
