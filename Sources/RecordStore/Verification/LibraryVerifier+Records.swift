import StorageEngine

/// The app's own records, as far as they can be checked without their types: each is a record, has a key of its own, and is
/// there when an index names it.
extension LibraryVerifier {
    mutating func verifyRecords() {
        let kinds = version.declarations.kinds
        for kind in kinds { verifyRecords(of: kind) }
        var entryCount = 0
        // Of the index whose entries come one after the other: the records it names.
        var listed = (prefix: [UInt8](), ids: Set<UInt64>())
        forEachKey(of: LibraryTree.appIndexes, \.appRecords) { (verifier, key) throws(LibraryError) in
            // A stamp.
            if key.firstIndex(of: LibraryKey.separator) == key.count - 1 { return }
            entryCount += 1
            guard let (kind, index, id) = AppRecordKey.entryParts(key) else {
                verifier.appRecords.report(
                    "\(LibraryTree.words(of: LibraryTree.appIndexes)) hold the key \(key.hexadecimal), which names nothing."
                )
                return
            }
            let prefix = AppRecordKey.prefix(kind, index: String(decoding: index, as: UTF8.self))
            if listed.prefix != prefix { listed = (prefix, []) }
            if !listed.ids.insert(id).inserted {
                verifier.appRecords.report(
                    "The index \(String(decoding: index, as: UTF8.self)) of \(String(decoding: kind, as: UTF8.self)) names "
                        + "\(ID<AppRecord>(rawValue: id)) twice.")
            }
            verifier.attempt(\.appRecords) { (verifier) throws(LibraryError) in
                let (kind, index) = (String(decoding: kind, as: UTF8.self), String(decoding: index, as: UTF8.self))
                guard try !verifier.version.has(.records(kind), id) else { return }
                verifier.appRecords.report(
                    "The index \(index) of \(kind) names \(ID<AppRecord>(rawValue: id)), which is not there.")
            }
        }
        let orderCount = verifyAppOrders()
        let count = kinds.reduce(0) { $0 + ((try? version.count(of: $1.number)) ?? 0) }
        let orders = orderCount == 0 ? "" : ", \(orderCount) \(orderCount == 1 ? "order" : "orders")"
        verifyAppFields()
        let brokenCount = verifyAppLinks()
        let broken = brokenCount == 0 ? "" : ", \(brokenCount) links that were broken before they were declared"
        appRecords.detail =
            "\(count) of the app's own, \(entryCount) \(entryCount == 1 ? "entry" : "entries") in their indexes\(orders)\(broken)"
    }

    private mutating func verifyRecords(of kind: TreeDeclaration) {
        if KindTree.number(of: kind.name) != kind.number, kind.name != KindTree.nameless(kind.number) {
            appRecords.report(
                "The records of \(kind.name) are in tree \(kind.number.rawValue), where nobody looks for them.")
        }
        if kind != KindTree.declaration(kind.number, kind.name) {
            appRecords.report("The tree of \(kind.name) is declared otherwise than the trees of records are.")
        }
        let device = (try? LibraryMeta(version))??.device
        forEachKey(of: kind.number, \.appRecords) { (verifier, key) throws(LibraryError) in
            guard key.count == 8 else {
                verifier.appRecords.report(
                    "A record of \(kind.name) has the key \(key.hexadecimal), which is no identifier.")
                return
            }
            let identifier = ID<AppRecord>(rawValue: key.number(at: 0))
            if UInt64(identifier.device) == device {
                verifier.highestAppCounter = max(verifier.highestAppCounter, identifier.counter)
            }
            verifier.attempt(\.appRecords, "\(kind.name) \(identifier)") { (verifier) throws(LibraryError) in
                guard let bytes = try verifier.version.recordBytes(identifier.rawValue, in: kind.number),
                    let problem = TaggedWalk.problem(in: bytes)
                else { return }
                verifier.appRecords.report("\(kind.name) \(identifier) is no record: \(problem.description).")
            }
        }
    }
}
