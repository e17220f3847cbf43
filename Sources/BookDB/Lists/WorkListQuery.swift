import StorageEngine

/// What a list is of, when it is not a search.
struct WorkListQuery: Hashable, Sendable {
    var scope = WorkScope.all
    var order = WorkOrder.title
    var direction = WorkDirection.forward
    var filter = WorkFilter.all

    /// Whether the scope is kept in the order, so that a list shows it as it is. Otherwise it shows those works of the whole
    /// library in the order that are in the scope.
    var isKept: Bool { scope == .all || order == scope.order }

    /// The works that a list shows or, of a scope that is not kept in the order, is chosen from.
    func items(in version: Version) -> WorkItems {
        let works = Snapshot.Works(version: version)
        return isKept && scope != .all
            ? works.list(scope, filter, direction: direction) : works.list(by: order, filter, direction: direction)
    }

    /// The works of the scope; `nil` for all.
    func membership(in version: Version) throws(LibraryError) -> WorkPredicate? {
        guard scope != .all else { return nil }
        let prefix = try scope.prefix(in: version)
        let end = scope.end(ofPrefix: prefix)
        return WorkPredicate(.member(WorkMembership(scope.index, prefix: prefix, end: end)))
    }
}
