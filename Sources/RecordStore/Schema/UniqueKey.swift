import Filing

/// Fields that at most one record of a type has together: `Unique(\.name)`, or `Unique(\.bank, \.number)`.
///
/// ```swift
/// struct Account: Record {
///     var id: ID<Account> = .unassigned
///     var name = ""
///     var balance = 0
///     enum CodingKeys: Int, CodingKey { case id = 0, name = 1, balance = 2 }
///     static let uniqueKeys = [Unique(\.name, folded: true)]
/// }
/// ```
///
/// A record in which one of the fields is absent has no such key. Values are what an index takes, and are compared whole, whatever
/// their length; texts that are `folded` are the same where a search takes them for the same: letters in capitals, accents and
/// punctuation do not count.
///
/// It is kept as an index is: added to a type that has records, it is made at the next write of such a record. Records that share
/// a key by then stay, and `Records.conflicts()` lists them; from there on a write that would give a record a key of another is refused.
public struct UniqueKey<Value: Record>: Sendable {
    private let chosenName: String?
    private let isFolded: Bool
    private let fields: [Field]

    private struct Field: Sendable {
        let path: PartialKeyPath<Value> & Sendable
        let name: String
        let type: String
        let value: @Sendable (Value) throws(LibraryError) -> OrderedValue
    }

    /// - Parameters:
    ///   - isFolded: whether texts are compared as searches see them.
    ///   - name: needed where a property is computed, and not stored.
    public init<each Component: Encodable & SendableMetatype>(
        _ field: repeat (KeyPath<Value, each Component> & Sendable), folded isFolded: Bool = false, name: String? = nil
    ) {
        var fields: [Field] = []
        for field in repeat each field { fields.append(Self.field(field, isFolded)) }
        self.fields = fields
        self.isFolded = isFolded
        chosenName = name
    }

    private static func field<Component: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Component> & Sendable, _ isFolded: Bool
    ) -> Field {
        Field(path: path, name: path.propertyName ?? "", type: String(describing: Component.self)) {
            (record) throws(LibraryError) in try orderedValue(record[keyPath: path], folded: isFolded)
        }
    }

    /// What a key holds for the value of a field.
    static func orderedValue(_ value: some Encodable, folded isFolded: Bool) throws(LibraryError) -> OrderedValue {
        guard isFolded, let text = value as? String else { return try OrderedValue(value) }
        return OrderedValue(scalar: FoldedText.key(of: Array(text.utf8)))
    }

    /// The field of a key that has one, and whether it is folded.
    var onlyField: (path: PartialKeyPath<Value>, isFolded: Bool)? {
        guard fields.count == 1, let field = fields.first else { return nil }
        return (path: field.path, isFolded: isFolded)
    }

    var paths: [PartialKeyPath<Value>] { fields.map(\.path) }

    var hasFields: Bool { !fields.isEmpty }

    /// The names of the fields, as errors and `conflicts` say them.
    var fieldNames: [String] { chosenName.map { [$0] } ?? fields.map(\.name) }

    /// What the index of it is called. No index has such a name.
    func name(at position: Int) -> String {
        let names = fieldNames
        return "=" + (names.contains("") ? "\(position + 1)" : names.joined(separator: "+"))
    }

    func stamp(at position: Int) -> String {
        let types = fields.map(\.type).joined(separator: "+")
        return "\(name(at: position)):\(types)" + (isFolded ? ":folded-\(TitleKey.ruleVersion)" : "")
    }

    /// The key of a record; `nil` for one that has none.
    func value(_ record: Value) throws(LibraryError) -> OrderedValue? {
        var values: [OrderedValue] = []
        for field in fields {
            let value = try field.value(record)
            guard value != .nothing else { return nil }
            values.append(value)
        }
        return OrderedValue(joining: values)
    }
}

/// Records that share a key which at most one of them should have. See `Records.conflicts()`.
public struct UniqueConflict<Value: Record>: Equatable, Sendable {
    /// The names of the key's fields.
    public let fields: [String]

    /// Ascending; two at least.
    public let identifiers: [RecordStore.ID<Value>]
}
