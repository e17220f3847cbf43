import StorageEngine

/// The app's own records of a load: each is found valid, and its entries go to where they are sorted.
struct RecordLoad {
    private let version: Version
    private let collector: EntryCollector
    private let links: [StoredLink]
    /// By the type of the records.
    private var kinds: [ObjectIdentifier: AnyObject] = [:]
    /// Those by whose fields records of other kinds stand in an order.
    private let followedKinds: Set<String>
    /// What the load has of those kinds.
    private var followed: [LinkedRecord: RecordFields?] = [:]
    /// Of the library, found there when a record linked to them.
    private var knownTargets: Set<LinkedRecord> = []
    /// The records of the load that have a unique key.
    private var holders: [KeyDigest: UInt64] = [:]
    /// Of a record half of which went to be sorted: the load ends with it.
    private(set) var failure: LibraryError?

    init(_ load: Load) throws(LibraryError) {
        version = load.version
        links = try version.storedLinks()
        var followedKinds: Set<String> = []
        // One that cannot be read matters to who adds records of its kind.
        for kind in try version.kindsWithOrders() {
            for order in (try? version.storedOrders(of: Array(kind.utf8))) ?? [] {
                followedKinds.formUnion(order.declaration.linked.compactMap(\.linked?.kind))
            }
        }
        self.followedKinds = followedKinds
        collector = load.makeCollector()
    }

    /// - Parameters:
    ///   - id: what the record will have.
    ///   - changes: what the load has so far, which a record may link to.
    /// - Throws: as `LibraryTransaction.insert`; nothing was added then, unless the disk failed, which ends the load.
    mutating func insert<Value: Record>(
        _ record: Value, as id: ID<Value>, beside changes: LibraryChanges
    ) throws(LibraryError) {
        if let failure { throw failure }
        let loaded = try loadedKind(of: Value.self)
        let kind = loaded.kind
        guard !record.id.isAssigned else {
            throw .duplicate(
                "\(kind.name) \(record.id) has an identifier already: insert it with .unassigned as a new one.")
        }
        let bytes = try kind.encode(record)
        try Limits.checkValue(of: bytes.count, "A \(kind.name)")
        try kind.check(loaded.links, of: bytes, replacing: nil) { (target, id) throws(LibraryError) in
            let linked = LinkedRecord(target: target, id: id)
            if knownTargets.contains(linked) || changes.hasInserted(target, id) { return true }
            guard try version.has(target, id) else { return false }
            knownTargets.insert(linked)
            return true
        }
        let entries = try kind.entries(
            of: bytes, in: loaded.orders, id: id, isNew: true, considering: followed, version)
        let digests = try loaded.uniqueKeys(of: bytes, id, entries, besides: holders, in: version)
        do throws(StorageError) {
            try collector.put(bytes, forKey: .bigEndian(id.rawValue), in: kind.tree)
            for entry in entries {
                let order = loaded.orders[entry.order]
                guard order.isWritten(id.rawValue) else { continue }
                try collector.put(
                    entry.value, forKey: entry.key, facets: FacetSet(rawValue: entry.facets), in: order.tree)
            }
        } catch {
            failure = LibraryError(error)
            throw LibraryError(error)
        }
        for digest in digests { holders[digest] = id.rawValue }
        if followedKinds.contains(kind.name) {
            followed[LinkedRecord(target: .records(kind.name), id: id.rawValue)] = try? RecordFields(bytes)
        }
    }

    private mutating func loadedKind<Value: Record>(of type: Value.Type) throws(LibraryError) -> LoadedKind<Value> {
        if let known = kinds[ObjectIdentifier(type)] as? LoadedKind<Value> { return known }
        let kind = RecordKind<Value>.current
        try kind.check()
        try version.check(kind)
        let loaded = try LoadedKind(kind, links.filter { $0.kind == kind.name }, in: version)
        kinds[ObjectIdentifier(type)] = loaded
        return loaded
    }
}

extension LibraryChanges {
    fileprivate func hasInserted(_ target: LinkTarget, _ id: UInt64) -> Bool {
        switch target {
        case .unknown: false
        case .builtIn(let kind): builtIn[kind]?.hasInserted(ID(rawValue: id)) ?? false
        case .records(let kind): records[kind]?.hasInserted(ID(rawValue: id)) ?? false
        }
    }
}
