import Filing
import StorageEngine

/// Records on their way into a library, any number of them, as one commit.
///
/// It exists only inside the closure given to `RecordLibrary.load` and cannot be kept. A record follows those that it links to. Nothing can
/// be changed or deleted: that is what `RecordLibrary.write` is for.
///
/// An error that says the data is invalid leaves the load as it was, so a caller may skip a bad record and go on.
public struct LibraryLoad: ~Copyable {
    package let load: Load
    private var meta: LibraryMeta
    private let storedMeta: LibraryMeta?
    package var changes = LibraryChanges()

    /// What `LibraryContents` adds, beside declared records.
    package var others: (any LoadedContents)?

    /// `nil` until the first record of the app comes.
    private var records: RecordLoad?

    /// - Parameter new: what a library that begins knows about itself.
    init(_ load: Load, new: LibraryMeta) throws(LibraryError) {
        let (stored, meta) = try LibraryMeta.forWriting(load.version, in: load.version.storeNumber, new: new)
        self.load = load
        storedMeta = stored
        self.meta = meta
    }

    /// What other threads still work out goes to collectors that end with the load, also where that throws.
    deinit { others?.wait() }

    /// The library's tailoring.
    package var filing: FilingTailoring { meta.filing }

    package mutating func newIdentifier<Record>() throws(LibraryError) -> ID<Record> { try meta.takeIdentifier() }

    /// Hands over what is left, and what goes with every commit.
    mutating func finish() throws(LibraryError) {
        try others?.finish()
        if let failure = records?.failure { throw failure }
        try load.put(meta, since: storedMeta)
        // A load keeps nothing of what was before.
        if !changes.builtIn.isEmpty || !changes.records.isEmpty { changes.undo = .beyondUndoing(.ordinary) }
        load.note = changes
    }
}

/// What a load adds beside declared records.
package protocol LoadedContents: AnyObject {
    /// Returns when nothing is worked out any more on other threads.
    func wait()

    /// Hands over what is left.
    func finish() throws(LibraryError)
}

extension Load {
    /// Adds what a library says of itself, as far as it differs from what is stored.
    func put(_ meta: LibraryMeta, since stored: LibraryMeta?) throws(LibraryError) {
        try translatingErrors {
            try withCollector { (collector) throws(StorageError) in
                for (name, value) in meta.changes(since: stored) {
                    try collector.put(value, forKey: name, in: LibraryTree.meta)
                }
            }
        }
    }
}

extension LibraryLoad {
    /// Adds a record of the app and gives it its identifier. The library has to keep the orders and keys of the type already; a type that
    /// is named where the load begins has them: `store.load(Account.self, Transfer.self) { … }`.
    ///
    /// Some 7 µs with five orders, sorting and writing included. Until the load ends a record takes a byte or two of memory and each of its
    /// unique keys 40; each record of the library that was linked to takes as much, and one of the load by whose fields others stand in an
    /// order is kept whole.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a type that the library does not keep so; `.duplicate` or `.invalidValue` for a record that
    ///   was inserted before or that cannot be stored; `.notUnique` when another, of the library or of the load, has a unique key of it;
    ///   `.recordNotFound` when it links to one that is in neither. After an error of the disk the load adds nothing.
    @discardableResult
    public mutating func insert<Value: Record>(_ record: Value) throws(LibraryError) -> ID<Value> {
        if records == nil { records = try RecordLoad(load) }
        var next = meta
        let id: ID<Value> = try next.takeIdentifier()
        try records?.insert(record, as: id, beside: changes)
        meta = next
        changes.records[Value.recordName, default: Changes()].load(id.untyped)
        return id
    }
}
