/// The order that decides between equals: `Home(Order("by title", .filed(\.title)))`.
///
/// Records that are equal in another order, or that link to the same record, follow in their home order: the things of a borrower by name. Where
/// they are equal there too, and without a home, they follow by identifier, which is the order they came in.
///
/// The home is an order like the others, with a name and sums. Each record stands in it once, by fields of its own: not by `.each`, `.present`
/// or `.linked`, and not by several stands. What it goes by is part of the keys of all orders, so it costs each entry those bytes, and
/// a change of such a field moves the record in all of them: a home is by what seldom changes. A type that gets a home has all of its orders made
/// again, in the background where there are many records.
public struct RecordHome<Value: Record>: Sendable {
    let order: RecordOrder<Value>

    public init(_ order: RecordOrder<Value>) { self.order = order }
}
