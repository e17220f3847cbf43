/// The leaves that a visit of some entries comes to next. What is not cached of them is asked for together, a few leaves at a time, since who visits them may
/// not want all.
struct LeavesAhead {
    let column: Int
    private let positions: Range<Int>
    private let isReversed: Bool
    /// The entries on leaves that were looked at.
    private var known = 0..<0

    private static let leafCount = 8

    init(of positions: Range<Int>, _ column: Int, isReversed: Bool = false) {
        self.positions = positions
        self.column = column
        self.isReversed = isReversed
    }

    /// - Parameters:
    ///   - child: the leaf that is read next.
    ///   - start: how many of the column's entries precede it.
    @inline(__always)
    mutating func ask(from child: Int, at start: Int, of branch: Node, _ pages: PageSource) {
        guard !known.contains(start) else { return }
        var children = child..<child + 1
        known = start..<start + branch.childCount(child, column: column)
        var isMissing = pages.untouchedPage(branch.child(child)) != nil
        while children.count < Self.leafCount {
            let next: Int
            if isReversed {
                guard known.lowerBound > positions.lowerBound, children.lowerBound > 0 else { break }
                next = children.lowerBound - 1
                children = next..<children.upperBound
                known = known.lowerBound - branch.childCount(next, column: column)..<known.upperBound
            } else {
                guard known.upperBound < positions.upperBound, children.upperBound < branch.count else { break }
                next = children.upperBound
                children = children.lowerBound..<next + 1
                known = known.lowerBound..<known.upperBound + branch.childCount(next, column: column)
            }
            if pages.untouchedPage(branch.child(next)) != nil { isMissing = true }
        }
        if isMissing { pages.ask(forChildren: children, of: branch) }
    }

    /// The same of a visit that ends nobody knows where.
    ///
    /// - Returns: of how many leaves.
    static func ask(from child: Int, of branch: Node, _ pages: PageSource) -> Int {
        let children = child..<min(branch.count, child + leafCount)
        if children.contains(where: { pages.untouchedPage(branch.child($0)) != nil }) {
            pages.ask(forChildren: children, of: branch)
        }
        return children.count
    }
}
