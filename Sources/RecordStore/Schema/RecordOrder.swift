/// An order that records of a type are kept in: `Order("statement", \.account, .descending(\.date)).sum(\.amount)`.
///
/// A list in an order knows its count, the record at any position and the sums of any stretch without reading records: see
/// `OrderedRecords`. Records that are equal in all components follow in their home order (`RecordHome`), or by identifier. An order
/// costs each insertion an entry of the components, eight bytes of the identifier and eight for each sum; a record may have several
/// places, or none: see `OrderComponent` and `RecordStand`.
///
/// The declaration is stored with the records, so what an order is by is told by the numbers of coding keys: a field may be renamed.
/// A type with `upgrades` has its orders of what they leave of a record, whether or not that was written again. A changed declaration under the
/// same name is another order, made from the next write of such a record on, in the background where there are many; one that the type no
/// longer has is kept up with the others, so that versions of an app may take turns, until nobody has declared it for so many openings as
/// the library was told to keep it (`RecordLibrary.init(at:)`). An order of upgraded records needs the app's code: a version without the upgrade
/// sets it aside when it writes such a record, and it is made again by one that has it.
public struct RecordOrder<Value: Record>: Sendable {
    let name: String
    /// One, unless the order is declared by several.
    private(set) var stands: [RecordStand<Value>]

    public init(_ name: String, _ component: OrderComponent<Value>, _ more: OrderComponent<Value>...) {
        self.name = name
        stands = [RecordStand([component] + more)]
    }

    /// Ascending by a field, then by others.
    public init<Field: Encodable & SendableMetatype>(
        _ name: String, _ field: KeyPath<Value, Field> & Sendable, _ more: OrderComponent<Value>...
    ) {
        self.name = name
        stands = [RecordStand([.ascending(field)] + more)]
    }

    /// Ascending by two fields, then by others.
    public init<First: Encodable & SendableMetatype, Second: Encodable & SendableMetatype>(
        _ name: String, _ first: KeyPath<Value, First> & Sendable, _ second: KeyPath<Value, Second> & Sendable,
        _ more: OrderComponent<Value>...
    ) {
        self.name = name
        stands = [RecordStand([.ascending(first), .ascending(second)] + more)]
    }

    /// An order in which a record has several places, such as a transfer in the statements of two accounts: see `RecordStand`.
    public init(_ name: String, @Stands _ stands: () -> [RecordStand<Value>]) {
        self.name = name
        self.stands = stands()
    }

    @resultBuilder public enum Stands {
        public static func buildBlock(_ stands: RecordStand<Value>...) -> [RecordStand<Value>] { stands }
    }

    /// Keeps the exact sum of a field, and its least and greatest value, for every stretch of the order.
    ///
    /// - Parameter findsRows: whether the row at which the sum reaches an amount is to be found, too: 32 bytes more for some sixty
    ///   records, and their sums made anew when one of them changes.
    public func sum<Field: Summable>(
        _ field: KeyPath<Value, Field> & Sendable, findsRows: Bool = false
    ) -> RecordOrder {
        adding(OrderSum(field, isNegated: false, nil, findsRows: findsRows))
    }

    /// The same of amounts in a currency, or any other unit: a sum of amounts in several throws instead of adding them up.
    ///
    /// - Parameter unit: a text of up to seven bytes such as `EUR`, a whole number, an identifier, or an enumeration with such raw
    ///   values. 16 bytes more for some sixty records, and eight for each.
    public func sum<Field: Summable, Unit: Encodable & SendableMetatype>(
        _ field: KeyPath<Value, Field> & Sendable, in unit: KeyPath<Value, Unit> & Sendable, findsRows: Bool = false
    ) -> RecordOrder {
        adding(OrderSum(field, isNegated: false, OrderUnit(unit), findsRows: findsRows))
    }

    /// The same of a field of the elements of a list that there is a place for each of: their amounts stand at their places, and those of
    /// one place are added up. What is summed of the record itself beside them counts once at each place.
    public func sum<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable, findsRows: Bool = false
    ) -> RecordOrder {
        adding(OrderSum(each: list, field, nil, findsRows: findsRows))
    }

    /// The same in a unit that the record has.
    public func sum<Part: RecordPart, Field: Summable, Unit: Encodable & SendableMetatype>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable,
        in unit: KeyPath<Value, Unit> & Sendable, findsRows: Bool = false
    ) -> RecordOrder {
        adding(OrderSum(each: list, field, OrderUnit(unit), findsRows: findsRows))
    }

    private func adding(_ sum: OrderSum<Value>) -> RecordOrder {
        var order = self
        order.stands = stands.map { $0.adding(sum) }
        return order
    }
}
