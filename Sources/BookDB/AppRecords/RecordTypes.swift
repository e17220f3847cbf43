import StorageEngine

/// The types of app records met in an open store, by the names that records are stored under.
///
/// A name that a type chooses, it may share: an app that moves to another type does. Two types that have one name because both
/// are called so, `Reading.Note` and `Travel.Note`, would take each other's records for damaged ones.
final class RecordTypes: Sendable {
    private struct Met {
        let type: ObjectIdentifier
        let words: String
    }

    private let met = Lock<[String: Met]>([:])

    /// - Throws: `BookError.schemaMismatch` when another type has the name already.
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(BookError) {
        guard kind.hasNameOfType else { return }
        let type = ObjectIdentifier(Value.self)
        let first = met.withLock { met in
            let first = met[kind.name] ?? Met(type: type, words: String(reflecting: Value.self))
            met[kind.name] = first
            return first
        }
        guard first.type != type else { return }
        throw .schemaMismatch(
            "Records of \(first.words) and of \(String(reflecting: Value.self)) would both be stored as “\(kind.name)”. Give one "
                + "of the types a recordName of its own.")
    }
}

extension Version {
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(BookError) {
        try (attachment as? RecordTypes)?.check(kind)
    }
}

extension LibraryTransaction {
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(BookError) {
        try (trees.attachment as? RecordTypes)?.check(kind)
    }
}
