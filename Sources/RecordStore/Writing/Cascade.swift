import StorageEngine

/// What deleting records does to those that link to them, worked out before anything is changed.
package struct Cascade {
    /// Those it began with, each once.
    fileprivate let start: [LinkedRecord]
    /// To be deleted, each once, besides those it began with: kind and identifier.
    fileprivate(set) var deletions: [(kind: String, id: UInt64)] = []
    /// To lose a field, or what it names from a list: each field of a record once, with all that goes from it.
    fileprivate(set) var nullified: [(kind: String, id: UInt64, field: LinkField, named: Set<UInt64>)] = []

    /// So many records are deleted or changed with those it begins with.
    package static let maximumCount = 100_000

    /// The records of the app that go, with those it began with.
    fileprivate var gone: [(kind: String, id: UInt64)] {
        deletions
            + start.compactMap { record in
                if case .records(let kind) = record.target { (kind, record.id) } else { nil }
            }
    }
}

/// A cascade while it is worked out.
private struct CascadeSearch {
    let start: [LinkedRecord]
    let maximumCount: Int
    var gone: Set<LinkedRecord>
    /// In the order they were found, without those it began with.
    var deletions: [LinkedRecord] = []
    /// What each field loses.
    var nullified: [Place: Set<UInt64>] = [:]
    /// Those that lose something and do not go.
    var changed: Set<LinkedRecord> = []
    /// One of each record that denies something, whatever else it denies.
    var denials: [(link: StoredLink, by: LinkedRecord, of: LinkedRecord)] = []
    private var denying: Set<LinkedRecord> = []
    /// A link of which more records would go or change than may.
    var excess: StoredLink?

    struct Place: Hashable {
        let record: LinkedRecord
        let field: LinkField
    }

    init(_ records: [LinkedRecord], _ maximumCount: Int) {
        var gone: Set<LinkedRecord> = []
        start = records.filter { gone.insert($0).inserted }
        self.maximumCount = maximumCount
        self.gone = gone
    }

    /// What becomes of a record that names another that goes: whether to go on.
    mutating func visit(_ id: UInt64, _ link: StoredLink, _ named: LinkedRecord) -> Bool {
        let linking = LinkedRecord(target: .records(link.kind), id: id)
        switch link.action {
        case .keep: return false
        case .deny:
            // Of more than can go one stays.
            guard denials.count <= maximumCount + start.count else { return true }
            if denying.insert(linking).inserted { denials.append((link, linking, named)) }
            return true
        case .nullify:
            guard !gone.contains(linking) else { return true }
            nullified[Place(record: linking, field: link.field), default: []].insert(named.id)
            changed.insert(linking)
        case .cascade:
            guard gone.insert(linking).inserted else { return true }
            deletions.append(linking)
            changed.remove(linking)
        }
        // A record counts once, whatever it loses.
        guard deletions.count + changed.count > maximumCount else { return true }
        excess = link
        return false
    }
}

extension LibraryTransaction {
    /// Works out level by level what links to what goes, by the rules that the app declares now. No record is changed.
    ///
    /// - Parameters:
    ///   - records: those that are to be deleted.
    ///   - maximumCount: how many others may go or change with them.
    /// - Throws: `LibraryError.referenced` when a record that stays denies it, `.tooLarge` for more records than that; `.invalidValue` when an order
    ///   could not take a record that stays, `.notUnique` when such would come to a unique key of another.
    package mutating func cascade(
        from records: [LinkedRecord], maximumCount: Int = Cascade.maximumCount
    ) throws(LibraryError) -> Cascade {
        var search = CascadeSearch(records, maximumCount)
        var level = search.start
        var linking = LinkingRecords()
        while !level.isEmpty {
            let known = search.deletions.count
            for (target, named) in Dictionary(grouping: level, by: \.target) {
                try bringLinksUpToDate(to: target)
                for link in try trees.storedLinks(to: target) {
                    try linking.forEach(by: link, toAnyOf: named.map(\.id), in: trees) { id, named in
                        search.visit(id, link, LinkedRecord(target: target, id: named))
                    }
                }
            }
            if let link = search.excess {
                let others = search.start.count == 1 ? "" : " and \(search.start.count - 1) more"
                throw .tooLarge(
                    "Deleting \(records[0].words)\(others) would delete or change more than \(maximumCount) other records. Delete some "
                        + "thousand of them at a time first, beginning with every \(link.kind) by its \(link.fieldName)."
                )
            }
            level = Array(search.deletions[known...])
        }
        let staying = search.denials.filter { !search.gone.contains($0.by) }
        if let first = staying.first {
            let others = staying.count == 1 ? "" : " and \(staying.count - 1) more"
            throw .referenced(
                "\(first.of.words) cannot be deleted while it is \(first.link.field.isList ? "among the" : "the") \(first.link.fieldName) of \(first.by.words)\(others)."
            )
        }
        var cascade = Cascade(start: search.start)
        for record in search.deletions {
            if case .records(let kind) = record.target { cascade.deletions.append((kind, record.id)) }
        }
        for (place, named) in search.nullified where !search.gone.contains(place.record) {
            if case .records(let kind) = place.record.target {
                cascade.nullified.append((kind, place.record.id, place.field, named))
            }
        }
        try checkRemains(of: cascade)
        return cascade
    }

    /// With the records of the app that it began with; those of other kinds are the caller's. Within `apply` only.
    package mutating func carryOut(_ cascade: Cascade) throws(LibraryError) {
        let gone = cascade.gone
        try unlist(gone)
        let unlisted = Set(gone.map { LinkedRecord(target: .records($0.kind), id: $0.id) })
        for (kind, id, field, named) in cascade.nullified {
            try erase(named, from: field, ofRecord: kind, id, unlisted)
        }
        try removeUnlisted(gone)
    }

    /// Goes through a cascade as it will be carried out, step by step, and changes nothing.
    ///
    /// - Throws: `LibraryError.invalidValue` when an order could not take a record with what is left of it, or of what it names; `.notUnique` when that
    ///   comes to a unique key of another.
    private mutating func checkRemains(of cascade: Cascade) throws(LibraryError) {
        guard !cascade.nullified.isEmpty else { return }
        var (plan, remaining, gone) = (PlannedChanges(), [LinkedRecord](), Set<LinkedRecord>())
        for (kind, id) in cascade.gone {
            let record = LinkedRecord(target: .records(kind), id: id)
            plan.set(record, nil)
            gone.insert(record)
        }
        var steps: [(record: (kind: String, id: UInt64), old: [UInt8], new: [UInt8])] = []
        for (kind, id, field, named) in cascade.nullified {
            let record = LinkedRecord(target: .records(kind), id: id)
            guard let stored = try plan.bytes(of: record, in: trees),
                let bytes = try? field.removing(named, from: stored)
            else { continue }
            if !plan.contains(record) { remaining.append(record) }
            plan.set(record, bytes)
            steps.append(((kind, id), stored, bytes))
        }
        try checkOrders(of: remaining, in: plan)
        // What goes is there while others are moved.
        var done = PlannedChanges()
        for (record, old, new) in steps {
            done.set(LinkedRecord(target: .records(record.kind), id: record.id), new)
            try checkFollowers(of: record, from: old, in: done, besides: gone)
        }
    }

    /// - Throws: as `checkRemains`.
    private mutating func checkOrders(
        of remaining: [LinkedRecord], in plan: PlannedChanges
    ) throws(LibraryError) {
        /// By the order's tree and the values of the key.
        var holders: [TreeNumber: [[UInt8]: [UInt64]]] = [:]
        var new: [(record: (kind: String, id: UInt64), bytes: [UInt8], order: StoredOrder, OrderEntry, [UInt8])] = []
        for record in remaining {
            guard case .records(let kind) = record.target, let bytes = try plan.bytes(of: record, in: trees),
                var fields = plan.fields[record] ?? nil
            else { continue }
            let orders = try apply { (transaction) throws(LibraryError) in try transaction.orders(ofKind: kind) }
                .filter { $0.declaration.mayRefuseLess && $0.isWritten(record.id) }
            guard !orders.isEmpty else { continue }
            try fields.complete(for: orders, of: (kind, record.id), considering: plan.fields, in: trees)
            let entries = try orders.entries(of: fields, id: record.id) { (order, problem) throws(LibraryError) in
                throw .invalidValue(
                    "\(record.words) would stay without the record that is deleted, and the order “\(order.name)” would not take it then: "
                        + "\(problem.description). Change it first.")
            }
            for entry in entries where orders[entry.order].declaration.isUnique {
                let order = orders[entry.order]
                guard let values = try? order.declaration.wholeValues(of: fields) else { continue }
                holders[order.tree, default: [:]][values, default: []].append(record.id)
                // One that was there twice before, such as after a repair, keeps its key.
                guard let stored = try trees.recordBytes(record.id, ofKind: kind),
                    try order.wholeValues(of: stored, (kind, record.id), in: trees) != values
                else { continue }
                new.append(((kind, record.id), bytes, order, entry, values))
            }
        }
        for (record, bytes, order, entry, values) in new {
            var holder = holders[order.tree]?[values]?.first { $0 != record.id }
            // Of those that change as well, what they come to counts.
            if holder == nil {
                holder = try unlistedKeys.holder(of: entry, bytes, of: record.id, record.kind, in: order, trees)
                    .flatMap { plan.contains(LinkedRecord(target: .records(record.kind), id: $0)) ? nil : $0 }
            }
            guard let holder else { continue }
            throw .notUnique(
                kind: record.kind, fields: order.fieldNames(of: record.kind, in: trees), identifier: holder)
        }
    }

    /// Deletes a record whose type may not be known, and nothing that links to it: that moves in the orders by what it names. Within `apply` only.
    mutating func eraseRecord(_ kind: String, _ id: UInt64) throws(LibraryError) {
        guard let stored = try trees.recordBytes(id, ofKind: kind) else { return }
        let linked = try linkedEntries(by: (kind, id), from: stored, to: nil)
        try unlist([(kind, id)])
        try removeUnlisted([(kind, id)])
        try follow(linked)
    }

    /// Deletes records which none that stays names, whatever they name of each other: in a ring, too. All leave their orders before any goes, so that no
    /// order has to take one without what it names. Within `apply` only.
    mutating func eraseRecords(_ records: [(kind: String, id: UInt64)]) throws(LibraryError) {
        try unlist(records)
        try removeUnlisted(records)
    }

    /// Takes records out of all orders of theirs.
    private mutating func unlist(_ records: [(kind: String, id: UInt64)]) throws(LibraryError) {
        for (kind, id) in records {
            guard let stored = try trees.recordBytes(id, ofKind: kind) else { continue }
            let orders = try orders(ofKind: kind)
            try replaceEntries(orders.possibleEntries(of: stored, (kind, id), in: trees), with: [], of: id, in: orders)
            if TaggedWalk.problem(in: stored) != nil { try removeEntries(of: id, in: orders) }
        }
    }

    private mutating func removeUnlisted(_ records: [(kind: String, id: UInt64)]) throws(LibraryError) {
        for (kind, id) in records {
            guard let tree = trees.kindTree(kind), try trees.has(.records(kind), id) else { continue }
            try remove(id, in: tree)
            changes.records[kind, default: Changes()].delete(ID(rawValue: id))
        }
    }

    /// - Parameter unlisted: records that have left their orders and are to go.
    private mutating func erase(
        _ named: Set<UInt64>, from field: LinkField, ofRecord kind: String, _ id: UInt64,
        _ unlisted: Set<LinkedRecord>
    ) throws(LibraryError) {
        guard let tree = trees.kindTree(kind), let stored = try trees.recordBytes(id, in: tree),
            let bytes = try? field.removing(named, from: stored)
        else { return }
        let linked = try linkedEntries(by: (kind, id), from: stored, to: bytes, besides: unlisted)
        let orders = try orders(ofKind: kind)
        try replaceEntries(
            orders.possibleEntries(of: stored, (kind, id), in: trees),
            with: orders.possibleEntries(of: bytes, (kind, id), in: trees), of: id, in: orders)
        try put(bytes, forKey: id, in: tree)
        try follow(linked)
        changes.records[kind, default: Changes()].update(ID(rawValue: id))
    }
}
