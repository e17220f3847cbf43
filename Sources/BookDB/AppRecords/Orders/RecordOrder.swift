/// An order that records of a type are kept in: `Order("statement", \.account, .descending(\.date)).sum(\.amount)`.
///
/// A list in an order knows its count, the record at any position and the sums of any stretch without reading records: see
/// `OrderedRecords`. Records that are equal in all components follow by identifier. An order costs each insertion an entry of
/// the components, eight bytes of the identifier and eight for each sum.
///
/// The declaration is stored with the records, so what an order is by is told by the numbers of coding keys: a field may be renamed.
/// It is made of what is stored, so a type with orders has no `upgrades`. A changed declaration under the same name is made anew from
/// the next write of such a record on, in the background where there are many; one that the type no longer has is
/// kept up with the others, so that versions of an app may take turns.
public struct RecordOrder<Value: Record>: Sendable {
    let name: String
    let components: [OrderComponent<Value>]
    private(set) var sums: [OrderSum<Value>] = []

    public init(_ name: String, _ component: OrderComponent<Value>, _ more: OrderComponent<Value>...) {
        self.name = name
        components = [component] + more
    }

    /// Ascending by a field, then by others.
    public init<Field: Encodable & SendableMetatype>(
        _ name: String, _ field: KeyPath<Value, Field> & Sendable, _ more: OrderComponent<Value>...
    ) {
        self.name = name
        components = [.ascending(field)] + more
    }

    /// Ascending by two fields, then by others.
    public init<First: Encodable & SendableMetatype, Second: Encodable & SendableMetatype>(
        _ name: String, _ first: KeyPath<Value, First> & Sendable, _ second: KeyPath<Value, Second> & Sendable,
        _ more: OrderComponent<Value>...
    ) {
        self.name = name
        components = [.ascending(first), .ascending(second)] + more
    }

    /// Keeps the exact sum of a field, and its least and greatest value, for every stretch of the order.
    ///
    /// - Parameter findsRows: whether the row at which the sum reaches an amount is to be found, too: 32 bytes more for some sixty
    ///   records, and their sums made anew when one of them changes.
    public func sum<Field: Summable>(
        _ field: KeyPath<Value, Field> & Sendable, findsRows: Bool = false
    ) -> RecordOrder {
        var order = self
        order.sums.append(OrderSum(field, findsRows: findsRows))
        return order
    }
}

/// A field that an order keeps sums of.
struct OrderSum<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let kind: (kind: FieldKind, isOptional: Bool)?
    let findsRows: Bool

    init<Field: Summable>(_ path: KeyPath<Value, Field> & Sendable, findsRows: Bool) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: Field.self)
        kind = FieldKind.of(Field.self)
        self.findsRows = findsRows
    }
}
