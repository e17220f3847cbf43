extension Commit {
    /// Which records of a type of the app's own the commit changed. O(changes).
    public func records<Value: Record>(_ type: Value.Type) -> Changes<Value> {
        (allChanges.records[type.recordName] ?? Changes()).typed(as: type)
    }
}
