/// A field that names another record, a list of such, or a field of the elements of a list: `Link(\.account, onDelete: .cascade)`,
/// `Link(each: \.parts, \.category, onDelete: .nullify)`.
///
/// ```swift
/// struct Expense: Record {
///     var id: ID<Expense> = .unassigned
///     var account: Reference<Account> = .unassigned
///     var category: Reference<Category>?
///     enum CodingKeys: Int, CodingKey { case id = 0, account = 1, category = 2 }
///     static let schema = Schema {
///         Link(\.account, onDelete: .cascade)
///         Link(\.category, onDelete: .nullify)
///     }
/// }
/// ```
///
/// What a record links to has to be there when it is written, and what happens when that is deleted is part of the same commit. It may
/// be a record of the app, or one that the library keeps beside those, such as a book. A link is kept by an order that begins with its field, or by one of its
/// own where the type declares none; `snapshot.list(Expense.self, linkedBy: \.account, to: savings)` is that.
///
/// Versions of an app that take turns leave each other's links alone, and keep them. A link ends when it is declared with `.keep`, or when
/// its field goes and the type declares `EndedLink` with the number of the field; or when there are no such records any more, and a type that is written
/// then has something else under the number. Where versions declare different rules of one link, a deletion goes by
/// those of the app that deletes, as far as it has used the type since it opened the library, such as by `makeOrders(of:)`; otherwise by those of the
/// version that wrote last. Types of one app that do not agree on a rule leave the stored one.
///
/// What a record is deleted with need not be of a type that was used before. But the indexes of such a type are its own to keep, so they
/// are emptied then and made again with its next write; `makeOrders(of:)` at launch is use enough.
///
/// Declared later, a link holds from the next write of such a record on, or from `makeOrders(of:)`. Records that name what is not there
/// by then stay, and `Records.brokenLinks()` lists them.
public struct RecordLink<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let targetType: String
    let target: LinkTarget?
    let action: LinkAction
    let isOptional: Bool
    let isList: Bool
    /// Of the elements of the list.
    let part: PartField?
    let partIsOptional: Bool
    let valueType: ValueType

    public init<Target>(
        _ field: KeyPath<Value, RecordStore.ID<Target>> & Sendable, onDelete rule: LinkRule<RecordStore.ID<Target>>
    ) {
        self.init(field, Target.self, rule.action, isOptional: false, ValueType(RecordStore.ID<Target>.self))
    }

    public init<Target>(
        _ field: KeyPath<Value, RecordStore.ID<Target>?> & Sendable, onDelete rule: LinkRule<RecordStore.ID<Target>?>
    ) {
        self.init(field, Target.self, rule.action, isOptional: true, ValueType(RecordStore.ID<Target>.self))
    }

    /// All that a list names.
    public init<Target>(
        _ list: KeyPath<Value, [RecordStore.ID<Target>]> & Sendable, onDelete rule: LinkRule<[RecordStore.ID<Target>]>
    ) {
        self.init(
            list, Target.self, rule.action, isOptional: true, isList: true, ValueType(RecordStore.ID<Target>.self))
    }

    /// What the elements of a list name by a field of theirs, such as the category of each part of a payment. With `.cascade` the record goes
    /// when what one of its elements names is deleted.
    public init<Part: RecordPart, Target>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, RecordStore.ID<Target>> & Sendable,
        onDelete rule: LinkRule<RecordStore.ID<Target>>
    ) {
        self.init(
            list, Target.self, rule.action, isOptional: true, isList: true, ValueType(RecordStore.ID<Target>.self),
            part: PartField(field))
    }

    /// The same of a field that may be absent. With `.nullify` it becomes so in each element that names what is deleted.
    public init<Part: RecordPart, Target>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, RecordStore.ID<Target>?> & Sendable,
        onDelete rule: LinkRule<RecordStore.ID<Target>?>
    ) {
        self.init(
            list, Target.self, rule.action, isOptional: true, isList: true, ValueType(RecordStore.ID<Target>.self),
            part: PartField(field), partIsOptional: true)
    }

    private init(
        _ path: PartialKeyPath<Value> & Sendable, _ target: Any.Type, _ action: LinkAction, isOptional: Bool,
        isList: Bool = false, _ valueType: ValueType, part: PartField? = nil, partIsOptional: Bool = false
    ) {
        self.path = path
        name = path.propertyName
        targetType = String(describing: target)
        self.target = LinkTarget(target)
        self.action = action
        self.isOptional = isOptional
        self.isList = isList
        self.part = part
        self.partIsOptional = partIsOptional
        self.valueType = valueType
    }
}

/// The end of a link whose field the type no longer has: `EndedLink(3)`, by the number of its coding key, and `EndedLink(3, part: 1)` of a
/// field of the elements of a list.
public struct EndedLink: Sendable {
    let number: Int
    let part: Int?

    public init(_ number: Int, part: Int? = nil) {
        self.number = number
        self.part = part
    }

    /// Whether it is one, in a form that says nothing else of it; `nil` for numbers that no field has.
    var field: LinkField? {
        guard FieldNumber.range.contains(number), part.map(FieldNumber.range.contains) ?? true else { return nil }
        return LinkField(tag: FieldNumber.tag(number), isList: part != nil, partTag: part.map(FieldNumber.tag))
    }
}

extension LinkTarget {
    /// `nil` for a type that no library has records of.
    init?(_ type: Any.Type) {
        if let type = type as? any BuiltInRecord.Type {
            self = .builtIn(type.builtInKind)
        } else if let record = type as? any Record.Type {
            self = .records(record.recordName)
        } else {
            return nil
        }
    }
}
