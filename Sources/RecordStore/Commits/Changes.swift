/// Which records of one kind a commit inserted, updated and deleted. The three sets have no identifier in common.
public struct Changes<Record>: Sendable {
    /// After a load the set is made each time it is asked for, O(n): ask `insertedCount` or `hasInserted` where it may be large.
    public var inserted: Set<ID<Record>> {
        guard !loaded.isEmpty else { return insertedOneByOne }
        var all = insertedOneByOne
        all.reserveCapacity(insertedCount)
        loaded.forEach { all.insert(ID(rawValue: $0)) }
        return all
    }
    private var insertedOneByOne: Set<ID<Record>> = []
    /// By a load. None of the others is among them.
    private var loaded = AscendingIdentifiers()

    public internal(set) var updated: Set<ID<Record>> = []
    public internal(set) var deleted: Set<ID<Record>> = []

    public init() {}

    /// The same for those who know the type.
    package func typed<Other>(as type: Other.Type) -> Changes<Other> {
        var changes = Changes<Other>()
        changes.insertedOneByOne = Set(insertedOneByOne.map { ID(rawValue: $0.rawValue) })
        changes.loaded = loaded
        changes.updated = Set(updated.map { ID(rawValue: $0.rawValue) })
        changes.deleted = Set(deleted.map { ID(rawValue: $0.rawValue) })
        return changes
    }

    public var isEmpty: Bool { count == 0 }

    /// How many records were inserted. O(1).
    public var insertedCount: Int { loaded.count + insertedOneByOne.count }

    /// How many records changed. O(1).
    package var count: Int { insertedCount + updated.count + deleted.count }

    /// Whether a record was inserted. O(log n) after a load, else O(1).
    public func hasInserted(_ id: ID<Record>) -> Bool {
        insertedOneByOne.contains(id) || loaded.contains(id.rawValue)
    }

    /// A load inserted a record: a byte or two where identifiers ascend, as those that a load gives do. Precondition: nothing else was done to it.
    mutating func load(_ id: ID<Record>) {
        if loaded.isBehindAll(id.rawValue), !insertedOneByOne.contains(id) {
            loaded.append(id.rawValue)
        } else {
            insert(id)
        }
    }

    /// What was deleted and comes back was updated: to someone who saw neither, the record is there and differs.
    mutating func insert(_ id: ID<Record>) {
        if deleted.remove(id) != nil {
            updated.insert(id)
        } else if !loaded.contains(id.rawValue) {
            insertedOneByOne.insert(id)
        }
    }

    package mutating func update(_ id: ID<Record>) {
        if !hasInserted(id) { updated.insert(id) }
    }

    /// What was inserted and goes again was never there. O(n) for a record of a load.
    mutating func delete(_ id: ID<Record>) {
        updated.remove(id)
        if loaded.contains(id.rawValue) { (insertedOneByOne, loaded) = (inserted, AscendingIdentifiers()) }
        if insertedOneByOne.remove(id) == nil { deleted.insert(id) }
    }

    /// Adds what a later commit did, as if both had been one.
    mutating func merge(_ later: Changes<Record>) {
        guard !isEmpty else { return self = later }
        for id in later.inserted { insert(id) }
        for id in later.updated { update(id) }
        for id in later.deleted { delete(id) }
    }
}

extension Changes: Hashable {
    public static func == (changes: Changes, other: Changes) -> Bool {
        changes.inserted == other.inserted && changes.updated == other.updated && changes.deleted == other.deleted
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(inserted)
        hasher.combine(updated)
        hasher.combine(deleted)
    }
}
