import Filing
import StorageEngine

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
/// A record in which one of the fields is absent has no such key. Values are what an index takes, and are compared whole and byte by byte, whatever
/// their length; texts that are `folded` are the same where a search takes them for the same: letters in capitals, accents and
/// punctuation do not count.
///
/// It is an order of its own, which is stored with the records: what writes them without knowing the type, such as an older version of the app
/// or an import of lines, is bound by it, too. But a key of a type with `upgrades`, like one of a computed property, is made by the app's code: it binds those
/// who have that code, so versions of the app with the same upgrades, and an import once the type was used or named in its call. Who has not, writes what would
/// be refused, and sets the key aside; it is made again by who has, and `Records.conflicts()` lists what came in meanwhile. Where it comes to a type that has many records it is made in the background, and holds
/// from the first write on; until it is whole each transaction reads the records that are not in it yet. Records that share
/// a key by then stay, and `Records.conflicts()` lists them; from there on a write that would give a record a key of another is refused.
///
/// The library has the first 300 bytes of a text in such a key, 237 of each text of two fields, 157 of three and 117 of four. Texts that agree as far as that are
/// told apart by reading their records: a write then copies the keys and reads the records of all that begin so, so that to insert n of them costs O(n²). Where
/// long texts begin alike, as URLs may, make the key of a computed property instead, such as of a hash, or of the part in which they differ.
///
/// A key of a computed property needs a name and a version, as an index does: see `RecordIndex`.
public struct UniqueKey<Value: Record>: Sendable {
    private let chosenName: String?
    private let isFolded: Bool
    private let version: Int
    private let fields: [Field]

    private struct Field: Sendable {
        let path: PartialKeyPath<Value> & Sendable
        let name: String
        let kind: (kind: FieldKind, isOptional: Bool)?
        let type: ValueType
        let value: @Sendable (Value) throws(LibraryError) -> OrderedValue
    }

    /// - Parameters:
    ///   - isFolded: whether texts are compared as searches see them.
    ///   - name: needed where a property is computed, and not stored.
    ///   - version: of what such a property computes.
    public init<each Component: Encodable & SendableMetatype>(
        _ field: repeat (KeyPath<Value, each Component> & Sendable), folded isFolded: Bool = false, name: String? = nil,
        version: Int = 1
    ) {
        var fields: [Field] = []
        for field in repeat each field { fields.append(Self.field(field, isFolded)) }
        self.fields = fields
        self.isFolded = isFolded
        self.version = version
        chosenName = name
    }

    private static func field<Component: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Component> & Sendable, _ isFolded: Bool
    ) -> Field {
        Field(
            path: path, name: path.propertyName ?? "", kind: FieldKind.of(Component.self),
            type: ValueType(Component.self)
        ) { (record) throws(LibraryError) in try orderedValue(record[keyPath: path], folded: isFolded) }
    }

    /// What a key holds for the value of a field. All that is stored as a text is folded: also a `URL`, and a case with a name.
    static func orderedValue<Component: Encodable>(
        _ value: Component, folded isFolded: Bool
    ) throws(LibraryError) -> OrderedValue {
        guard isFolded, FieldKind.of(Component.self)?.kind == .text,
            let text = TaggedValue.of(value).flatMap({ try? $0.bytes })
        else { return try OrderedValue(value) }
        return OrderedValue(scalar: FoldedText.key(of: text))
    }

    /// The field of a key that has one, and whether it is folded.
    var onlyField: (path: PartialKeyPath<Value>, isFolded: Bool)? {
        guard fields.count == 1, let field = fields.first else { return nil }
        return (path: field.path, isFolded: isFolded)
    }

    var hasFields: Bool { !fields.isEmpty }

    /// The names of the fields, as errors and `conflicts` say them.
    var fieldNames: [String] { chosenName.map { [$0] } ?? fields.map(\.name) }

    /// What its order is called.
    var orderName: String { "unique " + fieldNames.joined(separator: ", ") }

    var valueTypes: [ValueType] { fields.map(\.type) }

    /// Its fields; `nil` where one is computed and has no name.
    var indexedFields: [IndexedField<Value>]? {
        var indexed: [IndexedField<Value>] = []
        for (place, field) in fields.enumerated() {
            guard let name = chosenName.map({ fields.count > 1 ? "\($0).\(place + 1)" : $0 }) ?? field.path.propertyName
            else { return nil }
            indexed.append(
                IndexedField(
                    path: field.path, name: name, version: version, kind: field.kind, isFolded: isFolded,
                    value: field.value))
        }
        return indexed
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

extension Record {
    /// The names of the fields of a unique key, as the type itself declares it; `nil` for one of another version of the app.
    static func fieldNames(of order: StoredOrder) -> [String]? {
        RecordKind<Self>.current.uniqueKeys.first { order.isDeclared(as: $0.order) }?.key.fieldNames
    }
}

extension StoredOrder {
    /// What a record is refused with whose unique key another has.
    ///
    /// - Parameter type: that of the record, where it is known.
    func notUnique(
        _ kind: String, heldBy holder: UInt64, declaredBy type: (any Record.Type)?,
        in trees: borrowing some TreeReadable & ~Copyable
    ) -> LibraryError {
        let declared = type.flatMap { $0.fieldNames(of: self) }
        return .notUnique(
            kind: kind, fields: declared ?? fieldNames(of: kind, in: trees), identifier: holder,
            isDeclaredElsewhere: type != nil && declared == nil)
    }
}

/// Records that share a key which at most one of them should have. See `Records.conflicts()`.
public struct UniqueConflict<Value: Record>: Equatable, Sendable {
    /// The names of the key's fields.
    public let fields: [String]

    /// Ascending; two at least.
    public let identifiers: [RecordStore.ID<Value>]
}
