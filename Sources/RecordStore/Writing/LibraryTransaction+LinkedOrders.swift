import StorageEngine

/// The entries that records have by fields of another one: those of all that name it move when that changes.
struct LinkedEntries {
    /// More records than these are not moved within a commit: their order is made anew, piece by piece.
    static let maximumRecordCount = 4096

    /// Records of a kind, and where they stand in some orders of theirs before and after.
    fileprivate struct Group {
        let orders: [StoredOrder]
        var records: [(id: UInt64, before: [OrderEntry], after: [OrderEntry])] = []
    }

    fileprivate var groups: [Group] = []
    /// Those that too many records would move in.
    fileprivate var begunAnew: [(kind: String, order: StoredOrder)] = []
}

extension LibraryTransaction {
    /// Where the records stand, and will, that name one which is about to change or to go, in the orders by what changes of it.
    ///
    /// - Parameters:
    ///   - record: the one that changes. It does not count among those that name it.
    ///   - old: `nil` for one that comes.
    ///   - new: `nil` for one that goes.
    ///   - gone: records that are in no order any more, and are to go.
    /// - Throws: `LibraryError.invalidValue` when an order cannot take a record with what it would have then. Nothing was changed.
    mutating func linkedEntries(
        by record: (kind: String, id: UInt64), from old: [UInt8]?, to new: [UInt8]?,
        besides gone: Set<LinkedRecord> = []
    ) throws(LibraryError) -> LinkedEntries {
        var found = LinkedEntries()
        let changed = LinkedRecord(target: .records(record.kind), id: record.id)
        let after = new.flatMap { try? RecordFields($0) }
        for (kind, orders, links) in try followingOrders(record.kind, old, after) {
            guard let records = try trees.records(linkedBy: links, to: record.id, in: orders, besides: gone) else {
                found.begunAnew += orders.map { (kind, $0) }
                continue
            }
            var group = LinkedEntries.Group(orders: orders)
            for id in records where (kind, id) != record {
                guard let bytes = try trees.recordBytes(id, ofKind: kind) else { continue }
                let before = try orders.possibleEntries(of: bytes, (kind, id), in: trees)
                guard let after = try entries(of: bytes, (kind, id), in: orders, that: record, [changed: after])
                else { continue }
                group.records.append((id, before, after))
            }
            found.groups.append(group)
        }
        return found
    }

    /// Looks whether orders take the records that name one when this changes as is planned, with all that is planned before it.
    ///
    /// - Parameters:
    ///   - old: what the record is before this change.
    ///   - plan: holds the change already.
    ///   - gone: records that will be in no order when it is carried out.
    /// - Throws: as `linkedEntries` would when its turn comes.
    mutating func checkFollowers(
        of record: (kind: String, id: UInt64), from old: [UInt8]?, in plan: PlannedChanges,
        besides gone: Set<LinkedRecord> = []
    ) throws(LibraryError) {
        let after = plan.fields[LinkedRecord(target: .records(record.kind), id: record.id)] ?? nil
        for (kind, orders, links) in try followingOrders(record.kind, old, after) {
            // Otherwise their order is begun anew.
            guard let records = try trees.records(linkedBy: links, to: record.id, in: orders, besides: gone) else {
                continue
            }
            for id in records where (kind, id) != record {
                guard let bytes = try plan.bytes(of: LinkedRecord(target: .records(kind), id: id), in: trees) else {
                    continue
                }
                _ = try entries(of: bytes, (kind, id), in: orders, that: record, plan.fields)
            }
        }
    }

    /// The orders by fields of a record that changes, by the kinds whose they are, with the links that their records name it by.
    ///
    /// - Parameter after: `nil` for a record that goes.
    private mutating func followingOrders(
        _ kind: String, _ old: [UInt8]?, _ after: RecordFields?
    ) throws(LibraryError) -> [(kind: String, orders: [StoredOrder], links: [StoredLink])] {
        var found: [(kind: String, orders: [StoredOrder], links: [StoredLink])] = []
        let links = try links(toKind: kind)
        guard !links.isEmpty else { return found }
        let before = old.flatMap { try? RecordFields($0) }
        for (linking, links) in Dictionary(grouping: links, by: \.kind).sorted(by: { $0.key < $1.key }) {
            func isConcerned(_ order: StoredOrder) -> Bool {
                order.declaration.linked.contains { $0.isLinked(to: kind) && $0.uses(before) != $0.uses(after) }
            }
            // To bring orders up to date sets those aside that cannot be kept up here, and nothing of them may change.
            let stored =
                if let orders = knownOrders[linking] { orders } else {
                    try trees.storedOrders(of: Array(linking.utf8))
                }
            guard stored.contains(where: isConcerned) else { continue }
            let orders = try apply { (transaction) throws(LibraryError) in try transaction.orders(ofKind: linking) }
                .filter(isConcerned)
            let components = orders.flatMap(\.declaration.linked).filter { $0.isLinked(to: kind) }
            found.append((linking, orders, links.filter { link in components.contains { $0.link == link.field } }))
        }
        return found
    }

    /// The entries of a record in orders by fields of one that it names and that changes.
    ///
    /// - Parameter changed: what is about to be changed.
    /// - Returns: `nil` for a record that cannot be read.
    private func entries(
        of bytes: [UInt8], _ owner: (kind: String, id: UInt64), in orders: [StoredOrder],
        that named: (kind: String, id: UInt64), _ changed: [LinkedRecord: RecordFields?]
    ) throws(LibraryError) -> [OrderEntry]? {
        guard var fields = try? RecordFields(bytes) else { return nil }
        try fields.complete(for: orders, of: owner, considering: changed, in: trees)
        return try orders.entries(of: fields, id: owner.id) { (order, problem) throws(LibraryError) in
            guard order.takes(owner.id) else { return }
            let names = (ID<AppRecord>(rawValue: named.id), ID<AppRecord>(rawValue: owner.id))
            throw .invalidValue(
                "With this \(named.kind) \(names.0) the order “\(order.name)” would not take \(owner.kind) \(names.1), which names it: "
                    + "\(problem.description).")
        }
    }

    /// Moves records to where they stand now that the one which they name has changed. Within `apply` only.
    mutating func follow(_ linked: LinkedEntries) throws(LibraryError) {
        for group in linked.groups {
            for (id, before, after) in group.records {
                try replaceEntries(before, with: after, of: id, in: group.orders)
            }
        }
        for (kind, order) in linked.begunAnew { try beginAnew(order, order.declaration, ofKind: kind) }
    }

    /// Makes every order anew that files letters where the library did before, piece by piece.
    mutating func refileOrders() throws(LibraryError) {
        let filing = filing
        for kind in try trees.kindsWithOrders(notFiledBy: filing) {
            try apply { (transaction) throws(LibraryError) in
                let orders = try transaction.orders(ofKind: kind)
                for order in orders {
                    let filed = order.declaration.filed(by: filing)
                    guard filed != order.declaration else { continue }
                    if orders.contains(where: { $0.name.hasSameBytes(as: order.name) && $0.declaration == filed }) {
                        // A record was written since the library is filed so, and made it.
                        try transaction.drop(order, of: Array(kind.utf8))
                        transaction.knownOrders[kind]?.removeAll { $0.tree == order.tree }
                    } else {
                        try transaction.beginAnew(order, filed, ofKind: kind)
                    }
                }
            }
        }
    }

    /// Empties an order, which is then made piece by piece.
    mutating func beginAnew(
        _ order: StoredOrder, _ declaration: OrderDeclaration, ofKind kind: String
    ) throws(LibraryError) {
        let begun = StoredOrder(
            name: order.name, tree: order.tree, declaration: declaration, builtTo: 0,
            unusedOpenings: order.unusedOpenings)
        try removeAll(in: order.tree)
        if declaration != order.declaration {
            try remove(order.key(Array(kind.utf8)), in: LibraryTree.appOrders)
        }
        try store(begun, ofKind: Array(kind.utf8))
        guard let orders = knownOrders[kind] else { return }
        knownOrders[kind] = orders.filter { $0.tree != order.tree } + [begun]
    }

    /// Drops the orders of a kind that follow records by a link which ends: nobody would keep them up. Within `apply` only.
    mutating func dropOrders(ofKind kind: String, by link: StoredLink) throws(LibraryError) {
        for order in try orders(ofKind: kind)
        where order.declaration.linked.contains(where: { $0.link == link.field }) {
            try drop(order, of: Array(kind.utf8))
            knownOrders[kind]?.removeAll { $0.tree == order.tree }
        }
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The records of a kind that name one by any of some links and are in some order, each once; `nil` when they are too many to be moved at
    /// once.
    fileprivate func records(
        linkedBy links: [StoredLink], to id: UInt64, in orders: [StoredOrder], besides gone: Set<LinkedRecord>
    ) throws(LibraryError) -> Set<UInt64>? {
        var records: Set<UInt64> = []
        for link in links {
            try forEachRecord(linkedBy: link, toAnyOf: [id]) { found, _ in
                // Of those in the making, the others are put there as they are by then.
                if orders.contains(where: { $0.takes(found) }),
                    gone.isEmpty || !gone.contains(LinkedRecord(target: .records(link.kind), id: found))
                {
                    records.insert(found)
                }
                return records.count <= LinkedEntries.maximumRecordCount
            }
        }
        return records.count <= LinkedEntries.maximumRecordCount ? records : nil
    }
}

extension OrderDeclaration.Component {
    fileprivate func isLinked(to kind: String) -> Bool { linked?.kind == kind }

    /// What it takes of the record that another one names; `nil` where that is gone.
    func uses(_ fields: RecordFields?) -> [TaggedValue?]? {
        guard let fields else { return nil }
        let tags = [linked?.tag, collation.filing?.languageTag, collation.filing?.sortTag]
        return tags.map { tag in tag.flatMap { fields[$0] } }
    }
}
