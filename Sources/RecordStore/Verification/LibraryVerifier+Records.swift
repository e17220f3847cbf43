import StorageEngine

/// The app's own records, as far as they can be checked without their types: each is a record and has a key of its own.
extension LibraryVerifier {
    mutating func verifyRecords() {
        let kinds = version.declarations.kinds
        for kind in kinds { verifyRecords(of: kind) }
        verifyAppOrders()
        verifyAppFields()
        let brokenCount = verifyAppLinks()
        let count = kinds.reduce(0) { $0 + ((try? version.count(of: $1.number)) ?? 0) }
        let broken = brokenCount == 0 ? "" : ", \(brokenCount) links that were broken before they were declared"
        appRecords.detail = "\(count) of the app's own\(broken)"
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
