import Filing
import StorageEngine

/// Which records a list is of: all of a type by identifier, or a stretch of an order.
struct RecordListQuery<Value: Record>: Hashable, Sendable {
    /// `nil` for all records by identifier.
    let order: String?
    /// The components that are fixed, as keys begin with them: one for each way to file letters, where that matters.
    private let prefixes: [FilingTailoring: [UInt8]]
    private let fixedCount: Int
    var filter: RecordFilter<Value>

    /// The kinds of records that decide what the list shows: its own, and those by whose fields it is sorted.
    let kinds: Set<String>

    /// All records of the type, by identifier.
    init() throws(LibraryError) {
        try RecordKind<Value>.current.check()
        order = nil
        prefixes = [:]
        fixedCount = 0
        filter = .all
        kinds = [Value.recordName]
    }

    /// The records that have the given values in the first components of an order. Reads nothing: the order need not be made yet.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for an order or facet that the type does not declare; `.invalidArgument` for a value of
    ///   another type than the component has, and for more values than components.
    init<each Component: Encodable>(
        _ order: String, _ filter: RecordFilter<Value>, of value: repeat each Component
    ) throws(LibraryError) {
        let kind = RecordKind<Value>.current
        let declaration = try kind.schema.order(named: order).declaration
        var (prefixes, fixedCount) = ([FilingTailoring: [UInt8]](), 0)
        for tailoring in declaration.isFiled ? FilingTailoring.allCases : [.standard] {
            var stretch = try OrderStretch(declared: order, kind.schema, tailoring)
            for value in repeat each value { stretch = try stretch.declaring(value) }
            prefixes[tailoring] = stretch.prefix
            fixedCount = stretch.fixedCount
        }
        (self.order, self.prefixes, self.fixedCount) = (order, prefixes, fixedCount)
        self.filter = filter
        kinds = Set([kind.name] + declaration.linked.compactMap(\.linked?.kind))
        _ = try facet()
    }

    /// The whole order in a snapshot; `nil` when there is no record yet.
    ///
    /// - Throws: `LibraryError.incompleteOrder` for an order that is to be made first.
    func order(in version: Version) throws(LibraryError) -> OrderStretch? {
        let kind = RecordKind<Value>.current
        try version.check(kind)
        guard let order else { return try OrderStretch(byIdentifier: kind.schema, in: version) }
        return try OrderStretch(order, kind.schema, in: version)
    }

    /// What the list shows of the order.
    func stretch(of order: OrderStretch?, in version: Version) throws(LibraryError) -> OrderStretch? {
        let facet = try facet()
        guard let order else { return nil }
        let tailoring = order.order.declaration.tailoring ?? .standard
        let part = try order.part(like: (prefixes[tailoring] ?? [], fixedCount), in: version)
        return try facet.map { (facet) throws(LibraryError) in try part.filtered(by: facet, in: version) } ?? part
    }

    /// What the list shows in a snapshot. What cannot be read is an empty list with an error.
    func rows(in version: Version) -> RecordRows<Value> {
        do throws(LibraryError) {
            return RecordRows(try stretch(of: try order(in: version), in: version), in: version)
        } catch {
            return RecordRows(failing: error, in: version)
        }
    }

    private func facet() throws(LibraryError) -> Facet? {
        guard let name = filter.facet else { return nil }
        guard let order else {
            throw .invalidArgument(
                "Facets are counted in orders, and a list by identifier is of none. Name an order of \(Value.recordName)."
            )
        }
        let kind = RecordKind<Value>.current.schema
        let facet = try kind.facet(named: name)
        try kind.order(named: order).declaration.requireFacets(order, kind.name)
        return facet
    }
}
