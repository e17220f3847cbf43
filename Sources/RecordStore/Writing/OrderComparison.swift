import StorageEngine

/// Whether orders hold the records of their kind. The fingerprints of both trees tell it from their roots, so every opening asks; what
/// does not is made anew.
extension TreeReadable where Self: ~Copyable {
    /// The orders whose records are not those of their kind, by counts and fingerprints: some descents each, whatever they hold. Only orders
    /// in which every record stands once are asked.
    func unlikeOrders() throws(LibraryError) -> [(kind: String, order: StoredOrder)] {
        var unlike: [(kind: String, order: StoredOrder)] = []
        // One kind that cannot be read keeps no other from being looked at.
        for kind in try kindsWithOrders() { unlike += ((try? unlikeOrders(of: kind)) ?? []).map { (kind, $0) } }
        return unlike
    }

    private func unlikeOrders(of kind: String) throws -> [StoredOrder] {
        let tree = kindTree(kind)
        let recordCount = try tree.map { try count(in: $0) } ?? 0
        let records = try tree.map { try fingerprint(of: $0) } ?? 0
        return try storedOrders(of: Array(kind.utf8)).filter { order in
            guard order.builtTo == nil, order.declaration.isOfEveryRecord, !order.declaration.isFoldedOtherwise else {
                return false
            }
            return try count(in: order.tree) != recordCount || fingerprint(of: order.tree) != records
        }
    }

    /// Whether an order lacks nothing but records that it does not take, such as damaged ones. Reads all of both.
    fileprivate func isWhole(_ order: StoredOrder, of kind: String) throws(LibraryError) -> Bool {
        var expected: Set<UInt64> = []
        try forEachRecord(ofKind: kind) { (id, bytes) throws(LibraryError) in
            if case .success = try order.entries(of: bytes, (kind, id), in: self) { expected.insert(id) }
        }
        do {
            guard try count(in: order.tree) == expected.count else { return false }
            try scan(order.tree) { key, _ in expected.remove(key.trailingIdentifier) != nil }
        } catch {
            throw LibraryError(error)
        }
        return expected.isEmpty
    }
}

extension LibraryTransaction {
    /// Empties the orders of some names that still do not hold the records of their kind; they are made again piece by piece.
    ///
    /// - Returns: which those are.
    fileprivate mutating func beginUnlikeOrdersAnew(
        among known: [(kind: String, order: StoredOrder)]
    ) throws(LibraryError) -> [(kind: String, name: String)] {
        let unlike = try trees.unlikeOrders().filter { unlike in
            known.contains { $0.kind == unlike.kind && $0.order.tree == unlike.order.tree }
        }
        try apply { (transaction) throws(LibraryError) in
            for (kind, order) in unlike { try transaction.beginAnew(order, order.declaration, ofKind: kind) }
        }
        return unlike.map { ($0.kind, $0.order.name) }
    }
}

extension RecordLibrary {
    /// Makes orders anew that do not hold the records of their kind, and says so. What cannot be read is left to `verify`.
    ///
    /// - Returns: what it did, in words.
    func mendOrders(_ diagnose: ((String) -> DiagnosticEvent) -> Void) async -> String {
        let version = database.version
        let whole = "the orders hold the records of their kinds"
        guard let unlike = try? version.unlikeOrders() else { return "the orders cannot be read" }
        guard !unlike.isEmpty else { return whole }
        // Of one whose keys cannot be made here nobody knows what it should hold.
        let broken = unlike.filter { unlike in
            version.canMake(unlike.order.declaration, ofKind: unlike.kind)
                && (try? version.isWhole(unlike.order, of: unlike.kind)) == false
        }
        guard !broken.isEmpty else { return whole }
        guard
            let begun = try? await transact(
                .flushed, { (library) throws(LibraryError) in try library.beginUnlikeOrdersAnew(among: broken) })
        else { return "orders that lack records could not be begun again" }
        // Nobody has written a record, and what is unfinished was looked for before.
        if buildsOrders, !begun.isEmpty { beginOrderBuilding() }
        for (kind, name) in begun { diagnose { .orderMadeAnew(kind, name, at: $0) } }
        return begun.isEmpty
            ? whole : "made again: " + begun.map { "“\($0.name)” of \($0.kind)" }.joined(separator: ", ")
    }
}
