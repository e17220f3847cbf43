import StorageEngine

extension LibraryTransaction {
    /// `nil` when there is no such record.
    public func record<Value: Record>(_ id: ID<Value>) throws(LibraryError) -> Value? {
        let kind = RecordKind<Value>.current
        try check(kind)
        return try trees.appRecord(id, kind)
    }

    /// Adds a record of the app and gives it its identifier.
    ///
    /// - Throws: `LibraryError.duplicate` or `.invalidValue` for a record that was inserted before or that cannot be stored; `.notUnique`
    ///   when another has a unique key of it; `.recordNotFound` when it links to a record that is not there; `.schemaMismatch` for a type whose
    ///   declaration cannot be, or does not fit what the library has.
    @discardableResult
    public mutating func insert<Value: Record>(_ record: Value) throws(LibraryError) -> ID<Value> {
        try insert(record, under: nil)
    }

    /// - Parameter given: the identifier that it is to have; `nil` for a new one.
    mutating func insert<Value: Record>(_ record: Value, under given: UInt64?) throws(LibraryError) -> ID<Value> {
        let kind = RecordKind<Value>.current
        guard !record.id.isAssigned else {
            throw .duplicate(
                "\(kind.name) \(record.id) has an identifier already: update it, or insert it with .unassigned as a new one."
            )
        }
        let bytes = try storable(record, kind) { (kind) throws(LibraryError) in try kind.encode(record) }
        try checkLinks(of: bytes, replacing: nil, kind)
        let orders = try orders(of: kind)
        let next: ID<Value> = if let given { ID(rawValue: given) } else { try nextIdentifier() }
        let entries = try kind.entries(of: bytes, in: orders, id: next, isNew: true, trees)
        try checkUnique(entries, bytes, of: (kind.name, next.rawValue), in: orders, declaredBy: Value.self)
        // Nobody names one that is yet to be.
        let linked =
            try given == nil ? LinkedEntries() : linkedEntries(by: (kind.name, next.rawValue), from: nil, to: bytes)
        return try apply { (transaction) throws(LibraryError) in
            try transaction.declareTree(of: kind)
            let id: ID<Value> = given == nil ? try transaction.newIdentifier() : next
            try transaction.replaceEntries([], with: entries, of: id.rawValue, in: orders)
            try transaction.putLater(bytes, forKey: id.rawValue, in: kind.tree)
            try transaction.follow(linked)
            transaction.changes.records[kind.name, default: Changes()].insert(id.untyped)
            if given != nil { transaction.changes.returnedKinds.insert(kind.name) }
            return id
        }
    }

    /// Replaces a record by one with the same identifier. Fields that this version of the app does not know stay.
    ///
    /// - Throws: `LibraryError.invalidValue` or `.recordNotFound` for a record that cannot be stored, and when the library has no such record
    ///   or none that it is to link to, or an order by what it is to have cannot take a record that names it; `.notUnique` when another has a
    ///   unique key that it is to have.
    public mutating func update<Value: Record>(_ record: Value) throws(LibraryError) {
        let kind = RecordKind<Value>.current
        try check(kind)
        guard let stored = try trees.recordBytes(record.id.rawValue, in: kind.tree) else {
            throw .recordNotFound("There is no \(kind.name) \(record.id) to update.")
        }
        let bytes = try storable(record, kind) { (kind) throws(LibraryError) in
            try kind.encode(record, replacing: stored)
        }
        guard bytes != stored else { return }
        try checkLinks(of: bytes, replacing: stored, kind)
        let (orders, provisional) = try orders(of: kind, besides: record.id, becoming: bytes)
        let oldEntries: [OrderEntry]
        let newEntries: [OrderEntry]
        let linked: LinkedEntries
        do throws(LibraryError) {
            oldEntries = try orders.possibleEntries(of: stored, (kind.name, record.id.rawValue), in: trees)
            newEntries = try kind.entries(of: bytes, in: orders, id: record.id, trees)
            try checkUnique(
                newEntries, bytes, of: (kind.name, record.id.rawValue), in: orders, besides: (oldEntries, stored),
                declaredBy: Value.self)
            linked = try linkedEntries(by: (kind.name, record.id.rawValue), from: stored, to: bytes)
        } catch {
            // These would be right for what the record does not become.
            try drop(provisional, of: kind)
            throw error
        }
        try apply { (transaction) throws(LibraryError) in
            try transaction.replaceEntries(oldEntries, with: newEntries, of: record.id.rawValue, in: orders)
            try transaction.put(bytes, forKey: record.id.rawValue, in: kind.tree)
            try transaction.follow(linked)
            transaction.changes.records[kind.name, default: Changes()].update(record.id.untyped)
        }
    }

    /// Adds a record, or replaces the named fields of the one that has a unique key of it.
    ///
    /// ```swift
    /// try await store.write { library in
    ///     try library.upsert(Account(name: "Savings", balance: 100), replacing: \.balance)
    /// }
    /// ```
    ///
    /// - Returns: the identifier of the one or the other.
    /// - Throws: `LibraryError.schemaMismatch` for a type without unique keys; `.notUnique` when two records have a key of it; and as
    ///   `insert` and `update` do.
    @discardableResult
    public mutating func upsert<Value: Record, each Field>(
        _ record: Value, replacing field: repeat WritableKeyPath<Value, each Field>
    ) throws(LibraryError) -> ID<Value> {
        let kind = RecordKind<Value>.current
        try kind.check()
        try check(kind)
        guard !kind.uniqueKeys.isEmpty else {
            throw .schemaMismatch("\(kind.name) has no unique key to find a record by. Declare one in uniqueKeys.")
        }
        let bytes = try storable(record, kind) { (kind) throws(LibraryError) in try kind.encode(record) }
        // An order by a field of another record follows it by the link.
        try bringLinksUpToDate(kind)
        let orders = try orders(of: kind)
        var found: ID<Value>?
        for entry in try kind.entries(of: bytes, in: orders, id: record.id, isNew: true, trees) {
            let order = orders[entry.order]
            if order.declaration.isUnique { try requireKeys(of: order, kind.name, Value.self) }
            guard let unique = kind.uniqueKeys.first(where: { order.isDeclared(as: $0.order.filed(by: filing)) }),
                let holder = try unlistedKeys.holder(
                    of: entry, bytes, of: found?.rawValue ?? 0, kind.name, in: order, trees)
            else { continue }
            guard found == nil else { throw kind.conflict(unique.key, ID(rawValue: holder)) }
            found = ID(rawValue: holder)
        }
        guard let found, var changed = try trees.appRecord(found, kind) else { return try insert(record) }
        for field in repeat each field { changed[keyPath: field] = record[keyPath: field] }
        try update(changed)
        return found
    }

    /// Deletes a record, and does with those that link to it what their links say.
    ///
    /// - Returns: whether there was such a record.
    /// - Throws: `LibraryError.referenced` when a link denies it; `.tooLarge` when more than 100,000 records would go or change with it;
    ///   `.invalidValue` when one that only loses its link would be none that an order takes, `.notUnique` when it would come to a unique key of another.
    ///   Nothing was changed then.
    @discardableResult
    public mutating func delete<Value: Record>(_ id: ID<Value>) throws(LibraryError) -> Bool {
        try delete(CollectionOfOne(id)) > 0
    }

    /// Deletes records as if all went at once: what one of them links to another by denies nothing, and a list that names many of them is written once.
    ///
    /// ```swift
    /// try await store.write { library in
    ///     let returned = try library.records(Loan.self).where(\.due, equals: nil)
    ///     try library.delete(returned.identifiers())
    /// }
    /// ```
    ///
    /// - Parameter ids: an identifier of no record is passed over, one that comes twice counts once.
    /// - Returns: how many of them there were.
    /// - Throws: as `delete` does of one record; then all of them stay.
    @discardableResult
    public mutating func delete<Value: Record>(_ ids: some Sequence<ID<Value>>) throws(LibraryError) -> Int {
        let kind = RecordKind<Value>.current
        try check(kind)
        var records: [LinkedRecord] = []
        var met: Set<ID<Value>> = []
        for id in ids where met.insert(id).inserted {
            let record = LinkedRecord(target: .records(kind.name), id: id.rawValue)
            if try trees.has(record.target, record.id) { records.append(record) }
        }
        guard !records.isEmpty else { return 0 }
        try bringLinksUpToDate(kind)
        let cascade = try cascade(from: records)
        try apply { (transaction) throws(LibraryError) in try transaction.carryOut(cascade) }
        do throws(LibraryError) {
            _ = try orders(of: kind)
        } catch  where failure == nil {
            // A new order does not take another record, or one cannot be read. The next write that needs the order says so.
        }
        return records.count
    }

    /// Makes the indexes and orders that a type declares and that are not there yet. Of more than 1,024 records an order is begun only: see
    /// `RecordLibrary.makeOrders(of:)`.
    public mutating func makeOrders<Value: Record>(of type: Value.Type) throws(LibraryError) {
        let kind = RecordKind<Value>.current
        try kind.check()
        try check(kind)
        try apply { (transaction) throws(LibraryError) in try transaction.declareTree(of: kind) }
        // An order by a field of another record follows it by the link.
        try bringLinksUpToDate(kind)
        _ = try orders(of: kind)
    }

    // MARK: Pieces

    func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        if let latest, latest.type == ObjectIdentifier(Value.self) { return }
        try (trees.attachment as? RecordTypes)?.check(kind, in: trees)
    }

    /// Adds the tree of a kind that the library does not have yet. Within `apply` only.
    private mutating func declareTree<Value: Record>(of kind: RecordKind<Value>) throws(LibraryError) {
        guard trees.declaration(of: kind.tree) == nil else { return }
        try translatingErrors { try trees.declare(KindTree.declaration(of: kind.name)) }
    }

    /// The bytes of a record. All that can be wrong with it is found here, before anything is changed.
    private func storable<Value: Record>(
        _ record: Value, _ kind: RecordKind<Value>, _ encode: (RecordKind<Value>) throws(LibraryError) -> [UInt8]
    ) throws(LibraryError) -> [UInt8] {
        try kind.check()
        try check(kind)
        let bytes = try encode(kind)
        try Limits.checkValue(of: bytes.count, "A \(kind.name)")
        return bytes
    }

    /// A key that a record has already, it keeps: also where another has it since before it was declared.
    ///
    /// - Parameters:
    ///   - old: the entries that the record has, and its bytes.
    ///   - type: that of the record, where it is known.
    /// - Throws: `LibraryError.notUnique` when another record has a unique key of this one. Nothing was changed then.
    mutating func checkUnique(
        _ entries: [OrderEntry], _ bytes: [UInt8], of record: (kind: String, id: UInt64), in orders: [StoredOrder],
        besides old: (entries: [OrderEntry], bytes: [UInt8])? = nil, declaredBy type: (any Record.Type)? = nil
    ) throws(LibraryError) {
        for entry in entries where orders[entry.order].declaration.isUnique {
            let order = orders[entry.order]
            if let old, try order.keeps(entry, of: bytes, from: old.bytes, old.entries, record, in: trees) { continue }
            try requireKeys(of: order, record.kind, type)
            guard let holder = try unlistedKeys.holder(of: entry, bytes, of: record.id, record.kind, in: order, trees)
            else { continue }
            throw order.notUnique(record.kind, heldBy: holder, declaredBy: type, in: trees)
        }
    }
}

extension LibraryTransaction {
    /// Gives the transaction up where very many records are not in a unique key yet, to be run again when they are.
    private mutating func requireKeys(
        of order: StoredOrder, _ kind: String, _ type: (any Record.Type)?
    ) throws(LibraryError) {
        guard mayRunAgain, order.builtTo != nil, let progress = try trees.progress(of: order, kind),
            progress.recordCount - progress.madeCount > OrderBuilding.recordCountLookedThrough
        else { return }
        throw wait(for: UniqueKeysNeeded(kind: kind, type: type))
    }
}

extension RecordLibrary {
    /// Adds a record of the app: `try await store.insert(Loan(item: drill))`.
    ///
    /// - Throws: as `LibraryTransaction.insert`, and as `write` does.
    @discardableResult
    public func insert<Value: Record>(
        _ record: Value, _ durability: Durability = .flushed
    ) async throws(LibraryError) -> ID<Value> {
        try await transact(durability) { (library) throws(LibraryError) in try library.insert(record) }
    }

    /// Deletes one record of the app, and does with those that link to it what the links say.
    ///
    /// - Returns: whether there was such a record.
    /// - Throws: as `LibraryTransaction.delete`, and as `write` does.
    @discardableResult
    public func delete<Value: Record>(
        _ id: ID<Value>, _ durability: Durability = .flushed
    ) async throws(LibraryError) -> Bool {
        try await transact(durability) { (library) throws(LibraryError) in try library.delete(id) }
    }

    /// Deletes records of the app in one commit, as if all went at once, and does with those that link to them what the links say.
    ///
    /// - Returns: how many of them there were.
    /// - Throws: as `LibraryTransaction.delete`, and as `write` does.
    @discardableResult
    public func delete<Value: Record>(
        _ ids: some Sequence<ID<Value>>, _ durability: Durability = .flushed
    ) async throws(LibraryError) -> Int {
        let ids = Array(ids)
        return try await transact(durability) { (library) throws(LibraryError) in try library.delete(ids) }
    }

    /// Changes one record of the app: `try await store.update(id) { $0.due = nil }`.
    ///
    /// - Throws: `LibraryError.recordNotFound` or `.invalidValue` when there is no such record, or it is given another identifier; and as
    ///   `LibraryTransaction.update` and `write` do.
    public func update<Value: Record>(
        _ id: ID<Value>, _ durability: Durability = .flushed, _ change: @Sendable (inout Value) -> Void
    ) async throws(LibraryError) {
        try await transact(durability) { (library) throws(LibraryError) in
            guard var record = try library.record(id) else {
                throw LibraryError.recordNotFound("There is no \(Value.recordName) \(id) to update.")
            }
            change(&record)
            guard record.id == id else { throw LibraryError.invalidValue("A record keeps its identifier, here \(id).") }
            try library.update(record)
        }
    }
}
