import StorageEngine

/// The types of app records met in an open store, by the names that records are stored under.
///
/// A name that a type chooses, it may share: an app that moves to another type does. Two types that have one name because both
/// are called so, `Reading.Note` and `Travel.Note`, would take each other's records for damaged ones.
final class RecordTypes: BuiltInKindSource {
    /// What the library keeps beside the records of types.
    let contents: any BuiltInKindSource

    /// After so many openings in a row that wrote records of a kind and did not declare an order of it, the order is dropped.
    let unusedOrderLimit: UInt32

    /// For a library that begins in a store which has taken the place of another: what that one gave out is not given out again.
    let newDevice: UInt32?

    var builtInKinds: [BuiltInKind] { contents.builtInKinds }

    private struct Met {
        /// The first that is called so, and has not chosen the name.
        var type: ObjectIdentifier?
        var words = ""
        /// Of all types of the name: several where they chose it.
        var kinds: [any AnyRecordKind] = []
        /// Those whose fields were found to be what the library has under their numbers.
        var fitting: Set<ObjectIdentifier> = []
        /// Those for which this opening was counted where orders are that they do not declare.
        var counted: Set<ObjectIdentifier> = []
    }

    private let met = Lock<[String: Met]>([:])
    /// What was found out of trees of earlier commits does not hold any more.
    private let firstCommit = Lock<UInt64>(0)

    init(beside contents: any BuiltInKindSource, unusedOrderLimit: UInt32 = .max, newDevice: UInt32? = nil) {
        self.contents = contents
        self.unusedOrderLimit = unusedOrderLimit
        self.newDevice = newDevice
    }

    /// - Throws: `LibraryError.schemaMismatch` when another type has the name already, or another kind of the library the tree of this one, or
    ///   a field the number that another has had.
    func check<Value: Record>(
        _ kind: RecordKind<Value>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        try trees.checkName(ofKind: kind.name)
        guard try !isFitting(kind) else { return }
        // What a type may be while there are no records says nothing of those that another version writes.
        guard try kind.joinedFields(in: trees).areJoined else { return }
        let commit = trees.commitNumber
        met.withLock { met in
            guard commit >= firstCommit.withLock({ $0 }) else { return }
            met[kind.name]?.fitting.insert(ObjectIdentifier(Value.self))
        }
    }

    /// Whether the fields of a type were compared with what the library has.
    ///
    /// - Throws: `LibraryError.schemaMismatch` when another type has the name already.
    private func isFitting<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) -> Bool {
        let type = ObjectIdentifier(Value.self)
        let (first, words, isFitting) = met.withLock { met in
            var known = met[kind.name] ?? Met()
            if !known.kinds.contains(where: { $0.type == type }) {
                known.kinds.append(kind)
                if kind.hasNameOfType, known.type == nil {
                    (known.type, known.words) = (type, String(reflecting: Value.self))
                }
                met[kind.name] = known
            }
            return (known.type, known.words, known.fitting.contains(type))
        }
        guard kind.hasNameOfType, first != type else { return isFitting }
        throw .schemaMismatch(
            "Records of \(words) and of \(String(reflecting: Value.self)) would both be stored as “\(kind.name)”. Give one "
                + "of the types a recordName of its own.")
    }

    /// What a type that was met calls the kind whose records a tree holds.
    fileprivate func name(ofTree tree: TreeNumber) -> String? {
        met.withLock { met in met.keys.first { KindTree.number(of: $0) == tree } }
    }

    /// The types of a name that were met.
    func kinds(named name: String) -> [any AnyRecordKind] { met.withLock { $0[name]?.kinds ?? [] } }

    /// The library was opened again, or another process has written to it.
    ///
    /// - Parameter commit: the first by which types are to be compared again.
    func forgetFields(before commit: UInt64 = 0) {
        firstCommit.withLock { $0 = max($0, commit) }
        met.withLock { met in for name in met.keys { met[name]?.fitting = [] } }
    }

    /// What was compared with the fields that the library had before a commit is compared again.
    func forgetFields(ofKind name: String, before commit: UInt64 = 0) {
        firstCommit.withLock { $0 = max($0, commit) }
        met.withLock { $0[name]?.fitting = [] }
    }

    /// Whether this opening was counted for a type of a kind, by a transaction that came to its end.
    func hasCounted(ofKind name: String, by type: ObjectIdentifier) -> Bool {
        met.withLock { $0[name]?.counted.contains(type) ?? true }
    }

    func noteCounted(_ types: [String: Set<ObjectIdentifier>]) {
        guard !types.isEmpty else { return }
        met.withLock { met in for (name, types) in types { met[name]?.counted.formUnion(types) } }
    }
}

extension RecordTypes: StoreAttachment {
    /// The app's types are the same; their fields are compared with what the other library has, and this opening of it is counted.
    func forAnotherStore() -> any StoreAttachment {
        let other = RecordTypes(
            beside: contents, unusedOrderLimit: unusedOrderLimit, newDevice: LibraryMeta.randomDevice())
        let known = met.withLock { $0.mapValues { Met(type: $0.type, words: $0.words, kinds: $0.kinds) } }
        other.met.withLock { $0 = known }
        return other
    }
}

extension RecordTypes: RecordCodeSource {
    func code(for declaration: OrderDeclaration, ofKind kind: String) -> (any RecordCode)? {
        met.withLock { met in met[kind]?.kinds.first { $0.canMake(declaration) } }
    }
}

extension Version {
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        try (attachment as? RecordTypes)?.check(kind, in: self)
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The kind whose records a tree holds: where a repair has not found its name, as a type that was met calls it.
    func kindName(ofTree tree: TreeNumber) -> String? {
        guard let declaration = declaration(of: tree) else { return nil }
        guard declaration.name == KindTree.nameless(tree) else { return declaration.name }
        return (attachment as? RecordTypes)?.name(ofTree: tree) ?? declaration.name
    }
}
