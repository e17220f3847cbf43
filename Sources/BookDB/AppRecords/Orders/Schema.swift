/// What a type declares of its records besides their fields: the orders they are kept in.
///
/// ```swift
/// struct Transfer: Record {
///     var id: ID<Transfer> = .unassigned
///     var account: ID<Account>
///     var date = Day(daysSince1970: 0)
///     var amount: Money = 0
///     var note = ""
///     enum CodingKeys: Int, CodingKey { case id, account, date, amount, note }
///     static let schema = Schema {
///         Order("all", .descending(\.date))
///         Order("statement", \.account, .descending(\.date)).sum(\.amount)
///     }
/// }
/// ```
public struct Schema<Value: Record>: Sendable {
    let orders: [RecordOrder<Value>]

    public init(@Builder _ orders: () -> [RecordOrder<Value>]) { self.orders = orders() }

    @resultBuilder public enum Builder {
        public static func buildBlock(_ orders: RecordOrder<Value>...) -> [RecordOrder<Value>] { orders }
    }
}
