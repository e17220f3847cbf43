/// The type of a field that names another record: `Reference<Account>`, or an optional one.
public protocol RecordReference: Decodable, SendableMetatype {
    associatedtype Target

    /// What is named; `nil` where nothing is.
    var referenced: ID<Target>? { get }
}

extension ID: RecordReference {
    public var referenced: ID<Record>? { isAssigned ? self : nil }
}

extension Optional: RecordReference where Wrapped: RecordReference {
    public var referenced: ID<Wrapped.Target>? {
        // Not by a key path, which would be made for each row.
        flatMap { $0.referenced }
    }
}
