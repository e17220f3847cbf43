import StorageEngine

/// Orders of the app's own records: each holds the records of its kind where their bytes say, with the amounts that they say.
/// Their declarations are in the library, so this needs no type of the app.
extension LibraryVerifier {
    /// Gives how many orders there are.
    mutating func verifyAppOrders() -> Int {
        var count = 0
        forEachKey(of: LibraryTree.appOrders, \.appRecords) { (verifier, key) throws(LibraryError) in
            count += 1
            guard let end = key.firstIndex(of: LibraryKey.separator), end > 0, end + 1 < key.count else {
                verifier.appRecords.report(
                    "\(LibraryTree.words(of: LibraryTree.appOrders)) hold the key \(key.hexadecimal), which names nothing."
                )
                return
            }
            let kind = Array(key[..<end])
            let name = String(decoding: key[(end + 1)...], as: UTF8.self)
            verifier.attempt(\.appRecords) { (verifier) throws(LibraryError) in
                guard let order = try verifier.version.storedOrder(name, of: kind) else { return }
                // Its keys are of other rules; the next write of such a record makes it anew.
                guard !order.declaration.isFoldedOtherwise else { return }
                try verifier.verify(order, of: String(decoding: kind, as: UTF8.self))
            }
        }
        return count
    }

    private mutating func verify(_ order: StoredOrder, of kind: String) throws(LibraryError) {
        let words = "The order \(order.name) of \(kind)"
        var expectedCount = 0
        let version = version
        try version.forEachRecord(ofKind: kind) { (number, bytes) throws(LibraryError) in
            guard order.takes(number) else { return }
            let id = ID<AppRecord>(rawValue: number)
            do {
                for entry in try order.entries(of: bytes, (kind, number), in: version).get() {
                    expectedCount += 1
                    try check(entry, of: id, in: order, words)
                }
            } catch {
                let problem = (error as? RecordProblem)?.description ?? "\(error)"
                appRecords.report("\(words) cannot have \(id): \(problem).")
            }
        }
        let entryCount = try version.count(of: order.tree)
        if entryCount != expectedCount {
            appRecords.report("\(words) has \(entryCount) entries; its records come to \(expectedCount).")
        }
    }

    private mutating func check(
        _ expected: OrderEntry, of id: ID<AppRecord>, in order: StoredOrder, _ words: String
    ) throws(RecordProblem) {
        do throws(StorageError) {
            if let objection = try order.objection(to: expected, of: id, in: version) {
                appRecords.report("\(words) \(objection).")
            }
        } catch {
            throw RecordProblem("\(LibraryError(error))")
        }
    }
}
