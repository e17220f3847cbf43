/// Which records of one kind a commit inserted, updated and deleted. The three sets have no identifier in common.
public struct Changes<Record>: Hashable, Sendable {
    public internal(set) var inserted: Set<ID<Record>> = []
    public internal(set) var updated: Set<ID<Record>> = []
    public internal(set) var deleted: Set<ID<Record>> = []

    public init() {}

    init(inserted: Set<ID<Record>>, updated: Set<ID<Record>>, deleted: Set<ID<Record>>) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// The same for those who know the type.
    package func typed<Other>(as type: Other.Type) -> Changes<Other> {
        Changes<Other>(
            inserted: Set(inserted.map { ID(rawValue: $0.rawValue) }),
            updated: Set(updated.map { ID(rawValue: $0.rawValue) }),
            deleted: Set(deleted.map { ID(rawValue: $0.rawValue) }))
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// What was deleted and comes back was updated: to someone who saw neither, the record is there and differs.
    mutating func insert(_ id: ID<Record>) {
        if deleted.remove(id) != nil {
            updated.insert(id)
        } else {
            inserted.insert(id)
        }
    }

    package mutating func update(_ id: ID<Record>) {
        if !inserted.contains(id) { updated.insert(id) }
    }

    /// What was inserted and goes again was never there.
    mutating func delete(_ id: ID<Record>) {
        updated.remove(id)
        if inserted.remove(id) == nil { deleted.insert(id) }
    }

    /// Adds what a later commit did, as if both had been one.
    mutating func merge(_ later: Changes<Record>) {
        for id in later.inserted { insert(id) }
        for id in later.updated { update(id) }
        for id in later.deleted { delete(id) }
    }
}
