import Filing
import StorageEngine

extension RecordLibrary {
    /// Makes the indexes and orders that a type declares and the library does not have yet, which the next write of such a record
    /// would begin otherwise, and waits until they are whole. Of more than 1,024 records an order takes many commits, and others write in
    /// between; after a crash it goes on when the library is opened again.
    ///
    /// A `write` that needs a unique key waits for it by itself, where very many records are not in it yet.
    ///
    /// - Parameter progress: hears how far the orders of the type are, from 0 to 1.
    /// - Throws: `LibraryError.schemaMismatch` for a declaration that cannot be; `.invalidValue` with the name of a record that an order does
    ///   not take; and as `write` does.
    public func makeOrders<Value: Record>(
        of type: Value.Type, _ durability: Durability = .flushed, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(LibraryError) {
        try await transact(durability) { (library) throws(LibraryError) in try library.makeOrders(of: type) }
        let kind = RecordKind<Value>.current
        guard try !snapshot.version.unfinishedOrders(of: kind).isEmpty else {
            progress?(1)
            return
        }
        // Asked of the writer each time: a snapshot may lag behind what another task has made.
        while let (madeCount, recordCount) = try await transact(
            .memory, { (library) throws(LibraryError) in try library.goOnWithOrders(of: kind) })
        {
            progress?(Double(madeCount) / Double(recordCount))
        }
        // A commit behind the last piece, whoever made that: when it is seen and as durable as asked, so is all before it.
        try await transact(durability) { (library) throws(LibraryError) in try library.confirmOrders(ofKind: kind.name)
        }
        progress?(1)
    }

    /// Goes on with the orders that are not whole, while others write and each piece after those that write then, until the store is gone.
    @discardableResult
    func beginOrderBuilding() -> OrderBuilding {
        let goal = Lock(OrderGoal())
        orderBuilding.begin { [weak self] () async throws(LibraryError) in
            guard let self else { return false }
            await launch.userCalls.yield()
            healthBoard.noteProgress(goal.withLock { $0.fraction(in: snapshot.version) })
            return try await buildOrders()
        } ended: { [weak self] in
            self?.healthBoard.noteProgress(nil)
        }
        return orderBuilding
    }

    /// Makes all unfinished orders whole that can be made here.
    func finishOrders() async throws(LibraryError) {
        while try await buildOrders() {}
        // A commit behind the last piece: when it is durable, so is all before it.
        try await transact { (library) throws(LibraryError) in
            for kind in try library.trees.kindsWithOrders() { try library.confirmOrders(ofKind: kind) }
        }
    }

    /// A piece of every unfinished order: `false` when no order came further.
    private func buildOrders() async throws(LibraryError) -> Bool {
        var isFurther = false
        for kind in try snapshot.version.kindsWithUnfinishedOrders() {
            // Done again by whoever opens the library next, if the process dies before it is on the disk.
            let kindIsFurther = try await transact(.memory) { (library) throws(LibraryError) in
                try library.buildOrders(ofKind: kind)
            }
            isFurther = isFurther || kindIsFurther
        }
        return isFurther
    }
}

extension LibraryTransaction {
    /// Goes on with the unfinished orders of a kind. An order stops before a record that it does not take.
    ///
    /// - Returns: whether one of them came further.
    mutating func buildOrders(
        ofKind kind: String, entryCount: Int = OrderBuilding.entryCountOfCommit
    ) throws(LibraryError) -> Bool {
        // No record is written here, so an order that waits for code of the app stays as it is.
        let unfinished = try trees.storedOrders(of: Array(kind.utf8)).filter { order in
            order.builtTo != nil && trees.canMake(order.declaration, ofKind: kind)
        }
        guard !unfinished.isEmpty else { return false }
        let recordCount = max(1, entryCount / unfinished.count)
        var isFurther = false
        // Those that are equally far need each record once.
        for (start, orders) in Dictionary(grouping: unfinished, by: { $0.builtTo ?? 0 }).sorted(by: { $0.key < $1.key })
        {
            let wasFurther = try apply { (transaction) throws(LibraryError) in
                try transaction.build(orders, ofKind: kind, after: start, recordCount)
            }
            isFurther = isFurther || wasFurther
        }
        knownOrders[kind] = nil
        return isFurther
    }

    /// Goes on with the orders of a kind, where one that its type declares is unfinished.
    ///
    /// - Returns: how far those were before; `nil` when all are whole.
    /// - Throws: `LibraryError.invalidValue` with a record that an order does not take, when no order comes further.
    fileprivate mutating func goOnWithOrders<Value: Record>(
        of kind: RecordKind<Value>
    ) throws(LibraryError) -> (madeCount: Int, recordCount: Int)? {
        let unfinished = try trees.unfinishedOrders(of: kind)
        guard !unfinished.isEmpty else { return nil }
        var (madeCount, recordCount) = (0, 0)
        for order in unfinished {
            guard let progress = try trees.progress(of: order, kind.name) else { continue }
            madeCount += progress.madeCount
            recordCount += progress.recordCount
        }
        guard try !buildOrders(ofKind: kind.name) else { return (madeCount, recordCount) }
        throw try trees.obstacle(to: unfinished, of: kind.name)
            ?? .damaged("\(kind.name) records have keys that are none, which the making of their orders does not pass.")
    }

    /// Writes the orders of a kind as they are.
    fileprivate mutating func confirmOrders(ofKind kind: String) throws(LibraryError) {
        try apply { (transaction) throws(LibraryError) in
            for order in try transaction.trees.storedOrders(of: Array(kind.utf8)) {
                try transaction.store(order, ofKind: Array(kind.utf8))
            }
        }
    }

    /// - Parameter start: how far the orders are.
    private mutating func build(
        _ orders: [StoredOrder], ofKind kind: String, after start: UInt64, _ recordCount: Int
    ) throws(LibraryError) -> Bool {
        guard let tree = trees.kindTree(kind) else { return false }
        var orders = orders
        let keys = try trees.keys(of: tree, prefix: [], after: .bigEndian(start), limit: recordCount)
        var isEnd = keys.count < recordCount
        var stopped: Set<TreeNumber> = []
        var byteCount = 0
        for key in keys where key.count == 8 {
            guard byteCount < OrderBuilding.byteCountOfCommit else {
                isEnd = false
                break
            }
            let id = key.number(at: 0)
            var entries: [OrderEntry] = []
            // Bytes that are no record are reported where they are read.
            if let bytes = try trees.recordBytes(id, in: tree), var fields = try? RecordFields(bytes) {
                byteCount += bytes.count
                try fields.complete(for: orders, of: (kind, id), in: trees)
                entries = try orders.entries(of: fields, id: id) { (order, _) throws(LibraryError) in
                    stopped.insert(order.tree)
                }
            }
            guard stopped.count < orders.count else { break }
            for index in orders.indices where !stopped.contains(orders[index].tree) { orders[index].builtTo = id }
            if !stopped.isEmpty { entries.removeAll { stopped.contains(orders[$0.order].tree) } }
            try replaceEntries([], with: entries, of: id, in: orders)
        }
        if isEnd {
            for index in orders.indices where !stopped.contains(orders[index].tree) { orders[index].builtTo = nil }
        }
        let further = orders.filter { $0.builtTo != start }
        for order in further { try store(order, ofKind: Array(kind.utf8)) }
        return !further.isEmpty
    }
}

/// How far all orders are together that have been unfinished since the making began.
struct OrderGoal {
    /// Records, by the order's tree: so many in all.
    private var recordCounts: [TreeNumber: Int] = [:]

    /// 0...1. Some descents for each unfinished order.
    mutating func fraction(in version: Version) -> Double {
        var missing = 0
        for kind in (try? version.kindsWithUnfinishedOrders()) ?? [] {
            for order in (try? version.storedOrders(of: Array(kind.utf8))) ?? [] {
                guard let progress = try? version.progress(of: order, kind) else { continue }
                recordCounts[order.tree] = max(recordCounts[order.tree] ?? 0, progress.recordCount)
                missing += max(0, progress.recordCount - progress.madeCount)
            }
        }
        let goal = recordCounts.values.reduce(0, +)
        return goal == 0 ? 0 : 1 - Double(missing) / Double(goal)
    }
}

extension TreeReadable where Self: ~Copyable {
    /// How far an order is; `nil` when it is whole.
    func progress(of order: StoredOrder, _ kind: String) throws(LibraryError) -> (madeCount: Int, recordCount: Int)? {
        guard let builtTo = order.builtTo else { return nil }
        guard let tree = kindTree(kind) else { return (0, 1) }
        let madeCount = try position(of: AppRecordKey.end(of: .bigEndian(builtTo)), in: tree, facet: nil)
        return (madeCount, max(try count(of: tree), 1))
    }

    /// Those that a type declares.
    func unfinishedOrders<Value: Record>(of kind: RecordKind<Value>) throws(LibraryError) -> [StoredOrder] {
        var unfinished: [StoredOrder] = []
        for declared in kind.orders {
            if let order = try storedOrder(declared), order.builtTo != nil { unfinished.append(order) }
        }
        return unfinished
    }

    func kindsWithUnfinishedOrders() throws(LibraryError) -> [String] {
        try kindsWithOrders { entry in entry.head.builtTo != nil && entry.order != nil }
    }

    /// Those with orders that file letters otherwise.
    func kindsWithOrders(notFiledBy tailoring: FilingTailoring) throws(LibraryError) -> [String] {
        try kindsWithOrders { entry in
            entry.order.map { $0.declaration.filed(by: tailoring) != $0.declaration } ?? false
        }
    }

    /// All that have orders.
    func kindsWithOrders() throws(LibraryError) -> [String] { try kindsWithOrders { _ in true } }

    /// - Parameter condition: on one of their orders. It is not asked of one that cannot be read.
    func kindsWithOrders(where condition: (StoredOrderEntry) -> Bool) throws(LibraryError) -> [String] {
        var kinds: [String] = []
        try translatingErrors {
            try scan(LibraryTree.appOrders) { key, value in
                let key = key.copyBytes(0..<key.byteCount)
                let kind = String(decoding: key.prefix { $0 != LibraryKey.separator }, as: UTF8.self)
                guard kinds.last != kind else { return true }
                let entry = try? StoredOrderEntry(key, value.copyBytes(0..<value.byteCount))
                if entry.map(condition) ?? false { kinds.append(kind) }
                return true
            }
        }
        return kinds
    }

    /// Why none of some unfinished orders comes further: a record that one of them does not take; `nil` when nothing is in the way.
    func obstacle(to orders: [StoredOrder], of kind: String) throws(LibraryError) -> LibraryError? {
        guard let tree = kindTree(kind) else { return nil }
        for order in try storedOrders(of: Array(kind.utf8)) where orders.contains(where: { $0.tree == order.tree }) {
            guard let builtTo = order.builtTo else { continue }
            let keys = try keys(of: tree, prefix: [], after: .bigEndian(builtTo), limit: 1)
            guard let key = keys.first, key.count == 8, let bytes = try recordBytes(key.number(at: 0), in: tree),
                TaggedWalk.problem(in: bytes) == nil
            else {
                continue
            }
            let id = ID<AppRecord>(rawValue: key.number(at: 0))
            if case .failure(let problem) = try order.entries(of: bytes, (kind, id.rawValue), in: self) {
                return .invalidValue(
                    "The order “\(order.name)” does not take \(kind) \(id): \(problem.description).")
            }
        }
        return nil
    }
}
