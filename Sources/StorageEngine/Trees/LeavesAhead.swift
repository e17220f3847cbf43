/// The leaves that a visit of some entries comes to next. Where two or more of them are not cached they are asked for together, a few leaves at a time, since
/// who visits them may not want all.
struct LeavesAhead {
    let column: Int
    private let positions: Range<Int>
    private let isReversed: Bool
    /// The entries on leaves that were looked at.
    private var known = 0..<0
    private var leafLimit: Int

    private static let leafCount = 8

    /// - Parameter endsAnywhere: whether the visit may end long before the last position. Its first leaf is then read alone.
    init(of positions: Range<Int>, _ column: Int, isReversed: Bool = false, endsAnywhere: Bool = false) {
        self.positions = positions
        self.column = column
        self.isReversed = isReversed
        leafLimit = endsAnywhere ? 1 : Self.leafCount
    }

    /// - Parameters:
    ///   - child: the leaf that is read next.
    ///   - start: how many of the column's entries precede it.
    @inline(__always)
    mutating func ask(from child: Int, at start: Int, of branch: Node, _ pages: PageSource) {
        guard !known.contains(start) else { return }
        known = start..<start + branch.childCount(child, column: column)
        var (next, last, leafCount, missingCount) = (child, child, 1, 0)
        if pages.untouchedPage(branch.child(child)) != nil { missingCount = 1 }
        while leafCount < leafLimit {
            next += isReversed ? -1 : 1
            let isThere =
                isReversed
                ? next >= 0 && known.lowerBound > positions.lowerBound
                : next < branch.count && known.upperBound < positions.upperBound
            guard isThere else { break }
            let count = branch.childCount(next, column: column)
            // Nothing of it is visited.
            guard count > 0 else { continue }
            known =
                isReversed
                ? known.lowerBound - count..<known.upperBound : known.lowerBound..<known.upperBound + count
            leafCount += 1
            last = next
            if pages.untouchedPage(branch.child(next)) != nil { missingCount += 1 }
        }
        leafLimit = Self.leafCount
        guard missingCount > 1 else { return }
        let children = min(child, last)..<max(child, last) + 1
        pages.ask(
            forChildren: children.lazy.filter { [column] in branch.childCount($0, column: column) > 0 }, of: branch)
    }

    /// The same of a visit that ends where a separator says so, or anywhere.
    ///
    /// - Returns: for how many leaves the answer stands.
    static func ask(
        from child: Int, of branch: Node, _ pages: PageSource, while mayGoOn: (_ separator: RawSpan) -> Bool
    ) -> Int {
        let children = child..<min(branch.count, child + leafCount)
        let missing = children.filter { pages.untouchedPage(branch.child($0)) != nil }
        guard missing.count > 1 else { return children.count }
        let wanted = missing.prefix { $0 == child || branch.key($0).withBytes(mayGoOn) }
        pages.ask(forChildren: wanted, of: branch)
        return children.count
    }
}
