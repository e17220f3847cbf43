/// A field by which an order is sorted: `.ascending(\.date)`, `.descending(\.date)`, `.folded(\.name)`, `.filed(\.title)`,
/// `.present(\.due)`, `.each(\.tags)`, `.linked(\.account, .folded(\.name))`.
public struct OrderComponent<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let valueType: ValueType
    let kind: (kind: FieldKind, isOptional: Bool)?
    let isDescending: Bool
    let isAbsentFirst: Bool
    let texts: Texts
    let occurrence: OrderDeclaration.Occurrence
    /// Of the elements of the field, where it is by one of their fields.
    let part: PartField?
    /// Of the record that the field names, where it is by one of its fields.
    private(set) var linked: (any LinkedComponent)?

    /// How texts are compared.
    enum Texts: Sendable {
        case written
        case beginning
        case folded
        case filed(language: (PartialKeyPath<Value> & Sendable)?, sorted: (PartialKeyPath<Value> & Sendable)?)
    }

    /// - Parameter type: of the field, of an element of it, or of the field of an element.
    private init(
        _ path: PartialKeyPath<Value> & Sendable, _ type: Any.Type, descending: Bool = false, absentFirst: Bool = false,
        _ texts: Texts = .written, _ occurrence: OrderDeclaration.Occurrence = .always, part: PartField? = nil
    ) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: type)
        valueType = ValueType(type)
        kind = FieldKind.of(type)
        isDescending = descending
        isAbsentFirst = absentFirst
        self.texts = texts
        self.occurrence = occurrence
        self.part = part
    }

    /// Whether it is by the elements of a field that is one value.
    var isOfBytes: Bool {
        (occurrence == .each || occurrence == .first) && part == nil && linked == nil
            && valueType.isThat(of: UInt8.self)
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
        OrderComponent(path, String.self, descending: descending, .folded)
    }

    public static func folded(
        _ path: KeyPath<Value, String?> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String?.self, descending: descending, absentFirst: absentFirst, .folded)
    }

    /// Texts as a library files titles: without a leading article, numbers by their value, letters with marks where the library has them
    /// (`RecordLibrary.setFiling`), word by word; `docs/TITLES.md` has the rules. The first 160 bytes of that count. Lists of such an order find
    /// what begins with a typed text, and have sections by letters: see `beginning(with:)` and `sections()`.
    ///
    public static func filed<Text: FiledText>(
        _ path: KeyPath<Value, Text> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            path, Text.self, descending: descending, absentFirst: absentFirst, .filed(language: nil, sorted: nil))
    }

    /// The same by the articles of a language, which another field says by a code or an English name: *Die* is an article in German. Where it is
    /// absent they are those of English.
    public static func filed<Text: FiledText>(
        _ path: KeyPath<Value, Text> & Sendable, language: KeyPath<Value, String?> & Sendable,
        descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            path, Text.self, descending: descending, absentFirst: absentFirst, .filed(language: language, sorted: nil))
    }

    /// The same, with another field in the text's place where that is there: the name to sort a person by.
    public static func filed<Text: FiledText>(
        _ path: KeyPath<Value, Text> & Sendable, sortedAs sorted: KeyPath<Value, String?> & Sendable,
        descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            path, Text.self, descending: descending, absentFirst: absentFirst, .filed(language: nil, sorted: sorted))
    }

    /// The same with both.
    public static func filed<Text: FiledText>(
        _ path: KeyPath<Value, Text> & Sendable, language: KeyPath<Value, String?> & Sendable,
        sortedAs sorted: KeyPath<Value, String?> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            path, Text.self, descending: descending, absentFirst: absentFirst,
            .filed(language: language, sorted: sorted))
    }

    /// Texts of any length, byte by byte, of which the first 300 bytes count: a longer text is refused by the other components.
    public static func beginning(
        _ path: KeyPath<Value, String> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String.self, descending: descending, .beginning)
    }

    public static func beginning(
        _ path: KeyPath<Value, String?> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String?.self, descending: descending, absentFirst: absentFirst, .beginning)
    }

    /// A field of the record that another field names, such as the name of a transfer's account. A record that names none, or one that is
    /// gone, is absent there.
    ///
    /// What the other record has there is part of this order's keys, so a change of it moves all that name it, in the same commit; where they
    /// are more than 4,096, the order is made anew in the background, and is as one that is being made until then: order by what changes
    /// seldom. The field has to be a `Link`, which is how those records are found.
    ///
    /// - Parameter component: `.ascending`, `.descending`, `.folded`, `.filed` or `.beginning`; its direction is this one's.
    public static func linked<Link: RecordReference>(
        _ link: KeyPath<Value, Link> & Sendable, _ component: OrderComponent<Link.Target>
    ) -> OrderComponent where Link.Target: Record {
        OrderComponent(link, .always, of: component)
    }

    /// The same of the first that a list names.
    public static func linked<Link: RecordReference>(
        first list: KeyPath<Value, [Link]> & Sendable, _ component: OrderComponent<Link.Target>
    ) -> OrderComponent where Link.Target: Record {
        OrderComponent(list, .first, of: component)
    }

    private init<Target: Record>(
        _ path: PartialKeyPath<Value> & Sendable, _ occurrence: OrderDeclaration.Occurrence,
        of component: OrderComponent<Target>
    ) {
        self.path = path
        name = path.propertyName
        (fieldType, valueType, kind) = (component.fieldType, component.valueType, component.kind)
        (isDescending, isAbsentFirst) = (component.isDescending, component.isAbsentFirst)
        (texts, part) = (.written, nil)
        self.occurrence = occurrence
        linked = component
    }

    /// The first element of a list; a record without any is absent there.
    public static func first<Element: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, [Element]> & Sendable, descending: Bool = false, absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Element.self, descending: descending, absentFirst: absentFirst, .written, .first)
    }

    /// Leaves records without the value out of the order.
    public static func present<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field?> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Field?.self, descending: descending, .written, .present)
    }

    /// A place for each element of a list: a record stands at all of its tags, at equal ones once, and without any it is not in the
    /// order.
    public static func each<Element: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, [Element]> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, Element.self, descending: descending, .written, .each)
    }

    /// The same of texts as searches see them.
    public static func eachFolded(
        _ path: KeyPath<Value, [String]> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(path, String.self, descending: descending, .folded, .each)
    }

    /// A place for each element of a list, by a field of the elements: a payment stands at the categories of all of its parts. Several such
    /// components of an order are of the same element.
    public static func each<Part: RecordPart, Field: Encodable & SendableMetatype>(
        _ list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable, descending: Bool = false,
        absentFirst: Bool = false
    ) -> OrderComponent {
        OrderComponent(
            list, Field.self, descending: descending, absentFirst: absentFirst, .written, .each, part: PartField(field))
    }

    /// The same of texts as searches see them.
    public static func eachFolded<Part: RecordPart>(
        _ list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, String> & Sendable, descending: Bool = false
    ) -> OrderComponent {
        OrderComponent(list, String.self, descending: descending, .folded, .each, part: PartField(field))
    }
}

/// A text, or an optional one.
public protocol FiledText: Encodable, SendableMetatype {}

extension String: FiledText {}
extension Optional: FiledText where Wrapped == String {}
