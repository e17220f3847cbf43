/// What a list is of, when it is not a search.
struct WorkListQuery: Hashable, Sendable {
    var scope = WorkScope.all
    var order = WorkOrder.title
    var direction = WorkDirection.forward
    var filter = WorkFilter.all

    /// Whether the scope is kept in the order, so that a list shows it as it is. Otherwise it shows those works of the whole
    /// library in the order that are in the scope.
    var isKept: Bool { scope == .all || (order == scope.order && direction == .forward) }

    /// The works that a list shows or, of a scope that is not kept in the order, is chosen from.
    func items(in snapshot: Snapshot) -> WorkItems {
        isKept && scope != .all
            ? snapshot.works.list(scope, filter)
            : snapshot.works.sorted(by: order, filter, direction: direction)
    }

    /// The works of the scope; `nil` for all.
    var membership: WorkPredicate? {
        scope.prefix.map { WorkPredicate(.member($0.index, prefix: $0.bytes)) }
    }

    /// The index of a work; `nil` when the list does not show it.
    func index(of keys: WorkKeys?, in items: WorkItems) throws(LibraryError) -> Int? {
        let prefix = scope.prefix
        let index = prefix?.index ?? order.index
        guard
            let key = keys?.all.first(where: { key in
                key.index == index && (prefix.map { key.bytes.starts(with: $0.bytes) } ?? true)
            })
        else { return nil }
        return try items.index(ofKey: key.bytes)
    }
}
