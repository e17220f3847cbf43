import StorageEngine

/// A declared record that is brought back to what it was.
private struct RecordReversal {
    let kind: String
    let id: UInt64
    let tree: TreeNumber
    let current: [UInt8]?
    /// `nil` where the record is to go.
    let target: [UInt8]?

    var record: LinkedRecord { LinkedRecord(target: .records(kind), id: id) }
}

extension LibraryTransaction {
    /// Takes back what a commit did to records: each is what it was before, its identifier too. Orders, indexes and links follow as from any change.
    ///
    /// A record that is no longer what the commit left is compared field by field: what others have changed stays, where the commit did not.
    ///
    /// - Throws: `LibraryError.undoRefused` where the same field differs, or a link or a unique key would not hold. The transaction is of no use then.
    mutating func revert(_ entries: [ReplacedEntry]) throws(LibraryError) {
        let declared = entries.filter { $0.tree >= LibraryTree.firstKind }
        let others = entries.filter { $0.tree < LibraryTree.firstKind }
        let contents = (types?.contents as? LibraryContents) ?? .records
        var conflicts: [UndoConflict] = []
        let reversals = try reversals(of: declared, &conflicts)
        try contents.revert(&self, others, .check, &conflicts)
        try refuse(conflicts)
        try contents.revert(&self, others, .putBack, &conflicts)
        try refuse(conflicts)
        try carryOut(reversals)
        try checkLinks(of: reversals, &conflicts)
        try checkKeys(of: reversals, &conflicts)
        try refuse(conflicts)
        try contents.revert(&self, others, .takeAway, &conflicts)
        try refuse(conflicts)
    }

    private func refuse(_ conflicts: [UndoConflict]) throws(LibraryError) {
        if !conflicts.isEmpty { throw .undoRefused(conflicts) }
    }

    // MARK: Declared records

    private func reversals(
        of entries: [ReplacedEntry], _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) -> [RecordReversal] {
        var reversals: [RecordReversal] = []
        for entry in entries {
            guard entry.key.count == 8, let kind = trees.kindName(ofTree: entry.tree) else { continue }
            let id = entry.key.number(at: 0)
            let current = try trees.recordBytes(id, in: entry.tree)
            let target: [UInt8]?
            switch (entry.before, entry.after, current) {
            case (nil, _, nil): continue
            case (nil, let after, let current):
                if after != current { conflicts.append(.changed(kind, id)) }
                target = nil
            case (let before?, nil, nil): target = before
            case (let before?, nil, let current?):
                if before != current { conflicts.append(.present(kind, id)) }
                continue
            case (_?, _?, nil):
                conflicts.append(.deleted(kind, id))
                continue
            case (let before?, let after?, let current?):
                target = try reversed(current, after: after, before: before, (kind, id), &conflicts)
            }
            guard target != current else { continue }
            reversals.append(RecordReversal(kind: kind, id: id, tree: entry.tree, current: current, target: target))
        }
        return reversals
    }

    private func reversed(
        _ current: [UInt8], after: [UInt8], before: [UInt8], _ record: (kind: String, id: UInt64),
        _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) -> [UInt8] {
        guard
            let reversal = try? FieldReversal(
                current, after: after, before: before, versionTag: FieldNumber.versionTag)
        else {
            conflicts.append(.changed(record.kind, record.id))
            return current
        }
        guard reversal.contested.isEmpty else {
            let fields = trees.storedFields(of: Array(record.kind.utf8))
            let names = reversal.contested.map { tag -> String in
                guard let number = FieldNumber.number(ofTag: tag) else {
                    return tag == FieldNumber.versionTag ? "version" : "other fields"
                }
                return fields.field(numbered: number)?.name ?? "field \(number)"
            }
            conflicts.append(.changed(record.kind, record.id, fields: names))
            return current
        }
        return reversal.bytes
    }

    /// What comes back is there before anything is listed, and what goes leaves all orders before it goes: no order has to take a record without what
    /// it names, also where records name each other in a ring. Of those that stay, what is named comes before what names it.
    private mutating func carryOut(_ reversals: [RecordReversal]) throws(LibraryError) {
        let returning = reversals.filter { $0.current == nil && $0.target != nil }
        let unlisted = Set(returning.map(\.record))
        for reversal in returning {
            try apply { (transaction) throws(LibraryError) in try transaction.bringBack(reversal, besides: unlisted) }
        }
        for reversal in try namedFirst(reversals.filter { $0.current != nil && $0.target != nil }) {
            try apply { (transaction) throws(LibraryError) in
                try transaction.restoreRecord(reversal, besides: unlisted)
            }
        }
        for reversal in returning {
            try apply { (transaction) throws(LibraryError) in try transaction.listRecord(reversal) }
        }
        try apply { (transaction) throws(LibraryError) in
            try transaction.eraseRecords(reversals.filter { $0.target == nil }.map { ($0.kind, $0.id) })
        }
    }

    /// The same with each behind those that it names, as far as they do not name each other in a ring.
    private mutating func namedFirst(_ reversals: [RecordReversal]) throws(LibraryError) -> [RecordReversal] {
        guard reversals.count > 1 else { return reversals }
        var places: [LinkedRecord: Int] = [:]
        for (place, reversal) in reversals.enumerated() { places[reversal.record] = place }
        var named: [[Int]] = []
        for reversal in reversals {
            var own: [Int] = []
            for link in try links(ofKind: reversal.kind) {
                let identifiers = reversal.target.flatMap { try? link.field.identifiers(in: $0) } ?? []
                own += identifiers.compactMap { places[LinkedRecord(target: link.target, id: $0)] }
            }
            named.append(own)
        }
        var sorted: [RecordReversal] = []
        var isMet = [Bool](repeating: false, count: reversals.count)
        // Those on the way down, and how many of what each names were looked at: a chain may be as long as there are records.
        var path: [(place: Int, next: Int)] = []
        for place in reversals.indices where !isMet[place] {
            isMet[place] = true
            path.append((place, 0))
            while let (place, next) = path.last {
                if next < named[place].count {
                    path[path.count - 1].next += 1
                    let below = named[place][next]
                    guard !isMet[below] else { continue }
                    isMet[below] = true
                    path.append((below, 0))
                } else {
                    sorted.append(reversals[place])
                    path.removeLast()
                }
            }
        }
        return sorted
    }

    /// Puts a record that is not there, in no order yet. Within `apply` only.
    ///
    /// - Parameter unlisted: records that come back with it, and are in no order either.
    private mutating func bringBack(
        _ reversal: RecordReversal, besides unlisted: Set<LinkedRecord>
    ) throws(LibraryError) {
        guard let bytes = reversal.target else { return }
        let linked = try linkedEntries(by: (reversal.kind, reversal.id), from: nil, to: bytes, besides: unlisted)
        try put(bytes, forKey: reversal.id, in: reversal.tree)
        try follow(linked)
        changes.records[reversal.kind, default: Changes()].insert(ID(rawValue: reversal.id))
        changes.returnedKinds.insert(reversal.kind)
    }

    /// Puts a record that was brought back into its orders. Within `apply` only.
    private mutating func listRecord(_ reversal: RecordReversal) throws(LibraryError) {
        guard let bytes = reversal.target else { return }
        let orders = try orders(ofKind: reversal.kind)
        try replaceEntries([], with: entries(of: bytes, reversal, in: orders), of: reversal.id, in: orders)
    }

    /// Puts a record, whose type may not be known, in the place of what it is. Links and unique keys are the caller's to check. Within `apply` only.
    ///
    /// - Parameter unlisted: records that are in no order yet.
    private mutating func restoreRecord(
        _ reversal: RecordReversal, besides unlisted: Set<LinkedRecord>
    ) throws(LibraryError) {
        guard let bytes = reversal.target, let stored = reversal.current else { return }
        let record = (kind: reversal.kind, id: reversal.id)
        let orders = try orders(ofKind: record.kind)
        let old = try orders.possibleEntries(of: stored, record, in: trees)
        let new = try entries(of: bytes, reversal, in: orders)
        let linked = try linkedEntries(by: record, from: stored, to: bytes, besides: unlisted)
        try replaceEntries(old, with: new, of: record.id, in: orders)
        try put(bytes, forKey: record.id, in: reversal.tree)
        try follow(linked)
        changes.records[record.kind, default: Changes()].update(ID(rawValue: record.id))
    }

    private func entries(
        of bytes: [UInt8], _ reversal: RecordReversal, in orders: [StoredOrder]
    ) throws(LibraryError) -> [OrderEntry] {
        let name = ID<AppRecord>(rawValue: reversal.id)
        return try orders.requiredEntries(
            of: bytes, (reversal.kind, reversal.id), as: "\(reversal.kind) \(name)", in: trees)
    }

    // MARK: What has to hold

    /// As the records are now: what comes back names what is there, and nobody names what went.
    private mutating func checkLinks(
        of reversals: [RecordReversal], _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        for reversal in reversals {
            guard let target = reversal.target else { continue }
            for link in try links(ofKind: reversal.kind) {
                let known = reversal.current.flatMap { try? link.field.identifiers(in: $0) } ?? []
                let named = (try? link.field.identifiers(in: target)) ?? []
                for id in named where id != 0 && !known.contains(id) {
                    guard try !trees.has(link.target, id) else { continue }
                    let words = LinkedRecord(target: link.target, id: id).words
                    conflicts.append(
                        UndoConflict(
                            reversal.kind, reversal.id,
                            "would link to \(words) by its \(link.fieldName), which is not there any more"))
                }
            }
        }
        try appendLinks(to: reversals.filter { $0.target == nil }.map(\.record), &conflicts)
    }

    /// Adds those that link to records which are about to go, or have gone.
    package mutating func appendLinks(
        to records: [LinkedRecord], _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        for (target, named) in Dictionary(grouping: records, by: \.target) {
            for link in try trees.storedLinks(to: target) where link.action != .keep {
                var found: [(by: UInt64, named: UInt64)] = []
                try trees.forEachRecord(linkedBy: link, toAnyOf: named.map(\.id)) { id, named in
                    found.append((id, named))
                    return found.count < Self.maximumConflictCount
                }
                for (id, named) in found {
                    let words = LinkedRecord(target: target, id: named).words
                    conflicts.append(
                        UndoConflict(link.kind, id, "links by its \(link.fieldName) to \(words), which would go"))
                }
            }
        }
    }

    /// Of more nobody reads the names.
    private static var maximumConflictCount: Int { 20 }

    /// A key that a record has, it keeps, also where another has it since before it was declared.
    private mutating func checkKeys(
        of reversals: [RecordReversal], _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        for reversal in reversals {
            guard let target = reversal.target else { continue }
            let record = (kind: reversal.kind, id: reversal.id)
            let orders = try apply { (transaction) throws(LibraryError) in
                try transaction.orders(ofKind: record.kind).filter(\.declaration.isUnique)
            }
            guard !orders.isEmpty else { continue }
            let known = try reversal.current.map { (bytes) throws(LibraryError) in
                try orders.possibleEntries(of: bytes, record, in: trees)
            }
            for entry in try orders.possibleEntries(of: target, record, in: trees) {
                let order = orders[entry.order]
                if let known, let current = reversal.current,
                    try order.keeps(entry, of: target, from: current, known, record, in: trees)
                {
                    continue
                }
                guard
                    let holder = try unlistedKeys.holder(
                        of: entry, target, of: record.id, record.kind, in: order, trees)
                else { continue }
                let fields = order.fieldNames(of: record.kind, in: trees).joined(separator: " and ")
                conflicts.append(
                    UndoConflict(
                        record.kind, record.id,
                        "would have the \(fields) of \(record.kind) \(ID<AppRecord>(rawValue: holder))"))
            }
        }
    }
}
