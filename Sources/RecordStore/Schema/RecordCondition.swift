/// A comparison of a field with a value: `\.amount > 0`, `\.category == nil`. What a facet counts, and what `records.where(…)` asks for.
///
/// It goes by what is stored, as orders do, and so not always as Swift compares: texts are equal when their bytes are (`é` as one sign and as two are
/// different texts, and so are cases whose raw values came to be spelt otherwise, until a record that has one is written again), and what is no number
/// (`.nan`) equals itself and sorts after all numbers, or before them when its sign is negative. A closure, `where { try $0.score > 4 }`, compares as
/// Swift does.
public struct RecordCondition<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let kind: (kind: FieldKind, isOptional: Bool)?
    let comparison: FieldComparison
    /// Cases may have an order of their own, which what is stored of them does not tell.
    let isComparable: Bool
    /// As a record holds it; `nil` for what is absent.
    let value: TaggedValue?
    /// For people: `amount < -500`.
    let words: String

    init<Field: Encodable & SendableMetatype>(
        _ path: KeyPath<Value, Field> & Sendable, _ comparison: FieldComparison, _ value: Field
    ) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: Field.self)
        kind = FieldKind.of(Field.self)
        self.comparison = comparison
        isComparable = comparison == .equal || comparison == .unequal || FieldKind.isStoredInOrder(Field.self)
        self.value = TaggedValue.of(value)
        let valueWords = (value as? any OptionalField).map { $0.value.map { "\($0)" } ?? "nil" } ?? "\(value)"
        words = "\(name ?? "?") \(comparison.sign) \(valueWords)"
    }
}
