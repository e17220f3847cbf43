import StorageEngine

/// Which list of records is the shortest to go through.
extension RecordSelection {
    /// A stretch of an order, all of it or those of a facet, in which all records are that the conditions hold for.
    struct List {
        /// `nil` for all records by identifier.
        let order: StoredOrder?
        let facet: Facet?
        let positions: Range<Int>
        /// The conditions that hold for all of it.
        let met: Set<Int>
        /// Whether its records stand by identifier.
        let isByIdentifier: Bool

        /// That of its order: lists that are alike otherwise go by it, so that every look chooses the same.
        fileprivate var name: String { order?.name ?? "" }
    }

    /// The list to go through, and the others by their length.
    func plan(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> (best: List, others: [List]) {
        var lists = [
            List(order: nil, facet: nil, positions: try kind.positions(in: trees), met: [], isByIdentifier: true)
        ]
        let orders = try wholeOrders(in: trees)
        if let order, !order.declaration.isOfEveryRecord, let several = orders.first(where: { $0.name == order.name }) {
            // What the conditions leave of one place of a record says nothing of its others.
            let positions = 0..<(try trees.count(of: several.tree))
            return (List(order: several, facet: nil, positions: positions, met: [], isByIdentifier: false), [])
        }
        for order in orders where hasAllFound(order.declaration) {
            // Keys that code makes say what a record is after that, and conditions are of what is stored.
            guard !order.declaration.needsCode else {
                if order.name == self.order?.name {
                    let positions = 0..<(try trees.count(of: order.tree))
                    lists.append(
                        List(order: order, facet: nil, positions: positions, met: [], isByIdentifier: false))
                }
                continue
            }
            let whole = try stretch(of: order, in: trees)
            lists.append(whole)
            lists += try facets(of: whole, in: trees)
        }
        if let order, stored == nil, !lists.contains(where: { $0.order?.name == order.name }) {
            // Says what is missing.
            guard try OrderStretch(order.name, kind, in: trees) == nil else {
                throw .damaged("The order “\(order.name)” of \(kind.name) cannot be read.")
            }
        }
        lists.sort { ($0.positions.count, rank($0), $0.name) < ($1.positions.count, rank($1), $1.name) }
        let inOrder = lists.firstIndex(where: isInOrder)
        // What decides where a record stands there is not all in the record.
        let isFixed =
            order.map { !$0.declaration.linked.isEmpty || $0.declaration.isFiled || $0.declaration.needsCode } ?? false
        let best = inOrder.map { isFixed || isSooner(lists[$0], than: lists[0]) ? $0 : 0 } ?? 0
        return (lists.remove(at: best), lists)
    }

    /// Those that hold all their records, as the library has them.
    private func wholeOrders(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> [StoredOrder] {
        if let stored { return stored.filter { $0.builtTo == nil } }
        var orders: [StoredOrder] = []
        for declared in kind.orders where hasAllFound(declared.declaration) {
            if let order = try trees.storedOrder(declared), order.builtTo == nil { orders.append(order) }
        }
        return orders
    }

    /// Whether every record that the conditions hold for has one place in an order: also in one of those that have a value, where a condition
    /// leaves no others.
    private func hasAllFound(_ order: OrderDeclaration) -> Bool {
        guard order.stands.count == 1 else { return false }
        return order.components.allSatisfy { component in
            switch component.occurrence {
            case .always, .first: true
            case .each: false
            case .present:
                component.computed == nil
                    && conditions.contains {
                        $0.test.tag == component.tag && !$0.isOfElements
                            && !FieldTest.holdsWhenMissing($0, empty: empty)
                    }
            }
        }
    }

    /// Whether the records of a list come in the order that is asked for.
    func isInOrder(_ list: List) -> Bool {
        list.order?.name == order?.name || order == nil && list.isByIdentifier
    }

    /// Of two lists of a length, the one that needs no sorting and has less to be tested.
    private func rank(_ list: List) -> Int {
        (isInOrder(list) ? 0 : conditions.count + 1) + conditions.count - list.met.count
    }

    /// Whether as many records as are asked for are seen in a list before the other one has been gone through: by as many as the other has at
    /// the most, evenly spread.
    private func isSooner(_ list: List, than other: List) -> Bool {
        let (seen, overflows) = limit.multipliedReportingOverflow(by: list.positions.count)
        return !overflows && seen / max(other.positions.count, 1) < other.positions.count
    }

    /// The stretch of an order that the conditions on its first components leave.
    private func stretch(
        of order: StoredOrder, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> List {
        var prefix: [UInt8] = []
        var met: Set<Int> = []
        var fixedCount = 0
        for component in order.declaration.components {
            // What folds alike need not be equal, and the field of another record is none of this one.
            guard component.collation == .written, component.linked == nil, !component.isOfList else { break }
            let equal = conditions.firstIndex {
                $0.test.comparison == .equal && $0.test.tag == component.tag && !$0.isOfElements
            }
            if let equal, let bytes = try? component.bytes(conditions[equal].value),
                !component.isBeginning || bytes.count < order.declaration.textByteCount
            {
                prefix += bytes
                met.insert(equal)
                fixedCount += 1
                continue
            }
            // Of a long text a key has the beginning.
            guard !component.isBeginning else { break }
            let bounds = component.bounds(behind: prefix, conditions.map { ($0.test, $0.value) })
            guard !bounds.met.isEmpty else { break }
            met.formUnion(bounds.met)
            let found = try trees.positions(of: order.tree, from: bounds.start, to: max(bounds.start, bounds.end))
            return List(order: order, facet: nil, positions: found, met: met, isByIdentifier: false)
        }
        let positions =
            prefix.isEmpty
            ? 0..<(try trees.count(of: order.tree))
            : try trees.positions(of: order.tree, from: prefix, to: AppRecordKey.end(of: prefix))
        // Of equal keys the identifier decides.
        let isByIdentifier = fixedCount == order.declaration.components.count && order.declaration.tail.isEmpty
        return List(order: order, facet: nil, positions: positions, met: met, isByIdentifier: isByIdentifier)
    }

    /// The records of a stretch that are counted by a facet which is one of the conditions.
    private func facets(of list: List, in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> [List]
    {
        guard let order = list.order else { return [] }
        var lists: [List] = []
        for (index, facet) in order.declaration.facets.enumerated() {
            let condition = conditions.firstIndex { condition in
                (condition.test.tag, condition.test.comparison) == (facet.tag, facet.comparison)
                    && condition.test.value == facet.value && !condition.isOfElements
            }
            guard let condition, !list.met.contains(condition) else { continue }
            try translatingErrors {
                let start = try trees.rank(of: list.positions.lowerBound, in: order.tree, facet: Facet(index))
                let end = try trees.rank(of: list.positions.upperBound, in: order.tree, facet: Facet(index))
                lists.append(
                    List(
                        order: order, facet: Facet(index), positions: start..<max(start, end),
                        met: list.met.union([condition]), isByIdentifier: list.isByIdentifier))
            }
        }
        return lists
    }
}

extension OrderDeclaration.Component {
    /// The keys behind a prefix that conditions on the component leave, and which conditions those are.
    fileprivate func bounds(
        behind prefix: [UInt8], _ conditions: [(test: OrderDeclaration.Facet, value: TaggedValue?)]
    ) -> (start: [UInt8], end: [UInt8], met: Set<Int>) {
        var (start, end) = (prefix + [1], prefix + [2])
        var met: Set<Int> = []
        for (index, condition) in conditions.enumerated() where condition.test.tag == tag {
            guard let value = condition.value, let bytes = try? bytes(value) else { continue }
            let (at, behind) = (prefix + bytes, AppRecordKey.end(of: prefix + bytes))
            let isLess: Bool
            let bound: [UInt8]
            switch condition.test.comparison {
            case .equal, .unequal: continue
            case .less: (isLess, bound) = (true, isDescending ? behind : at)
            case .lessOrEqual: (isLess, bound) = (true, isDescending ? at : behind)
            case .greater: (isLess, bound) = (false, isDescending ? at : behind)
            case .greaterOrEqual: (isLess, bound) = (false, isDescending ? behind : at)
            }
            if isLess == isDescending {
                start = max(start, bound)
            } else {
                end = min(end, bound)
            }
            met.insert(index)
        }
        return (start, end, met)
    }
}

/// Keys as they stand in a tree.
private func max(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    left.lexicographicallyPrecedes(right) ? right : left
}

private func min(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    right.lexicographicallyPrecedes(left) ? right : left
}
