import StorageEngine

extension LibraryTransaction {
    /// Stores the names and types of the fields that a type declares where the library has others. Where those take the place of what there was, links
    /// by fields that are none any more end.
    ///
    /// - Throws: `LibraryError.schemaMismatch` where a number has been that of another field. Nothing was changed then.
    mutating func bringFieldsUpToDate<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        guard !describedTypes.contains(ObjectIdentifier(Value.self)) else { return }
        // As a rule they are the same, and nothing has to be decoded.
        let isSame = try trees.stored(kind.nameBytes, in: LibraryTree.appFields) { stored in
            stored.byteCount == kind.describedBytes.count && stored.firstOccurrence(of: kind.describedBytes) == 0
        }
        if isSame != true {
            let (joined, areJoined) = try kind.joinedFields(in: trees)
            if joined != trees.storedFields(of: kind.nameBytes) {
                try apply { (transaction) throws(LibraryError) in
                    try transaction.put(joined.encoded(), forKey: kind.nameBytes, in: LibraryTree.appFields)
                }
                // Other types of the name fitted what was there before.
                types?.forgetFields(ofKind: kind.name, before: trees.commitNumber)
                // So did orders of these, and of records that name them, by what they have.
                knownOrders[kind.name] = nil
                for link in try links(toKind: kind.name) { knownOrders[link.kind] = nil }
                try endFormerLinks(of: kind, beside: areJoined)
            }
        }
        describedTypes.insert(ObjectIdentifier(Value.self))
    }
}
