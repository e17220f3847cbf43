/// The order that decides between equals: `Home(Order("by title", .filed(\.title)))`.
///
/// In every other order of the type, and among records that link to the same one, records that are equal in what that goes by follow in their
/// home order, and only then by identifier: the books of a borrower by title, the loans of a day by borrower. Without a home, equal
/// records follow by identifier, which is the order they came in.
///
/// The home is an order like the others, with a name and sums. Each record stands in it once, by fields of its own: not by `.each`, `.present`
/// or `.linked`, and not by several stands. What it goes by is part of the keys of all orders, so it costs each entry those bytes, and
/// a change of such a field moves the record in all of them: a home is by what seldom changes. A type that gets a home has all of its orders made
/// again, in the background where there are many records.
public struct RecordHome<Value: Record>: Sendable {
    let order: RecordOrder<Value>

    public init(_ order: RecordOrder<Value>) { self.order = order }
}
