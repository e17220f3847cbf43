import StorageEngine

/// Orders and links of declared records. Both are declared in the library, so that a repair needs no type: what an order has of a record
/// that is gone tells which one that was, and the orders themselves are begun again from their declarations, unique keys among them.
extension LibraryRepair {
    // MARK: Evidence

    /// Looks through the orders as they were after the newest commit, and through the links of what was saved. Memory grows with what is
    /// missing.
    mutating func findRecordEvidence() throws {
        if mayLackRecords { try findLostInOrders() }
        try findLostTargets()
        for (kind, lost) in evidence.lost where version.kindTree(kind) != nil {
            for id in lost.keys { state.identifiers.note(ID<AppRecord>(rawValue: id)) }
        }
    }

    private var version: Version { database.version }

    /// A whole library needs no look at what its orders say.
    private var mayLackRecords: Bool { !salvage.report.isWhole || !lostRecordCounts.isEmpty }

    private mutating func findLostInOrders() throws {
        let version = version
        var orders: [TreeNumber: (entry: StoredOrderEntry, kind: TreeNumber)] = [:]
        try forEachStoredOrder { entry in
            guard let kind = version.kindTree(entry.kind) else { return }
            orders[entry.head.tree] = (entry, kind)
            let isEvery = entry.order?.declaration.isOfEveryRecord ?? false
            let tree = state.tree(entry.head.tree)
            if isEvery, entry.head.builtTo == nil, tree.isCounted, tree.lostEntryCount == 0 {
                evidence.noteRegister(of: entry.kind)
            }
        }
        var found: [TreeNumber: [[UInt8]: [UInt8]]] = [:]
        let removed = removedRecords
        func isLost(_ key: [UInt8], _ tree: TreeNumber) throws(StorageError) -> Bool {
            guard key.count > 8, let kind = orders[tree]?.kind else { return false }
            let record = Array(key.suffix(8))
            // What was removed is not lost; the commit is that took it out of here.
            guard removed[kind]?.contains(record) != true else { return false }
            return try !version.contains(record, in: kind)
        }
        for tree in orders.keys {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() {
                guard let value = entry.value, try isLost(entry.key, tree) else { continue }
                found[tree, default: [:]][entry.key] = value
            }
        }
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            try commit.forEachOperation(in: Set(orders.keys)) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, _, let value):
                    found[tree, default: [:]][key] = try isLost(key, tree) ? value : nil
                case .remove(let tree, let key): found[tree]?[key] = nil
                case .removeAll(let tree): found[tree] = nil
                }
            }
        }
        for (tree, entries) in found {
            guard let order = orders[tree]?.entry else { continue }
            for (key, value) in entries { evidence.add(key, value, of: order) }
        }
    }

    private func isRemoved(_ target: UInt64, of kind: String) -> Bool {
        guard let tree = version.kindTree(kind) else { return false }
        return removedRecords[tree]?.contains(.bigEndian(target)) ?? false
    }

    /// What records that were saved name and is not there; of links that were whole until then.
    private mutating func findLostTargets() throws {
        for link in try database.version.storedLinks() {
            for (target, count) in try version.brokenTargets(of: link).counts {
                brokenLinks.insert(link)
                guard case .records(let kind) = link.target else { continue }
                // What the log took away is not lost, whoever still names it.
                guard !isRemoved(target, of: kind) else { continue }
                let isNamed = evidence.lost[kind]?[target] != nil
                if link.isWhole || isNamed { evidence.addLink(to: target, of: kind, count: count) }
            }
        }
    }

    /// The records that are gone, each with what is known of it.
    func lostRecords() -> [LostItem] {
        evidence.lost.sorted { $0.key < $1.key }.flatMap { kind, lost in
            let described = version.storedFields(of: Array(kind.utf8))
            return lost.sorted { $0.key < $1.key }.map { id, record in
                item(kind, id, record, described.fields)
            }
        }
    }

    private func item(
        _ kind: String, _ id: UInt64, _ record: RecordEvidence.Lost, _ described: [FieldDescription]
    ) -> LostItem {
        let members = record.fields.sorted { $0.key < $1.key }.compactMap { tag, value -> (String, String)? in
            guard let number = FieldNumber.number(ofTag: tag),
                let field = described.first(where: { $0.number == number })
            else { return nil }
            return (field.name, field.type.json(field.type.asStored(value)))
        }
        var loss = "the record"
        if record.linkCount > 0 {
            loss += record.linkCount == 1 ? ", which 1 link names" : ", which \(record.linkCount) links name"
        }
        if !members.isEmpty {
            loss +=
                "; it had "
                + members.map { "\($0) \((try? JSONReader.value(of: $1))?.text ?? $1)" }.joined(separator: ", ")
        }
        var json = JSONWriter()
        json.object { json in for (name, value) in members { json.member(name, json: value) } }
        return LostItem(
            LostItem.Kind(rawValue: kind), ID<AppRecord>(rawValue: id).description, loss: loss,
            fields: members.isEmpty ? nil : json.text)
    }

    // MARK: What is begun again

    /// Declares the orders that the library had, each without entries: who opens the new library makes them. One that cannot be read, or whose
    /// tree nobody knows, is left out, and made anew by the next app that declares it.
    func beginOrders() async throws {
        var entries: [StoredOrderEntry] = []
        try forEachStoredOrder { entries.append($0) }
        let known = salvage.report.trees.map(\.declaration) + salvage.report.declaredTrees
        var used: Set<TreeNumber> = []
        var next =
            (entries.map(\.head.tree) + known.map(\.number)).filter(LibraryTree.isOrder).max() ?? LibraryTree.firstOrder
        var begun: [(entry: StoredOrderEntry, tree: TreeDeclaration)] = []
        for var entry in entries {
            var number = entry.head.tree
            if !used.insert(number).inserted {
                next = TreeNumber(next.rawValue + 1)
                guard LibraryTree.isOrder(next), entry.order != nil else { continue }
                number = next
                used.insert(number)
            }
            let tree =
                entry.order.map { StoredOrder.treeDeclaration(number, entry.kind, entry.name, $0.declaration) }
                ?? known.first { $0.number == number }
            guard let tree else { continue }
            entry.head = OrderHead(tree: number, unusedOpenings: entry.head.unusedOpenings, builtTo: 0)
            begun.append((entry, tree))
        }
        let orders = begun
        try await database.write { transaction in
            try transaction.removeAll(in: LibraryTree.appOrders)
            for (entry, tree) in orders {
                try transaction.declare(tree)
                try transaction.put(entry.value, forKey: entry.key, in: LibraryTree.appOrders)
            }
        }
    }

    /// A link that leads nowhere now is not whole any more: who deletes what it names finds it, and nobody takes it for damage.
    func settleLinks() async throws {
        var batch = ChangeBatch(database)
        for link in brokenLinks where link.isWhole {
            let settled = link.loosened
            try await batch.put(settled.value, forKey: settled.key, in: LibraryTree.appLinks)
        }
        try await batch.finish()
    }

    private func forEachStoredOrder(_ body: (StoredOrderEntry) -> Void) throws(StorageError) {
        try version.scan(LibraryTree.appOrders) { key, value in
            let entry = try? StoredOrderEntry(
                key.copyBytes(0..<key.byteCount), value.copyBytes(0..<value.byteCount))
            if let entry { body(entry) }
            return true
        }
    }
}

extension FieldType {
    /// A number as records have it whose fields are of the type.
    fileprivate func asStored(_ value: TaggedValue) -> TaggedValue {
        guard self == .identifier, case .number(let number) = value else { return value }
        return .eightBytes(number)
    }
}
