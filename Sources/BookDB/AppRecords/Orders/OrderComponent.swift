/// A field by which an order is sorted: `.ascending(\.date)`, `.descending(\.date)`, `.folded(\.name)`.
public struct OrderComponent<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let valueType: ValueType
    let kind: (kind: FieldKind, isOptional: Bool)?
    let isDescending: Bool
    let isAbsentFirst: Bool
    let isFolded: Bool

    private init<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, descending: Bool = false, absentFirst: Bool = false,
        folded: Bool = false
    ) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: Field.self)
        valueType = ValueType(Field.self)
        kind = FieldKind.of(Field.self)
        isDescending = descending
        isAbsentFirst = absentFirst
        isFolded = folded
    }

    /// Smallest, earliest or first in the alphabet of bytes first. Absent values come last unless they are to come first.
    public static func ascending<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, absentFirst: absentFirst)
    }

    /// Greatest or latest first. Absent values come last here, too.
    public static func descending<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, descending: true, absentFirst: absentFirst)
    }

    /// Texts as searches see them: capitals, accents and punctuation do not count.
    public static func folded(
        _ path: KeyPath<Value, String> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, descending: descending, folded: true)
    }

    public static func folded(
        _ path: KeyPath<Value, String?> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, descending: descending, absentFirst: absentFirst, folded: true)
    }
}
