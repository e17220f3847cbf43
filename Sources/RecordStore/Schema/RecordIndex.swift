/// An index of an app's records by one field: `Index(\.due)`.
///
/// It is an order of its own, by that field alone, kept up with the others: see `RecordOrder`. It has the name of its property, or the one it is
/// given, and lists go by that name as by any order's; it counts no facets.
///
/// Values that can be indexed are numbers, texts, flags, dates, days, identifiers, UUIDs, URLs, bytes, enumerations with raw
/// values of those, and optionals of them; absent values come last. Texts order by their UTF-8 bytes, and those with the same first 300 bytes by
/// identifier. Other values are refused when a record is written.
///
/// A property that is computed, and not stored, needs a name and a version: `Index(\.initials, name: "initials", version: 2)`. Raise the version
/// when the property comes to compute something else. A version of the app that does not have the property, or computes it
/// in another version, sets such an index aside when it writes records of the kind; it is made again when an app that has it writes.
///
/// An index that comes to a kind of many records is made in the background; until it is whole a query reads all records.
public struct RecordIndex<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let orderedValue: @Sendable (Value) throws(LibraryError) -> OrderedValue
    let kind: (kind: FieldKind, isOptional: Bool)?
    let valueType: ValueType
    let version: Int

    private let chosenName: String?

    public init<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, name: String? = nil, version: Int = 1
    ) {
        self.path = path
        self.version = version
        chosenName = name
        kind = FieldKind.of(Field.self)
        valueType = ValueType(Field.self)
        orderedValue = { (value) throws(LibraryError) in try OrderedValue(value[keyPath: path]) }
    }

    /// The given name, or that of the property; `nil` where a program holds none.
    var name: String? { chosenName ?? path.propertyName }
}

extension AnyKeyPath {
    /// The name of the stored property it leads to; `nil` where the program holds none.
    var propertyName: String? {
        let property = debugDescription.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        return property.isEmpty || property.contains("<") ? nil : property
    }
}
