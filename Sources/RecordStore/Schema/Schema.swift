/// What a type declares of its records besides their fields: the orders they are kept in, what is counted in each, and what links to
/// other records do.
///
/// ```swift
/// struct Transfer: Record {
///     var id: ID<Transfer> = .unassigned
///     var account: Reference<Account> = .unassigned
///     var date = Day(daysSince1970: 0)
///     var amount: Money = 0
///     var note = ""
///     enum CodingKeys: Int, CodingKey { case id = 0, account = 1, date = 2, amount = 3, note = 4 }
///     static let schema = Schema {
///         Link(\.account, onDelete: .cascade)
///         Order("all", .descending(\.date))
///         Order("statement", \.account, .descending(\.date)).sum(\.amount)
///     }
/// }
/// ```
public struct Schema<Value: Record>: Sendable {
    let orders: [RecordOrder<Value>]
    /// Among the orders, too.
    let homes: [RecordOrder<Value>]
    let facets: [RecordFacet<Value>]
    let links: [RecordLink<Value>]
    let endedLinks: [EndedLink]
    let renames: [RecordRename<Value>]
    let retypes: [RecordRetype<Value>]

    public init(@Builder _ parts: () -> [Part]) {
        let parts = parts()
        orders = parts.compactMap { part in
            switch part {
            case .order(let order): order
            case .home(let home): home.order
            case .facet, .link, .endedLink, .rename, .retype: nil
            }
        }
        homes = parts.compactMap { if case .home(let home) = $0 { home.order } else { nil } }
        facets = parts.compactMap { if case .facet(let facet) = $0 { facet } else { nil } }
        links = parts.compactMap { if case .link(let link) = $0 { link } else { nil } }
        endedLinks = parts.compactMap { if case .endedLink(let link) = $0 { link } else { nil } }
        retypes = parts.compactMap { if case .retype(let retype) = $0 { retype } else { nil } }
        renames = parts.compactMap { if case .rename(let rename) = $0 { rename } else { nil } }
    }

    /// One line of a schema.
    public enum Part: Sendable {
        case order(RecordOrder<Value>)
        case home(RecordHome<Value>)
        case facet(RecordFacet<Value>)
        case link(RecordLink<Value>)
        case endedLink(EndedLink)
        case rename(RecordRename<Value>)
        case retype(RecordRetype<Value>)
    }

    @resultBuilder public enum Builder {
        public static func buildExpression(_ order: RecordOrder<Value>) -> Part { .order(order) }
        public static func buildExpression(_ home: RecordHome<Value>) -> Part { .home(home) }
        public static func buildExpression(_ facet: RecordFacet<Value>) -> Part { .facet(facet) }
        public static func buildExpression(_ link: RecordLink<Value>) -> Part { .link(link) }
        public static func buildExpression(_ link: EndedLink) -> Part { .endedLink(link) }
        public static func buildExpression(_ rename: RecordRename<Value>) -> Part { .rename(rename) }
        public static func buildExpression(_ retype: RecordRetype<Value>) -> Part { .retype(retype) }
        public static func buildBlock(_ parts: Part...) -> [Part] { parts }
    }
}
