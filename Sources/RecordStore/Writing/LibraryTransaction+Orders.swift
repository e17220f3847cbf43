import StorageEngine

extension LibraryTransaction {
    /// The orders of a kind as they are to be kept up: those that its type declares, made first where they are new, and those that
    /// another version of the app has declared. Those that cannot be kept up here are set aside.
    ///
    /// - Throws: `LibraryError.invalidValue` for a record that an order does not take. Nothing was changed then.
    mutating func orders<Value: Record>(of kind: RecordKind<Value>) throws(LibraryError) -> [StoredOrder] {
        try orders(of: kind, besides: nil, becoming: nil).all
    }

    /// - Parameters:
    ///   - id: a record that is about to change, and need not be one that a new order takes.
    ///   - bytes: what it changes to.
    /// - Returns: also those that were made now and are right only when the record has changed: they lack it, or have others where they will
    ///   stand then.
    /// - Throws: `LibraryError.invalidValue` for bytes that an order does not take, for themselves or for a record that names this one; also for another
    ///   record that one does not take, unless a record is about to change. Nothing was changed then.
    mutating func orders<Value: Record>(
        of kind: RecordKind<Value>, besides id: ID<Value>?, becoming bytes: [UInt8]?
    ) throws(LibraryError) -> (all: [StoredOrder], provisional: [StoredOrder]) {
        if let latest, latest.type == ObjectIdentifier(Value.self) { return (latest.orders, []) }
        try bringFieldsUpToDate(kind)
        let wanted = kind.orders.map { $0.filed(by: filing) }
        // They may have been brought up to date without the type, which counts no opening.
        if let orders = knownOrders[kind.name], wanted.allSatisfy(orders.containsInUse),
            orders.count == wanted.count || hasCounted(kind.name, by: ObjectIdentifier(Value.self))
        {
            latest = (ObjectIdentifier(Value.self), orders)
            return (orders, [])
        }
        if let orders = try trees.onlyOrders(of: kind.nameBytes, wanted) {
            knownOrders[kind.name] = orders
            return (orders, [])
        }
        let survey = try survey(ofKind: kind.name, declaring: wanted, by: ObjectIdentifier(Value.self))
        let missing = wanted.filter { !survey.kept.contains($0) }
        // All that can be wrong with a record is found before anything is changed.
        if let id, let bytes {
            _ = try kind.entries(of: bytes, in: survey.kept + missing.map(\.toBeMade), id: id, trees)
        }
        // Of many records an order is made piece by piece, while others write.
        let recordCount = try kind.positions(in: trees).count
        var isMadeAtOnce = recordCount * missing.count <= OrderBuilding.entryCountMadeAtOnce
        var (entries, refusing) = ([(id: UInt64, entries: [OrderEntry])](), Set<Int>())
        if isMadeAtOnce {
            do throws(LibraryError) {
                (entries, refusing) = try self.entries(of: kind, in: missing, besides: id, becoming: bytes)
            } catch {
                // Another record is refused as it stands. That must not keep this one from being mended: of two each would wait for the other.
                guard id != nil, case .invalidValue = error,
                    (try? self.entries(of: kind, in: missing, besides: nil, becoming: nil)) == nil
                else { throw error }
                isMadeAtOnce = false
            }
        }
        let orders = try apply { (transaction) throws(LibraryError) in
            var orders = try transaction.bringUpToDate(survey, ofKind: kind.nameBytes)
            transaction.countedTypes[kind.name, default: []].insert(ObjectIdentifier(Value.self))
            for declared in missing {
                let order = StoredOrder(
                    name: declared.name, tree: try transaction.orderTree(kind.name, declared),
                    declaration: declared.declaration, builtTo: isMadeAtOnce ? nil : 0)
                try transaction.store(order, ofKind: kind.nameBytes)
                orders.append(order)
            }
            let made = Array(orders.suffix(missing.count))
            for (id, entries) in entries { try transaction.replaceEntries([], with: entries, of: id, in: made) }
            return orders
        }
        knownOrders[kind.name] = orders
        guard id != nil, isMadeAtOnce else { return (orders, []) }
        let provisional = orders.suffix(missing.count).enumerated().filter { index, order in
            refusing.contains(index) || order.declaration.linked.contains { $0.linked?.kind == kind.name }
        }
        return (orders, provisional.map(\.element))
    }

    /// Forgets orders that were made for a change that is none: whoever writes next makes them.
    mutating func drop<Value: Record>(_ orders: [StoredOrder], of kind: RecordKind<Value>) throws(LibraryError) {
        guard !orders.isEmpty, failure == nil else { return }
        try apply { (transaction) throws(LibraryError) in
            for order in orders { try transaction.drop(order, of: kind.nameBytes) }
        }
        knownOrders[kind.name] = nil
    }

    /// The orders of a kind whose type may not be known, as they are to be kept up. Within `apply` only.
    mutating func orders(ofKind kind: String) throws(LibraryError) -> [StoredOrder] {
        if let orders = knownOrders[kind] { return orders }
        let orders = try bringUpToDate(try survey(ofKind: kind), ofKind: Array(kind.utf8))
        knownOrders[kind] = orders
        return orders
    }

    /// What becomes of the stored orders of a kind.
    private struct OrderSurvey {
        /// Those to be kept up.
        var kept: [StoredOrder] = []
        /// Among them and the ones that are set aside: those whose number of openings is another now.
        var counted: [StoredOrderEntry] = []
        /// Those whose keys cannot be made here.
        var setAside: [StoredOrderEntry] = []
        var dropped: [StoredOrderEntry] = []
    }

    /// Looks through the orders of a kind. Nothing is changed.
    ///
    /// - Parameters:
    ///   - wanted: what a type declares, if one is known.
    ///   - type: that type.
    private func survey(
        ofKind kind: String, declaring wanted: [DeclaredOrder] = [], by type: ObjectIdentifier? = nil
    ) throws(LibraryError) -> OrderSurvey {
        var survey = OrderSurvey()
        let counts = type.map { !hasCounted(kind, by: $0) } ?? false
        for var entry in try trees.storedOrderEntries(of: Array(kind.utf8)) {
            let order = entry.order
            if let order, order.declaration.isFoldedOtherwise {
                // Of an order that is folded by other rules no key can be told, so nobody can keep it up.
                survey.dropped.append(entry)
                continue
            }
            let isDeclared = order.map { order in wanted.contains { order.isDeclared(as: $0) } } ?? false
            if let order, !isDeclared, contradictsFields(order.declaration, of: kind) {
                // By a field that has become another: who declared it cannot write the records that have it any more.
                survey.dropped.append(entry)
                continue
            }
            if type != nil {
                let before = entry.head.unusedOpenings
                if isDeclared {
                    entry.head.unusedOpenings = 0
                } else if counts {
                    entry.head.unusedOpenings += 1
                }
                if entry.head.unusedOpenings >= types?.unusedOrderLimit ?? .max {
                    survey.dropped.append(entry)
                    continue
                }
                if entry.head.unusedOpenings != before { survey.counted.append(entry) }
            }
            if let order = entry.order, trees.canMake(order.declaration, ofKind: kind) {
                survey.kept.append(order)
            } else {
                survey.setAside.append(entry)
            }
        }
        return survey
    }

    /// Whether an order of a kind is by a field, of its records or of those that they name, which is of another kind by now.
    private func contradictsFields(_ order: OrderDeclaration, of kind: String) -> Bool {
        order.contradictsFields(of: kind) { kind in
            (trees.storedFields(of: Array(kind.utf8)), (types?.kinds(named: kind) ?? []).fieldRevisions.retyped)
        }
    }

    /// Whether this opening was counted for a type of a kind.
    private func hasCounted(_ kind: String, by type: ObjectIdentifier) -> Bool {
        countedTypes[kind]?.contains(type) ?? false || types?.hasCounted(ofKind: kind, by: type) ?? true
    }

    /// Within `apply` only.
    ///
    /// - Returns: the orders that are to be kept up.
    private mutating func bringUpToDate(_ survey: OrderSurvey, ofKind kind: [UInt8]) throws(LibraryError)
        -> [StoredOrder]
    {
        for entry in survey.counted { try put(entry.value, forKey: entry.key, in: LibraryTree.appOrders) }
        for entry in survey.dropped {
            try removeAll(in: entry.head.tree)
            try remove(entry.key, in: LibraryTree.appOrders)
        }
        // Who can make its keys begins it again. A unique key that nobody has begun to make has entries all the same: those written ahead of that.
        for var entry in survey.setAside {
            if entry.head.builtTo == 0, try trees.count(of: entry.head.tree) == 0 { continue }
            entry.head.builtTo = 0
            try removeAll(in: entry.head.tree)
            try put(entry.value, forKey: entry.key, in: LibraryTree.appOrders)
        }
        return survey.kept
    }

    /// Writes an order as it is now. Within `apply` only.
    mutating func store(_ order: StoredOrder, ofKind kind: [UInt8]) throws(LibraryError) {
        try put(order.value, forKey: order.key(kind), in: LibraryTree.appOrders)
    }

    /// Forgets an order. Within `apply` only.
    mutating func drop(_ order: StoredOrder, of kind: [UInt8]) throws(LibraryError) {
        try removeAll(in: order.tree)
        try remove(order.key(kind), in: LibraryTree.appOrders)
    }

    /// The entries of all records of a kind, by identifier. A record whose bytes are none is left out, and reported where it is read;
    /// so is one that is about to go or to change, in orders that do not take it.
    ///
    /// - Returns: also the places of those orders.
    private func entries<Value: Record>(
        of kind: RecordKind<Value>, in declared: [DeclaredOrder], besides id: ID<Value>?, becoming bytes: [UInt8]?
    ) throws(LibraryError) -> (entries: [(id: UInt64, entries: [OrderEntry])], refusing: Set<Int>) {
        guard !declared.isEmpty else { return ([], []) }
        let orders = declared.map(\.toBeMade)
        // Others may name it: they are put where they will stand.
        var changed: [LinkedRecord: RecordFields?] = [:]
        if let id {
            changed[LinkedRecord(target: .records(kind.name), id: id.rawValue)] =
                .some(bytes.flatMap { try? RecordFields($0) })
        }
        var found: [(id: UInt64, entries: [OrderEntry])] = []
        // Of one whose bytes are none no order has anything.
        var refusing = id == nil ? [] : Set(orders.indices)
        try trees.forEachRecord(ofKind: kind.name) { (number, bytes) throws(LibraryError) in
            guard TaggedWalk.problem(in: bytes) == nil else { return }
            let record = ID<Value>(rawValue: number)
            if record == id {
                guard var fields = try? RecordFields(bytes) else { return }
                try fields.complete(for: orders, of: (kind.name, number), in: trees)
                refusing = []
                let entries = try orders.entries(of: fields, id: number) { (order, _) throws(LibraryError) in
                    refusing.formUnion(orders.indices.filter { orders[$0] == order })
                }
                found.append((number, entries))
            } else {
                let entries = try kind.entries(of: bytes, in: orders, id: record, considering: changed, trees)
                found.append((number, entries))
            }
        }
        return (found, refusing)
    }

    /// A tree for the entries of an order: one that an order like it has left behind, or a new one.
    private mutating func orderTree(_ kind: String, _ order: DeclaredOrder) throws(LibraryError) -> TreeNumber {
        var used: Set<TreeNumber> = []
        return try translatingErrors {
            try trees.scan(LibraryTree.appOrders) { _, value in
                if let head = OrderHead(value) { used.insert(head.tree) }
                return true
            }
            let declarations = trees.declarations
            for tree in declarations
            where LibraryTree.isOrder(tree.number) && !used.contains(tree.number) {
                let wanted = StoredOrder.treeDeclaration(tree.number, kind, order.name, order.declaration)
                if wanted == tree, (try? trees.count(in: tree.number)) == 0 { return tree.number }
            }
            let highest = declarations.map(\.number).filter(LibraryTree.isOrder).max()
            let number = highest.map { TreeNumber($0.rawValue + 1) } ?? LibraryTree.firstOrder
            guard LibraryTree.isOrder(number) else {
                throw StorageError.limitExceeded("The library has no number left for the tree of another order.")
            }
            try trees.declare(StoredOrder.treeDeclaration(number, kind, order.name, order.declaration))
            return number
        }
    }

    /// Moves a record from where it stood in some orders of its kind to where it is to stand.
    ///
    /// - Parameters:
    ///   - old: by order and key.
    ///   - new: likewise.
    mutating func replaceEntries(
        _ old: [OrderEntry], with new: [OrderEntry], of id: UInt64, in orders: [StoredOrder]
    ) throws(LibraryError) {
        var (old, new) = (old[...], new[...])
        while true {
            if let gone = old.first, new.first.map(gone.precedes) ?? true {
                old.removeFirst()
                let order = orders[gone.order]
                if order.isWritten(id) { try removeLater(gone.key, in: order.tree) }
            } else if let come = new.popFirst() {
                let replaced = old.first.flatMap { come.precedes($0) ? nil : $0 }
                if replaced != nil { old.removeFirst() }
                let order = orders[come.order]
                guard come != replaced, order.isWritten(id) else { continue }
                try putLater(
                    come.value, forKey: come.key, facets: FacetSet(rawValue: come.facets), in: order.tree)
            } else {
                return
            }
        }
    }

    /// Takes a record out of every order that has it, wherever it stands: for one that cannot be read. Reads all of their entries.
    mutating func removeEntries(of id: UInt64, in orders: [StoredOrder]) throws(LibraryError) {
        for order in orders {
            var last: [UInt8]?
            while true {
                let keys = try trees.keys(of: order.tree, prefix: [], after: last, limit: 512)
                guard let end = keys.last else { break }
                last = end
                for key in keys where key.count >= 8 && key.number(at: key.count - 8) == id {
                    try remove(key, in: order.tree)
                }
            }
        }
    }

    /// Empties every order without reading it, to be made again piece by piece. Where the declarations cannot be read themselves they go, too,
    /// and are made again by the next app that writes. Within `apply` only.
    mutating func beginOrdersAgain() throws(LibraryError) {
        var entries: [StoredOrderEntry] = []
        do throws(LibraryError) {
            for kind in try trees.kindsWithOrders() { entries += try trees.storedOrderEntries(of: Array(kind.utf8)) }
        } catch {
            entries = []
            try removeAll(in: LibraryTree.appOrders)
        }
        for tree in trees.declarations where LibraryTree.isOrder(tree.number) {
            try removeAll(in: tree.number)
        }
        for var entry in entries {
            entry.head.builtTo = 0
            try put(entry.value, forKey: entry.key, in: LibraryTree.appOrders)
        }
        knownOrders = [:]
    }
}
