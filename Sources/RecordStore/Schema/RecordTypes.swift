import StorageEngine

/// The types of app records met in an open store, by the names that records are stored under.
///
/// A name that a type chooses, it may share: an app that moves to another type does. Two types that have one name because both
/// are called so, `Reading.Note` and `Travel.Note`, would take each other's records for damaged ones.
final class RecordTypes: BuiltInKindSource {
    /// What the library keeps beside the records of types.
    let contents: any BuiltInKindSource

    var builtInKinds: [BuiltInKind] { contents.builtInKinds }

    private struct Met {
        /// The first that is called so, and has not chosen the name.
        var type: ObjectIdentifier?
        var words = ""
        /// Of all types of the name: several where they chose it.
        var kinds: [any AnyRecordKind] = []
    }

    private let met = Lock<[String: Met]>([:])

    init(beside contents: any BuiltInKindSource) { self.contents = contents }

    /// - Throws: `LibraryError.schemaMismatch` when another type has the name already, or another kind of the library the tree of this one.
    func check<Value: Record>(
        _ kind: RecordKind<Value>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        try trees.checkName(ofKind: kind.name)
        try check(kind)
    }

    private func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        let type = ObjectIdentifier(Value.self)
        let (first, words) = met.withLock { met in
            var known = met[kind.name] ?? Met()
            if !known.kinds.contains(where: { $0.type == type }) {
                known.kinds.append(kind)
                if kind.hasNameOfType, known.type == nil {
                    (known.type, known.words) = (type, String(reflecting: Value.self))
                }
                met[kind.name] = known
            }
            return (known.type, known.words)
        }
        guard kind.hasNameOfType, first != type else { return }
        throw .schemaMismatch(
            "Records of \(words) and of \(String(reflecting: Value.self)) would both be stored as “\(kind.name)”. Give one "
                + "of the types a recordName of its own.")
    }

    /// The kind of the name whose indexes have the stamp, if its type was met.
    func kind(named name: String, stamp: [UInt8]) -> (any AnyRecordKind)? {
        met.withLock { met in met[name]?.kinds.first { $0.stamp == stamp } }
    }
}

extension Version {
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        try (attachment as? RecordTypes)?.check(kind, in: self)
    }
}
