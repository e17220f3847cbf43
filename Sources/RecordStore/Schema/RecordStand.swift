/// Where a record stands in an order, and with which amounts: `Stand(\.to, .descending(\.date)).sum(\.received)`.
///
/// An order has several where a record has several places. A transfer between two accounts is one record that stands in two
/// statements, so that what edits it edits both:
///
/// ```swift
/// struct Remittance: Record {
///     var id: ID<Remittance> = .unassigned
///     var from: Reference<Account>?
///     var to: Reference<Account>?
///     var date = Day(daysSince1970: 0)
///     var sent: Money = 0
///     var received: Money = 0
///     enum CodingKeys: Int, CodingKey { case id = 0, from = 1, to = 2, date = 3, sent = 4, received = 5 }
///     static let schema = Schema {
///         Order("statement") {
///             Stand(.present(\.from), .descending(\.date)).sum(minus: \.sent)
///             Stand(.present(\.to), .descending(\.date)).sum(\.received)
///         }
///     }
/// }
/// ```
///
/// The stands of an order go by the same types of values in the same directions, and have as many sums, which are asked for by the
/// fields of the first stand. Where two stands of a record come to the same place it stands there once, with the sum of the amounts.
public struct RecordStand<Value: Record>: Sendable {
    let components: [OrderComponent<Value>]
    private(set) var sums: [OrderSum<Value>] = []

    init(_ components: [OrderComponent<Value>]) { self.components = components }

    public init(_ component: OrderComponent<Value>, _ more: OrderComponent<Value>...) {
        self.init([component] + more)
    }

    /// Ascending by a field, then by others.
    public init<Field: Encodable & SendableMetatype>(
        _ field: KeyPath<Value, Field> & Sendable, _ more: OrderComponent<Value>...
    ) {
        self.init([.ascending(field)] + more)
    }

    /// As the order's own `sum`, for what stands here.
    public func sum<Field: Summable>(
        _ field: KeyPath<Value, Field> & Sendable, findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(field, isNegated: false, nil, findsRows: findsRows))
    }

    /// The same of what leaves.
    public func sum<Field: Summable>(
        minus field: KeyPath<Value, Field> & Sendable, findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(field, isNegated: true, nil, findsRows: findsRows))
    }

    /// The same of amounts in a currency, or any other unit.
    public func sum<Field: Summable, Unit: Encodable & SendableMetatype>(
        _ field: KeyPath<Value, Field> & Sendable, in unit: KeyPath<Value, Unit> & Sendable, findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(field, isNegated: false, OrderUnit(unit), findsRows: findsRows))
    }

    /// The same of what leaves in a currency, or any other unit.
    public func sum<Field: Summable, Unit: Encodable & SendableMetatype>(
        minus field: KeyPath<Value, Field> & Sendable, in unit: KeyPath<Value, Unit> & Sendable,
        findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(field, isNegated: true, OrderUnit(unit), findsRows: findsRows))
    }

    /// The same of a field of the elements of a list that there is a place for each of: their amounts stand at their places, and those of
    /// one place are added up. What is summed of the record itself beside them counts once at each place.
    public func sum<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable, findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(each: list, field, nil, findsRows: findsRows))
    }

    /// The same in a unit that the record has.
    public func sum<Part: RecordPart, Field: Summable, Unit: Encodable & SendableMetatype>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable,
        in unit: KeyPath<Value, Unit> & Sendable, findsRows: Bool = false
    ) -> RecordStand {
        adding(OrderSum(each: list, field, OrderUnit(unit), findsRows: findsRows))
    }

    /// Whether it goes by the types that another goes by, and adds up the same: a value is looked for in all stands at once.
    func hasTypes(of other: RecordStand) -> Bool {
        components.map(\.valueType) == other.components.map(\.valueType)
            && sums.map(\.valueType) == other.sums.map(\.valueType)
            && sums.map { $0.unit?.valueType } == other.sums.map { $0.unit?.valueType }
    }

    func adding(_ sum: OrderSum<Value>) -> RecordStand {
        var stand = self
        stand.sums.append(sum)
        return stand
    }
}
