extension Commit {
    /// Which records of a type of the app's own the commit changed.
    public func records<Value: Record>(_ type: Value.Type) -> Changes<Value> {
        let changes = allChanges.records[type.recordName] ?? Changes()
        return Changes(
            inserted: Set(changes.inserted.map { ID(rawValue: $0.rawValue) }),
            updated: Set(changes.updated.map { ID(rawValue: $0.rawValue) }),
            deleted: Set(changes.deleted.map { ID(rawValue: $0.rawValue) }))
    }
}
