import Filing
import StorageEngine

/// Changes to a library that become visible, and durable, together or not at all.
///
/// It exists only inside the closure given to `BookStore.write` and cannot be kept. Reads see the changes made so far.
/// Rows of lists, orders, counts and indexes are part of the same commit; there is nothing to refresh afterwards.
///
/// An error that says the data is invalid leaves the transaction as it was, so a caller may skip a bad record and go
/// on. After any other error the transaction cannot be completed: the commit is refused with that error.
public struct LibraryTransaction: ~Copyable {
    var trees: StorageEngine.Transaction
    var changes = LibraryChanges()
    private(set) var failure: BookError?

    /// Authors met so far, since most works of a batch have one that another work has.
    private var knownAuthors: [ID<Author>: Author] = [:]

    /// By kind: those met so far, which are up to date.
    var knownOrders: [String: [StoredOrder]] = [:] {
        didSet { latest = nil }
    }

    /// The type whose orders were last seen to be up to date, and those: as a rule the next write is of it, too.
    var latest: (type: ObjectIdentifier, orders: [StoredOrder])?

    /// Whether there are orders that are not whole, of the kinds that were written.
    var leavesOrders: Bool { knownOrders.values.contains { $0.contains { $0.builtTo != nil } } }

    /// The links of all kinds, once they were asked for and until one changes.
    var knownLinks: [StoredLink]?

    /// The types met so far whose links are those that the library has.
    var linkedTypes: Set<ObjectIdentifier> = []

    /// The type whose indexes were last seen to be up to date. Another of the same name may have others.
    var indexedType: ObjectIdentifier?

    private var meta: LibraryMeta
    private var storedMeta: LibraryMeta?

    /// Takes over the engine's transaction until `finish` gives it back.
    init(_ trees: consuming StorageEngine.Transaction, meta: LibraryMeta, storedMeta: LibraryMeta?) {
        self.trees = trees
        self.meta = meta
        self.storedMeta = storedMeta
    }

    /// Writes what goes with every commit.
    mutating func complete() throws(BookError) {
        if let failure { throw failure }
        try putMeta()
        trees.note = changes
    }

    /// Writes what changed of what the library knows of itself.
    mutating func putMeta() throws(BookError) {
        for (name, value) in meta.changes(since: storedMeta) {
            try put(value, forKey: name, in: LibraryTree.meta)
        }
        storedMeta = meta
    }

    consuming func engineTransaction() -> StorageEngine.Transaction { trees }

    var filingRulesAreCurrent: Bool { meta.isFiledAsNow }

    /// The library's tailoring, by which keys are made in this transaction.
    var filing: FilingTailoring { meta.filing }

    mutating func noteFilingRulesAreCurrent() { meta.noteFiledAsNow() }

    /// The identifier that the next new record gets.
    func nextIdentifier<Record>() throws(BookError) -> ID<Record> {
        var meta = meta
        return try meta.takeIdentifier()
    }

    mutating func newIdentifier<Record>() throws(BookError) -> ID<Record> { try meta.takeIdentifier() }

    /// Runs a change whose data was found valid. From here on an error means the trees may be half changed.
    mutating func apply<Value>(
        _ change: (inout LibraryTransaction) throws(BookError) -> Value
    ) throws(BookError) -> Value {
        if let failure { throw failure }
        do {
            return try change(&self)
        } catch {
            failure = error
            throw error
        }
    }

    /// An author, from memory when met before.
    mutating func known(_ id: ID<Author>) throws(BookError) -> Author? {
        if let author = knownAuthors[id] { return author }
        let author = try trees.author(id)
        knownAuthors[id] = author
        return author
    }

    mutating func remember(_ author: Author) { knownAuthors[author.id] = author }

    mutating func forget(_ author: ID<Author>) { knownAuthors[author] = nil }
}

// MARK: - Reading

extension LibraryTransaction {
    public func work(_ id: ID<Work>) throws(BookError) -> Work? { try trees.work(id) }

    public func author(_ id: ID<Author>) throws(BookError) -> Author? { try trees.author(id) }

    public func edition(_ id: ID<Edition>) throws(BookError) -> Edition? { try trees.edition(id) }

    public func entry(of work: ID<Work>) throws(BookError) -> UserLibraryEntry? { try trees.entry(of: work) }

    /// In the order they were added.
    public func editions(of work: ID<Work>) throws(BookError) -> [Edition] { try trees.editions(of: work) }

    /// Every edition with the number, and its work: publishers reuse ISBNs and boxed sets share one.
    public func works(withISBN isbn: ISBN) throws(BookError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        try trees.works(withISBN: isbn)
    }

    /// Every edition another catalogue knows by the identifier, and its work: one, as a rule.
    public func works(
        withSource identifier: SourceIdentifier
    ) throws(BookError) -> [(work: ID<Work>, edition: ID<Edition>)] {
        try trees.works(withSource: identifier)
    }

    /// Works that are likely the one described: same title, and one author in common.
    public func works(matching match: MatchKey) throws(BookError) -> [ID<Work>] { try trees.works(matching: match) }

    /// The author of this name; case, marks and punctuation do not count unless two names differ only in them.
    public func author(named name: String) throws(BookError) -> ID<Author>? { try trees.author(named: name) }

    public func works(by author: ID<Author>) throws(BookError) -> [ID<Work>] { try trees.works(by: author) }
}

// MARK: - Trees

extension LibraryTransaction {
    mutating func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(BookError) {
        try translatingErrors { try trees.put(value, forKey: key, facets: facets, in: tree) }
    }

    /// See `Transaction.putLater`.
    mutating func putLater(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(BookError) {
        try translatingErrors { try trees.putLater(value, forKey: key, facets: facets, in: tree) }
    }

    mutating func putLater(_ value: [UInt8], forKey key: UInt64, in tree: TreeNumber) throws(BookError) {
        try translatingErrors { try trees.putLater(value, forKey: key, in: tree) }
    }

    mutating func put(_ value: [UInt8], forKey key: UInt64, in tree: TreeNumber) throws(BookError) {
        try translatingErrors { try trees.put(value, forKey: key, in: tree) }
    }

    mutating func remove(_ key: [UInt8], in tree: TreeNumber) throws(BookError) {
        try translatingErrors { try trees.remove(key, in: tree) }
    }

    mutating func remove(_ key: UInt64, in tree: TreeNumber) throws(BookError) {
        try translatingErrors { try trees.remove(key, in: tree) }
    }

    /// Brings an index from the keys it has for a record to those it is to have.
    ///
    mutating func replaceKeys(_ old: [[UInt8]], with new: [[UInt8]], in tree: TreeNumber) throws(BookError) {
        let (known, wanted) = (KeySet(old), KeySet(new))
        for key in old where !wanted.contains(key) { try remove(key, in: tree) }
        for key in new where !known.contains(key) { try put([], forKey: key, in: tree) }
    }

    mutating func replaceText(
        _ kind: TextKind, of work: ID<Work>, from old: String?, to new: String?
    ) throws(BookError) {
        guard !old.hasSameBytes(as: new) else { return }
        let key = LibraryKey.text(work, kind)
        if let new {
            try put(Array(new.utf8), forKey: key, in: LibraryTree.texts)
        } else {
            try remove(key, in: LibraryTree.texts)
        }
    }

    /// Moves a work from its old place in the lists to its new one, and writes only what differs.
    mutating func replaceListing(_ old: ListedWork?, with new: ListedWork?) throws(BookError) {
        let (oldStands, newStands) = (old?.place.stands ?? [], new?.place.stands ?? [])
        let (known, wanted) = (WorkStands(oldStands), WorkStands(newStands))
        for stand in oldStands where wanted.stand(like: stand) == nil {
            try remove(stand.key, in: stand.index.tree)
        }
        guard let new else { return }
        let facetsDiffer = old?.row.facets != new.row.facets
        for stand in newStands {
            let isWritten = !facetsDiffer && known.stand(like: stand) == stand
            if isWritten, stand.index != .order(.title) || old?.row == new.row { continue }
            try put(new.value(of: stand), forKey: stand.key, facets: new.row.facets, in: stand.index.tree)
        }
    }
}
