import Filing
import StorageEngine

/// Changes to a library that become visible, and durable, together or not at all.
///
/// It exists only inside the closure given to `RecordLibrary.write` and cannot be kept. Reads see the changes made so far.
/// Rows of lists, orders, counts and indexes are part of the same commit; there is nothing to refresh afterwards.
///
/// An error that says the data is invalid leaves the transaction as it was, so a caller may skip a bad record and go
/// on. After any other error the transaction cannot be completed: the commit is refused with that error.
public struct LibraryTransaction: ~Copyable {
    package var trees: StorageEngine.Transaction
    package var changes = LibraryChanges()
    private(set) var failure: LibraryError?

    /// What `LibraryContents` keeps for the time of the transaction.
    package var memory: AnyObject?

    /// By kind: those met so far, which are up to date.
    var knownOrders: [String: [StoredOrder]] = [:] {
        didSet { latest = nil }
    }

    /// The type whose orders were last seen to be up to date, and those: as a rule the next write is of it, too.
    var latest: (type: ObjectIdentifier, orders: [StoredOrder])?

    /// By kind: the types for which this opening was counted where orders are that they do not declare.
    var countedTypes: [String: Set<ObjectIdentifier>] = [:]

    /// Whether there are orders that are not whole, of the kinds that were written.
    var leavesOrders: Bool { knownOrders.values.contains { $0.contains { $0.builtTo != nil } } }

    /// The links of all kinds, once they were asked for and until one changes.
    var knownLinks: [StoredLink]?

    /// The types met so far whose links are those that the library has.
    var linkedTypes: Set<ObjectIdentifier> = []

    /// The types met so far whose fields are among those that the library names.
    var describedTypes: Set<ObjectIdentifier> = []

    /// The kind of which a line was last taken in, and its fields.
    var latestFields: (kind: String, fields: KindFields)?

    /// What unique keys are compared with, beside the orders that hold them.
    var unlistedKeys = UnlistedKeys()

    /// Whether it may be given up, to be run again when something is made that it needs.
    var mayRunAgain = false

    /// What it was given up for.
    private(set) var neededKeys: UniqueKeysNeeded?

    /// What its records were before; `nil` where nothing is kept to undo it by.
    var before: RecordsBefore?

    /// What the commit takes back.
    var undoRole = UndoRole.ordinary

    /// What the commit is called, for people: `Delete “The Hobbit”`. `RecordLibrary.undoable` shows it, and `bookdb log`. Of more than 1,024 bytes the first are kept.
    public var commitName: String?

    /// The types that the open library has met.
    var types: RecordTypes? { trees.attachment as? RecordTypes }

    private var meta: LibraryMeta
    private var storedMeta: LibraryMeta?
    /// Whether its tree says what `meta` does: not where somebody wrote there by name.
    private var metaIsKnown = true

    /// Takes over the engine's transaction until `finish` gives it back.
    init(_ trees: consuming StorageEngine.Transaction, meta: LibraryMeta, storedMeta: LibraryMeta?) {
        self.trees = trees
        self.meta = meta
        self.storedMeta = storedMeta
    }

    /// Writes what goes with every commit.
    mutating func complete() throws(LibraryError) {
        if let failure { throw failure }
        try putMeta()
        try noteForUndo()
        trees.note = changes
        trees.memo = metaIsKnown ? meta : nil
        types?.noteCounted(countedTypes)
    }

    /// Writes what changed of what the library knows of itself.
    mutating func putMeta() throws(LibraryError) {
        for (name, value) in meta.changes(since: storedMeta) {
            try putLater(value, forKey: name, in: LibraryTree.meta)
        }
        storedMeta = meta
    }

    consuming func engineTransaction() -> StorageEngine.Transaction { trees }

    /// The library's tailoring, by which keys are made in this transaction.
    package var filing: FilingTailoring { meta.filing }

    /// Whether sample data may be put into the library: nobody ever put a record into it.
    var mayBeSeeded: Bool {
        get throws(LibraryError) {
            guard !meta.isSeeded, !meta.hasHadRecords else { return false }
            return try !trees.hasRecords
        }
    }

    mutating func noteSeeded() { meta.isSeeded = true }

    func isDerived(by rules: UInt64) -> Bool { meta.isDerived(by: rules) }

    mutating func noteDerived(by rules: UInt64) { meta.noteDerived(by: rules) }

    /// The identifier that the next new record gets.
    func nextIdentifier<Record>() throws(LibraryError) -> ID<Record> {
        var meta = meta
        return try meta.takeIdentifier()
    }

    /// - Throws: `LibraryError.invalidValue` for an identifier from outside that would leave the library few of its own.
    package func checkGiven<Record>(_ id: ID<Record>) throws(LibraryError) {
        guard !meta.mayBeGiven(id.device, id.counter) else { return }
        throw .invalidValue(
            "The identifier \(id) is one of this library's own, and so far ahead that few would be left behind it.")
    }

    /// Sees to it that an identifier which came from outside is not given again.
    package mutating func noteGiven<Record>(_ id: ID<Record>) { meta.noteGiven(id.device, id.counter) }

    /// One that came from outside, or a new one.
    package mutating func identifier<Record>(_ given: ID<Record>?) throws(LibraryError) -> ID<Record> {
        guard let given else { return try newIdentifier() }
        noteGiven(given)
        return given
    }

    package mutating func newIdentifier<Record>() throws(LibraryError) -> ID<Record> { try meta.takeIdentifier() }

    /// Runs a change whose data was found valid. From here on an error means the trees may be half changed.
    package mutating func apply<Value>(
        _ change: (inout LibraryTransaction) throws(LibraryError) -> Value
    ) throws(LibraryError) -> Value {
        if let failure { throw failure }
        do {
            return try change(&self)
        } catch {
            failure = error
            throw error
        }
    }
}

// MARK: - Once more

/// A transaction was given up for unique keys that are not whole: in their place it would look through very many records, with every other writer
/// waiting.
struct UniqueKeysNeeded: Error {
    let kind: String
    /// The one that declares them; `nil` where they are declared in the library.
    let type: (any Record.Type)?
}

/// A transaction was given up before it began: what is derived has to be made anew first, by a load.
struct DerivedAnewNeeded: Error {}

extension LibraryTransaction {
    /// Gives the transaction up, to be run again when these are whole. Nothing else can be done in it then.
    mutating func wait(for keys: UniqueKeysNeeded) -> LibraryError {
        neededKeys = keys
        failure = .cancelled
        return .cancelled
    }
}

// MARK: - Trees

extension LibraryTransaction {
    package mutating func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(LibraryError) {
        if before != nil { try keepBefore(key, in: tree) }
        if tree == LibraryTree.meta { metaIsKnown = false }
        try translatingErrors { try trees.put(value, forKey: key, facets: facets, in: tree) }
    }

    /// See `Transaction.putLater`. In a tree of records it is for new ones only.
    package mutating func putLater(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(LibraryError) {
        if before != nil { keepNew(key, in: tree) }
        try translatingErrors { try trees.putLater(value, forKey: key, facets: facets, in: tree) }
    }

    package mutating func putLater(_ value: [UInt8], forKey key: UInt64, in tree: TreeNumber) throws(LibraryError) {
        if before != nil { keepNew(.bigEndian(key), in: tree) }
        try translatingErrors { try trees.putLater(value, forKey: key, in: tree) }
    }

    /// See `Transaction.removeLater`. Not in a tree of records: nothing is kept to undo it by.
    package mutating func removeLater(_ key: [UInt8], in tree: TreeNumber) throws(LibraryError) {
        try translatingErrors { try trees.removeLater(key, in: tree) }
    }

    package mutating func put(_ value: [UInt8], forKey key: UInt64, in tree: TreeNumber) throws(LibraryError) {
        if before != nil { try keepBefore(.bigEndian(key), in: tree) }
        try translatingErrors { try trees.put(value, forKey: key, in: tree) }
    }

    package mutating func remove(_ key: [UInt8], in tree: TreeNumber) throws(LibraryError) {
        if before != nil { try keepBefore(key, in: tree) }
        try translatingErrors { try trees.remove(key, in: tree) }
    }

    package mutating func remove(_ key: UInt64, in tree: TreeNumber) throws(LibraryError) {
        if before != nil { try keepBefore(.bigEndian(key), in: tree) }
        try translatingErrors { try trees.remove(key, in: tree) }
    }

    /// Brings an index from the keys it has for a record to those it is to have.
    package mutating func replaceKeys(_ old: [[UInt8]], with new: [[UInt8]], in tree: TreeNumber) throws(LibraryError) {
        guard !old.isEmpty else {
            for key in new { try putLater([], forKey: key, in: tree) }
            return
        }
        let (known, wanted) = (KeySet(old), KeySet(new))
        for key in old where !wanted.contains(key) { try removeLater(key, in: tree) }
        for key in new where !known.contains(key) { try putLater([], forKey: key, in: tree) }
    }

    package mutating func removeAll(in tree: TreeNumber) throws(LibraryError) {
        if before?.holdsRecords(tree) == true { before?.giveUp() }
        try translatingErrors { try trees.removeAll(in: tree) }
    }
}
