/// A tree and another: what they hold below the same keys, from the sums that branches keep.
extension TreeReader {
    /// What there is of the entries before some key.
    struct Beginning: Equatable {
        var count = 0
        /// The column `hashSum` of them; 0 where it is not asked for.
        var hashSum: UInt128 = 0

        static func - (one: Beginning, other: Beginning) -> Beginning {
            Beginning(count: one.count - other.count, hashSum: one.hashSum &- other.hashSum)
        }

        fileprivate mutating func add(child index: Int, of branch: Node, _ column: Int?) {
            count += branch.childCount(index, column: 0)
            if let column { hashSum &+= branch.columnBits(column, ofChild: index) }
        }

        fileprivate mutating func add(entries range: Range<Int>, of leaf: Node, hashing: Bool) {
            count += range.count
            guard hashing else { return }
            for index in range { hashSum &+= UInt128(leaf.entryHash(index)) }
        }
    }

    /// Of the entries before a key, or of all. One node per level, and no further than to the branch that the key separates.
    ///
    /// - Parameter column: `hashSum`, where it is asked for.
    func beginning(before key: [UInt8]?, _ column: Int?) throws(StorageError) -> Beginning {
        var beginning = Beginning()
        guard var node = try rootNode() else { return beginning }
        guard let key else {
            if node.isLeaf {
                beginning.add(entries: 0..<node.count, of: node, hashing: column != nil)
            } else {
                for index in 0..<node.count { beginning.add(child: index, of: node, column) }
            }
            return beginning
        }
        while node.level > 0 {
            let child = key.withBytes { node.childIndex(of: $0) }
            for index in 0..<child { beginning.add(child: index, of: node, column) }
            if child > 0, node.order(ofKey: child, relativeTo: key) == 0 { return beginning }
            node = try pages.child(of: node, at: child)
        }
        let end = try key.withBytes { (key) throws(StorageError) in
            try pages.lowerBound(of: key, in: node, lead).index
        }
        beginning.add(entries: 0..<end, of: node, hashing: column != nil)
        return beginning
    }
}

/// Finds the entries that two trees do not have alike.
///
/// Goes down the first tree. Of what is below each child it knows the count and the hash sum; it asks the second for those of the same
/// keys, and passes over what is equal. Only where leaves of the first hold other entries than the second has there, both are read entry
/// by entry. So equal trees cost their roots, and k differences about k paths of the first tree and, where the second was laid out alike,
/// as many of it; where it was not, up to a leaf for each child on those paths.
///
/// Without the column in both trees everything is read.
struct TreeComparison {
    private let first: TreeReader
    private let second: TreeReader
    private let columns: (first: Int, second: Int)?

    init(_ first: TreeReader, _ second: TreeReader) {
        self.first = first
        self.second = second
        columns = Self.hasSums(first, second) ? (first.hashSumColumn, second.hashSumColumn) : nil
    }

    /// Whether the hash sums of both can be compared. A tree without entries needs none.
    static func hasSums(_ first: TreeReader, _ second: TreeReader) -> Bool {
        [first, second].allSatisfy { $0.root.isEmpty || $0.columns.index(of: .hashSum) != nil }
    }

    /// Whether the hash sums of both say that they hold the same. Reads both roots.
    func isSame() throws(StorageError) -> Bool {
        guard let columns else { return false }
        return try first.beginning(before: nil, columns.first) == second.beginning(before: nil, columns.second)
    }

    /// Visits the differences by key, each with the place in either tree that has the key, until `body` returns false.
    func forEachDifference(_ body: (TreeReader.Place?, TreeReader.Place?) -> Bool) throws(StorageError) {
        guard try !isSame() else { return }
        let end = try second.beginning(before: nil, columns?.second)
        guard let root = try first.rootNode() else {
            return try second.forEach(0..<end.count, column: 0) { body(nil, $0) }
        }
        _ = try visit(root, TreeReader.Beginning(), end, body)
    }

    /// - Parameters:
    ///   - start: of the second tree, what is before the keys of the node.
    ///   - end: the same with those.
    private func visit(
        _ node: Node, _ start: TreeReader.Beginning, _ end: TreeReader.Beginning,
        _ body: (TreeReader.Place?, TreeReader.Place?) -> Bool
    ) throws(StorageError) -> Bool {
        guard node.level > 0 else { return try merge(node, start.count..<end.count, body) }
        var start = start
        for index in 0..<node.count {
            // Where the second has nothing any more, nobody looks for where it ends.
            let isLast = index + 1 == node.count || start.count == end.count
            let next = isLast ? end : try second.beginning(before: node.key(index + 1), columns?.second)
            defer { start = next }
            guard start.count <= next.count, next.count <= end.count else { throw second.disorder }
            if let columns {
                let own = TreeReader.Beginning(
                    count: node.childCount(index, column: 0), hashSum: node.columnBits(columns.first, ofChild: index))
                if own == next - start { continue }
            }
            let child = try first.pages.countedChild(of: node, at: index)
            guard try visit(child, start, next, body) else { return false }
        }
        return true
    }

    /// A leaf of the first, and the entries of the second at some positions.
    private func merge(
        _ leaf: Node, _ positions: Range<Int>, _ body: (TreeReader.Place?, TreeReader.Place?) -> Bool
    ) throws(StorageError) -> Bool {
        var index = 0
        var goesOn = true
        func visit(_ place: TreeReader.Place) throws(StorageError) -> Bool {
            while goesOn, index < leaf.count {
                let own = TreeReader.Place(leaf: leaf, index: index)
                let order = try order(of: own, relativeTo: place)
                if order > 0 { break }
                index += 1
                if order < 0 {
                    goesOn = body(own, nil)
                } else {
                    if !own.hasValue(of: place) { goesOn = body(own, place) }
                    return goesOn
                }
            }
            if goesOn { goesOn = body(nil, place) }
            return goesOn
        }
        try second.forEach(positions, column: 0, visit)
        while goesOn, index < leaf.count {
            goesOn = body(TreeReader.Place(leaf: leaf, index: index), nil)
            index += 1
        }
        return goesOn
    }

    /// Negative, zero or positive as the key of an entry of the first sorts before, with or after that of one of the second.
    private func order(of place: TreeReader.Place, relativeTo other: TreeReader.Place) throws(StorageError) -> Int {
        try first.pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
            try second.pages.withKey(of: other.leaf, other.index) { (other) throws(StorageError) in
                key.order(relativeTo: other)
            }
        }
    }

}

extension TreeReader {
    /// Pages that are each in order, and not behind each other, as only a forged tree has them.
    var disorder: StorageError {
        .damaged(
            Damage(
                file: pages.path, byteOffset: 0, page: Int(root.reference >> 1),
                finding: "keys of the tree do not ascend, or are not counted right"))
    }

    fileprivate var hashSumColumn: Int { columns.index(of: .hashSum) ?? 0 }
}

extension TreeReader.Place {
    /// Whether both values are the same: by their bytes beside the keys, by their hashes elsewhere.
    fileprivate func hasValue(of other: TreeReader.Place) -> Bool {
        leaf.withCell(index) { word, cell in
            other.leaf.withCell(other.index) { otherWord, otherCell in
                if (word | otherWord) & 0x8000 == 0 { return cell.order(relativeTo: otherCell) == 0 }
                return EntryHash.ofValue(word: word, cell: cell)
                    == EntryHash.ofValue(word: otherWord, cell: otherCell)
            }
        }
    }
}
