/// What a tree's columns say. Each costs two descents at most, however many entries there are, and throws
/// `StorageError.schemaMismatch` for a column that the tree does not have.
extension TreeReadable where Self: ~Copyable {
    /// The sum of an amount: of all entries, or of those at some positions.
    public func sum(
        ofAmount amount: Int, in tree: TreeNumber, positions: Range<Int>? = nil
    ) throws(StorageError) -> Int128 {
        try total(of: .sum(amount: amount), in: tree, positions).running
    }

    /// The least and the greatest of an amount; `nil` when no entry has it.
    public func bounds(
        ofAmount amount: Int, in tree: TreeNumber, positions: Range<Int>? = nil
    ) throws(StorageError) -> ClosedRange<Int64>? {
        try total(of: .bounds(amount: amount), in: tree, positions).bounds
    }

    /// The same for trees that hold entries of the same identifiers, in whatever order, and almost surely another for others.
    public func fingerprint(of tree: TreeNumber, positions: Range<Int>? = nil) throws(StorageError) -> UInt128 {
        try total(of: .fingerprint, in: tree, positions).bits
    }

    /// The same for trees that hold the same entries, and almost surely another for others.
    public func hashSum(of tree: TreeNumber, positions: Range<Int>? = nil) throws(StorageError) -> UInt128 {
        try total(of: .hashSum, in: tree, positions).bits
    }

    /// The first position behind whose entry the sum of an amount, from 0 before the first of `positions`, is at least `limit`;
    /// `nil` when it never is. The tree has a column of the highest running sums.
    public func position(
        in tree: TreeNumber, whereSumOfAmount amount: Int, isAtLeast limit: Int128, positions: Range<Int>? = nil
    ) throws(StorageError) -> Int? {
        try position(of: .highest(amount: amount), reaching: limit, in: tree, positions)
    }

    /// The same for a sum that is at most `limit`. The tree has a column of the lowest running sums.
    public func position(
        in tree: TreeNumber, whereSumOfAmount amount: Int, isAtMost limit: Int128, positions: Range<Int>? = nil
    ) throws(StorageError) -> Int? {
        try position(of: .lowest(amount: amount), reaching: limit, in: tree, positions)
    }

    private func total(
        of column: TreeColumn, in tree: TreeNumber, _ positions: Range<Int>?
    ) throws(StorageError) -> ColumnTotal {
        let source = source(of: tree)
        defer { withExtendedLifetime(source.owner) {} }
        let index = try source.reader.index(of: column, tree)
        return try source.reader.total(ofColumn: index, positions ?? 0..<Int.max)
    }

    private func position(
        of column: TreeColumn, reaching limit: Int128, in tree: TreeNumber, _ positions: Range<Int>?
    ) throws(StorageError) -> Int? {
        let source = source(of: tree)
        defer { withExtendedLifetime(source.owner) {} }
        let index = try source.reader.index(of: column, tree)
        return try source.reader.position(whereColumn: index, reaches: limit, positions ?? 0..<Int.max)
    }
}

extension TreeReader {
    fileprivate func index(of column: TreeColumn, _ tree: TreeNumber) throws(StorageError) -> Int {
        guard let index = columns.index(of: column) else {
            throw .schemaMismatch("Tree \(tree.rawValue) has no column \(column). Declare it with the tree.")
        }
        return index
    }
}
