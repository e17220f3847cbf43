/// An index of an app's records by one field: `Index(\.due)`.
///
/// Values that can be indexed are numbers, texts, flags, dates, days, identifiers, UUIDs, URLs, bytes, enumerations with raw
/// values of those, and optionals of them; absent values come last. Texts order by their UTF-8 bytes. Other values are refused when a
/// record is written.
///
/// An index has the name of its property, or the one it is given. A property that is computed, and not stored, needs a
/// name when the type has several such. When the indexes of a type, their names or the type's version change, its
/// indexes are made anew at the next write of such a record; until then a query reads all of them.
public struct RecordIndex<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let orderedValue: @Sendable (Value) throws(LibraryError) -> OrderedValue

    private let chosenName: String?
    private let fieldType: String

    public init<Field: Encodable & SendableMetatype>(_ path: KeyPath<Value, Field> & Sendable, name: String? = nil) {
        self.path = path
        chosenName = name
        fieldType = String(describing: Field.self)
        orderedValue = { (value) throws(LibraryError) in try OrderedValue(value[keyPath: path]) }
    }

    /// The given name, that of the property, or its place among the indexes where a program holds no names.
    func name(at position: Int) -> String {
        if let chosenName { return chosenName }
        return path.propertyName ?? "\(position + 1)"
    }

    /// What decides, beside the name, whether stored keys are those of this index. A property is at one place within a
    /// program that does not change, so a wrong guess costs an index made anew, and no wrong answer.
    func stamp(at position: Int) -> String {
        "\(name(at: position)):\(fieldType)"
    }
}

extension AnyKeyPath {
    /// The name of the stored property it leads to; `nil` where the program holds none.
    var propertyName: String? {
        let property = debugDescription.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        return property.isEmpty || property.contains("<") ? nil : property
    }
}
