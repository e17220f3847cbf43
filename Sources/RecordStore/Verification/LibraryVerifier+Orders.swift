import StorageEngine

/// Orders of the app's own records: each holds the records of its kind where their bytes say, with the amounts that they say.
/// Their declarations are in the library, so this needs no type of the app. Of an order that code of the app makes only the code knows
/// where its records belong; so it is seen whether each of them is there, and once.
extension LibraryVerifier {
    /// What was seen of the orders.
    private struct SeenOrders {
        var count = 0
        /// Those of which only missing and doubled records were looked for.
        var byCode: [String] = []
        /// Those whose declarations are not known here.
        var unknown: [String] = []
        /// Records that share a unique key with another.
        var shared: [String] = []

        var detail: String {
            var detail = "\(count) \(count == 1 ? "order" : "orders") of the app's own records"
            if !byCode.isEmpty {
                detail +=
                    "; made by code of the app, so checked for missing and doubled records only: "
                    + byCode.joined(separator: ", ")
            }
            if !unknown.isEmpty {
                detail += "; declared by a later version, so not checked: " + unknown.joined(separator: ", ")
            }
            if !shared.isEmpty {
                detail +=
                    "; the same where one record alone may have it, from before that was so or from a repair: "
                    + shared.prefix(CheckBuilder.keptItems).joined(separator: "; ")
                if shared.count > CheckBuilder.keptItems {
                    detail += "; and \(shared.count - CheckBuilder.keptItems) more"
                }
            }
            return detail
        }
    }

    mutating func verifyAppOrders() {
        var seen = SeenOrders()
        forEachKey(of: LibraryTree.appOrders, \.appOrders) { (verifier, key) throws(LibraryError) in
            seen.count += 1
            verifier.attempt(\.appOrders) { (verifier) throws(LibraryError) in
                let value = try verifier.version.stored(key, in: LibraryTree.appOrders) {
                    $0.copyBytes(0..<$0.byteCount)
                }
                let entry: StoredOrderEntry
                do throws(RecordProblem) {
                    entry = try StoredOrderEntry(key, value ?? [])
                } catch {
                    throw .damagedRecord(LibraryTree.words(of: LibraryTree.appOrders), error.description)
                }
                let words = "\(entry.name) of \(entry.kind)"
                guard let order = entry.order else {
                    seen.unknown.append(words)
                    return
                }
                // Its keys are of other rules; the next write of such a record makes it again.
                guard !order.declaration.isFoldedOtherwise else { return }
                guard verifier.version.canMake(order.declaration, ofKind: entry.kind) else {
                    seen.byCode.append(words)
                    return try verifier.verifyRecords(in: order, of: entry.kind)
                }
                try verifier.verify(order, of: entry.kind)
                guard order.declaration.isUnique, order.builtTo == nil else { return }
                let fields = order.fieldNames(of: entry.kind, in: verifier.version).joined(separator: ", ")
                seen.shared += try verifier.version.sharedKeys(of: order, entry.kind).map { identifiers in
                    let names = identifiers.map { ID<AppRecord>(rawValue: $0).description }
                    return "\(fields) of \(entry.kind) \(names.joined(separator: ", "))"
                }
            }
        }
        appOrders.detail = seen.detail
    }

    private mutating func verify(_ order: StoredOrder, of kind: String) throws(LibraryError) {
        let words = "The order \(order.name) of \(kind)"
        var expectedCount = 0
        let version = version
        try version.forEachRecord(ofKind: kind) { (number, bytes) throws(LibraryError) in
            guard !Task.isCancelled else { throw .cancelled }
            guard order.takes(number) else { return }
            let id = ID<AppRecord>(rawValue: number)
            do {
                for entry in try order.entries(of: bytes, (kind, number), in: version).get() {
                    expectedCount += 1
                    try check(entry, of: id, in: order, words)
                }
            } catch {
                let problem = (error as? RecordProblem)?.description ?? "\(error)"
                appOrders.report("\(words) cannot have \(id): \(problem).")
            }
        }
        let entryCount = try version.count(of: order.tree)
        // A unique key takes new records ahead of its making.
        let mayHaveMore = order.declaration.isUnique && order.builtTo != nil
        if entryCount != expectedCount, !(mayHaveMore && entryCount > expectedCount) {
            appOrders.report("\(words) has \(entryCount) entries; its records come to \(expectedCount).")
        }
    }

    private mutating func check(
        _ expected: OrderEntry, of id: ID<AppRecord>, in order: StoredOrder, _ words: String
    ) throws(RecordProblem) {
        do throws(StorageError) {
            if let objection = try order.objection(to: expected, of: id, in: version) {
                appOrders.report("\(words) \(objection).")
            }
        } catch {
            throw RecordProblem("\(LibraryError(error))")
        }
    }

    /// Whether an order names records that are there, and where each stands once, each of them once.
    private mutating func verifyRecords(in order: StoredOrder, of kind: String) throws(LibraryError) {
        let words = "The order \(order.name) of \(kind)"
        let version = version
        var left: Set<UInt64> = []
        try version.forEachRecord(ofKind: kind) { (id, _) throws(LibraryError) in
            guard !Task.isCancelled else { throw .cancelled }
            if order.takes(id) { left.insert(id) }
        }
        let known = left
        let standsOnce = order.declaration.stands.count == 1 && order.declaration.stands[0].list == nil
        var findings: [String] = []
        try translatingErrors {
            try version.scan(order.tree) { key, _ in
                let id = key.trailingIdentifier
                let name = ID<AppRecord>(rawValue: id)
                if left.remove(id) == nil, known.contains(id), standsOnce { findings.append("has \(name) twice") }
                if !known.contains(id), order.builtTo == nil { findings.append("names \(name), which is not there") }
                return true
            }
        }
        if order.declaration.isOfEveryRecord {
            findings += left.sorted().map { "does not have \(ID<AppRecord>(rawValue: $0))" }
        }
        for finding in findings { appOrders.report("\(words) \(finding).") }
    }
}
