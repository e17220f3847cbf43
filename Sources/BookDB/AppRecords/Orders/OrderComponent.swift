/// A field by which an order is sorted: `.ascending(\.date)`, `.descending(\.date)`, `.folded(\.name)`, `.present(\.due)`,
/// `.each(\.tags)`.
public struct OrderComponent<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let valueType: ValueType
    let kind: (kind: FieldKind, isOptional: Bool)?
    let isDescending: Bool
    let isAbsentFirst: Bool
    let isFolded: Bool
    let occurrence: OrderDeclaration.Occurrence
    /// Of the elements of the field, where it is by one of their fields.
    let part: PartField?

    /// - Parameter type: of the field, of an element of it, or of the field of an element.
    private init(
        _ path: PartialKeyPath<Value> & Sendable, _ type: Any.Type, descending: Bool = false, absentFirst: Bool = false,
        folded: Bool = false, _ occurrence: OrderDeclaration.Occurrence = .always, part: PartField? = nil
    ) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: type)
        valueType = ValueType(type)
        kind = FieldKind.of(type)
        isDescending = descending
        isAbsentFirst = absentFirst
        isFolded = folded
        self.occurrence = occurrence
        self.part = part
    }

    /// Smallest, earliest or first in the alphabet of bytes first. Absent values come last unless they are to come first.
    public static func ascending<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Field.self, absentFirst: absentFirst)
    }

    /// Greatest or latest first. Absent values come last here, too.
    public static func descending<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Field.self, descending: true, absentFirst: absentFirst)
    }

    /// Texts as searches see them: capitals, accents and punctuation do not count.
    public static func folded(
        _ path: KeyPath<Value, String> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String.self, descending: descending, folded: true)
    }

    public static func folded(
        _ path: KeyPath<Value, String?> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String?.self, descending: descending, absentFirst: absentFirst, folded: true)
    }

    /// Leaves records without the value out of the order.
    public static func present<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field?> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Field?.self, descending: descending, .present)
    }

    /// A place for each element of a list: a record stands at all of its tags, at equal ones once, and without any it is not in the
    /// order.
    public static func each<Element: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, [Element]> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Element.self, descending: descending, .each)
    }

    /// The same of texts as searches see them.
    public static func eachFolded(
        _ path: KeyPath<Value, [String]> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String.self, descending: descending, folded: true, .each)
    }

    /// A place for each element of a list, by a field of the elements: a payment stands at the categories of all of its parts. Several such
    /// components of an order are of the same element.
    public static func each<Part: RecordPart, Field: Encodable & SendableMetatype>(
        _ list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable, descending: Bool = false,
        absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            list, Field.self, descending: descending, absentFirst: absentFirst, .each, part: PartField(field))
    }

    /// The same of texts as searches see them.
    public static func eachFolded<Part: RecordPart>(
        _ list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, String> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(list, String.self, descending: descending, folded: true, .each, part: PartField(field))
    }
}
