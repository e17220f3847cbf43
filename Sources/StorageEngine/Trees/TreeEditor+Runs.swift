/// Applies many changes at once: every node on the way is visited once and every leaf is made once, so that a run of as many entries as
/// a tree has costs a third of putting them one by one.
extension TreeEditor {
    /// Runs of no more entries are applied one by one.
    static var mostOneByOne: Int { 12 }

    /// A node and the separator before it; the first of a row has none.
    typealias Piece = (separator: [UInt8], reference: UInt64)

    /// What has come of a node: nothing, it or others in its place, and what that does to the counts above.
    struct Changed {
        var pieces: [Piece]
        var movement: CountMovement
    }

    /// What a branch has become: it, and those that were split off behind it.
    private struct Row {
        var branches: [(separator: [UInt8], branch: BranchNode)]

        /// The branch that has a child, by its number among all, and its index there.
        func place(of child: Int) -> (branch: Int, index: Int) {
            var index = child
            for place in branches.indices {
                let count = branches[place].branch.node.count
                if index < count || place == branches.count - 1 { return (place, index) }
                index -= count
            }
            preconditionFailure("a row has a branch")
        }

        var pieces: [Piece] { branches.map { ($0.separator, $0.branch.reference) } }
    }

    /// Puts all entries of a run, in place of those with the same keys, and removes the keys that are to go. When this throws, the tree is
    /// of no more use.
    ///
    /// Precondition: the run is sorted, and has no key twice.
    mutating func apply(_ run: EntryRun) throws(StorageError) {
        guard run.count > Self.mostOneByOne else {
            for index in 0..<run.count { try apply(one: index, of: run) }
            return
        }
        if root.isEmpty {
            guard let first = (0..<run.count).first(where: { !run.isRemoval($0) }) else { return }
            try apply(one: first, of: run)
        }
        let node = try rootNode()
        // Read first: a root that this commit made is freed when it splits.
        var level = node.level
        guard var pieces = try apply(run, 0..<run.count, in: node)?.pieces else { return }
        while pieces.count > 1 {
            level += 1
            pieces = row(of: pieces, level).pieces
        }
        root = pieces.first.map { TreeRoot(reference: $0.reference) } ?? .empty
        lowerRoot()
    }

    private mutating func apply(one index: Int, of run: EntryRun) throws(StorageError) {
        guard !run.isRemoval(index) else {
            _ = try run.withKey(index) { (key) throws(StorageError) in try remove(key) }
            return
        }
        let cell = largeCell(index, of: run)
        do throws(StorageError) {
            try run.withEntry(index, largeCell: cell) { (entry) throws(StorageError) in try put(entry) }
        } catch {
            // Safe because the cell was made above, and no leaf has taken it.
            if let cell { cell.withBytes { heap.retire(unsafe LargeValue(cell: $0).memory) } }
            throw error
        }
    }

    /// A copy of a value that lies outside its leaf; `nil` for one that lies within.
    func largeCell(_ index: Int, of run: EntryRun) -> [UInt8]? {
        guard run.valueByteCount(index) > inlineByteCount else { return nil }
        return run.withValue(index) { LargeValue.cell(copying: $0, heap: heap) }
    }

    /// `nil` when the run changes nothing below the node.
    private mutating func apply(_ run: EntryRun, _ range: Range<Int>, in node: Node) throws(StorageError) -> Changed? {
        guard node.level > 0 else {
            return node.isDense ? try apply(run, range, toDense: node) : apply(run, range, toLeaf: node)
        }
        var row: Row?
        var movement = CountMovement(columns)
        let groups = groups(of: run, range, in: node)
        pages.ask(forChildren: groups.lazy.map(\.child), of: node)
        // From the end on, so that what is split off or goes does not move those that are still to come.
        for (child, range) in groups.reversed() {
            let reference: Node
            if let row {
                let (place, index) = row.place(of: child)
                reference = try self.child(of: row.branches[place].branch.node, at: index)
            } else {
                reference = try self.child(of: node, at: child)
            }
            guard let changed = try apply(run, range, in: reference) else { continue }
            var changing = row ?? Row(branches: [([], own(node))])
            replace(child, by: changed, in: &changing)
            movement.add(changed.movement)
            row = changing
        }
        return row.map { Changed(pieces: $0.pieces, movement: movement) }
    }

    private func replace(_ child: Int, by changed: Changed, in row: inout Row) {
        let (place, index) = row.place(of: child)
        let branch = row.branches[place].branch
        guard let first = changed.pieces.first else {
            branch.remove(at: index)
            if branch.node.count == 0 {
                heap.retire(branch.node)
                row.branches.remove(at: place)
            }
            return
        }
        branch.setChild(index, first.reference)
        guard changed.pieces.count > 1 else { return apply(changed.movement, to: branch, index) }
        branch.recount(index)
        insert(changed.pieces.dropFirst(), behind: child, into: &row)
    }

    /// Sums are moved by what has changed below. What is none is made anew from the child, whose own is right by now.
    private func apply(_ movement: CountMovement, to branch: BranchNode, _ index: Int) {
        if movement.all != 0 { branch.addCount(index, column: 0, movement.all) }
        for facet in 0..<facetCount where movement.facets[facet] != 0 {
            branch.addCount(index, column: 1 + facet, Int(movement.facets[facet]))
        }
        for column in 0..<columns.count {
            switch columns[column] {
            case .sum, .fingerprint, .hashSum:
                let bits = branch.node.columnBits(column, ofChild: index)
                branch.setColumn(index, column: column, bits &+ movement.columns[column])
            case .bounds(let amount): if movement.moves(amount) { branch.retotal(index, column: column) }
            case .highest(let amount): if movement.moves(amount) { branch.retotalRunningSums(index, ofAmount: amount) }
            case .lowest(let amount):
                // The highest has brought it up to date.
                if movement.moves(amount), columns.index(of: .highest(amount: amount)) == nil {
                    branch.retotalRunningSums(index, ofAmount: amount)
                }
            }
        }
    }

    /// The entries of a run that belong below each child that has any.
    private func groups(of run: EntryRun, _ range: Range<Int>, in branch: Node) -> [(child: Int, range: Range<Int>)] {
        var groups: [(child: Int, range: Range<Int>)] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let child = run.withKey(start) { branch.childIndex(of: $0) }
            let end =
                child + 1 < branch.count
                ? run.firstIndex(notBefore: branch.key(child + 1), in: start + 1..<range.upperBound) : range.upperBound
            groups.append((child, start..<end))
            start = end
        }
        return groups
    }

    private func insert(_ pieces: some Sequence<Piece>, behind child: Int, into row: inout Row) {
        for (offset, piece) in pieces.enumerated() {
            let (place, index) = row.place(of: child + offset)
            let (branch, right) = insert(
                piece.reference, piece.separator, at: index + 1, into: row.branches[place].branch)
            row.branches[place].branch = branch
            if let right { row.branches.insert(right, at: place + 1) }
        }
    }

    /// Branches over the nodes of a level: one, or several when they do not fit.
    private func row(of pieces: [Piece], _ level: Int) -> Row {
        let first = BranchNode(
            left: pieces[0].reference, separator: pieces[1].separator, right: pieces[1].reference, level: level,
            facetCount: facetCount, columns, heap: heap)
        var row = Row(branches: [([], first)])
        insert(pieces.dropFirst(2), behind: 1, into: &row)
        return row
    }

    // MARK: Leaves

    private mutating func apply(_ run: EntryRun, _ range: Range<Int>, toLeaf leaf: Node) -> Changed? {
        // A few changes are made one by one in a copy of the leaf. Many are merged with its entries, and so are those that all come after
        // the last of them, which fill one page after the other.
        let isBehind = run.withKey(range.lowerBound) { leaf.lowerBound(of: $0).index } == leaf.count
        guard !isBehind, range.count * 4 <= leaf.count || range.count == 1 else {
            return merge(run, range, into: leaf)
        }
        return apply(each: range, of: run, toLeaf: leaf)
    }

    private mutating func merge(_ run: EntryRun, _ range: Range<Int>, into leaf: Node) -> Changed? {
        var movement = CountMovement(columns)
        var merge = LeafMerge(leaf, run, heap: heap)
        for index in range {
            let (place, isThere) = run.withKey(index) { leaf.lowerBound(of: $0) }
            var change = CountChange()
            if isThere {
                note(theRemovalOf: place, of: leaf, in: &change)
                retireValue(of: leaf, place)
            }
            if run.isRemoval(index) {
                if isThere { merge.remove(place) }
            } else {
                merge.put(index, largeCell: largeCell(index, of: run), at: place, replacing: isThere)
                merge.withEntry(index) { note(theArrivalOf: $0, in: &change) }
            }
            movement.add(change, columns)
        }
        guard merge.changesAnything else { return nil }
        let pieces = merge.compose().map { ($0.separator, $0.node.reference) }
        retire(leaf)
        return Changed(pieces: pieces, movement: movement)
    }

    private mutating func apply(each range: Range<Int>, of run: EntryRun, toLeaf leaf: Node) -> Changed? {
        var nodes: [(separator: [UInt8], node: Node)] = [([], leaf)]
        var movement = CountMovement(columns)
        var isChanged = false
        func place(of index: Int) -> Int {
            let place = run.withKey(index) { key in
                nodes.lastIndex { node in node.separator.withBytes { $0.order(relativeTo: key) <= 0 } }
            }
            guard let place else { preconditionFailure("the first separator is before every key") }
            return place
        }
        // What goes, last: the leaf is not empty while something is still to come.
        for index in range.reversed() where !run.isRemoval(index) {
            let place = place(of: index)
            let cell = largeCell(index, of: run)
            let outcome = run.withEntry(index, largeCell: cell) {
                put($0, leaf: nodes[place].node, followers: index - range.lowerBound)
            }
            movement.add(change, columns)
            isChanged = true
            // Safe because the nodes of an outcome were made by this commit, so they are in memory and alive.
            nodes[place].node = unsafe Node(reference: outcome.reference)
            if let (separator, right) = outcome.split {
                nodes.insert((separator, unsafe Node(reference: right)), at: place + 1)
            }
        }
        for index in range.reversed() where run.isRemoval(index) && !nodes.isEmpty {
            let place = place(of: index)
            guard let reference = run.withKey(index, { remove($0, leaf: nodes[place].node) }) else { continue }
            movement.add(change, columns)
            isChanged = true
            if reference == 0 {
                nodes.remove(at: place)
                // The keys that the next node may have begin where the first one's did.
                if place == 0, !nodes.isEmpty { nodes[0].separator = [] }
            } else {
                // Safe for the same reason.
                nodes[place].node = unsafe Node(reference: reference)
            }
        }
        guard isChanged else { return nil }
        return Changed(pieces: nodes.map { ($0.separator, $0.node.reference) }, movement: movement)
    }
}
