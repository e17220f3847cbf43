import StorageEngine

extension LibraryTransaction {
    /// Stores the names and types of the fields that a type declares where the library has others.
    ///
    /// - Throws: `LibraryError.schemaMismatch` where a number has been that of another field. Nothing was changed then.
    mutating func bringFieldsUpToDate<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        guard !describedTypes.contains(ObjectIdentifier(Value.self)) else { return }
        // As a rule they are the same, and nothing has to be decoded.
        let isSame = try trees.stored(kind.nameBytes, in: LibraryTree.appFields) { stored in
            stored.byteCount == kind.describedBytes.count && stored.firstOccurrence(of: kind.describedBytes) == 0
        }
        if isSame != true {
            let joined = try kind.joinedFields(in: trees).fields
            if joined != trees.storedFields(of: kind.nameBytes) {
                try apply { (transaction) throws(LibraryError) in
                    try transaction.put(joined.encoded(), forKey: kind.nameBytes, in: LibraryTree.appFields)
                }
                // Other types of the name fitted what was there before.
                (trees.attachment as? RecordTypes)?.forgetFields(ofKind: kind.name, before: trees.commitNumber)
            }
        }
        describedTypes.insert(ObjectIdentifier(Value.self))
    }
}
