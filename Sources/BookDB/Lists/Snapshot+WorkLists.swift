import StorageEngine

extension Snapshot.Works {
    /// All works in an order. O(1) whatever the list's length, O(log n) backwards: nothing is read until a row is.
    ///
    /// ```swift
    /// let latest = snapshot.works.list(by: .added, .status(.wantToRead)).prefix(50)
    /// ```
    public func list(
        by order: WorkOrder, _ filter: WorkFilter = .all, direction: WorkDirection = .forward
    ) -> WorkItems {
        list(order: order, filter) { () throws(LibraryError) in
            let count = try version.count(of: order.tree, facet: filter.facet)
            var reversedCount = 0
            if direction == .reverse {
                reversedCount =
                    try order.index.definition.firstKeyWithoutValue.map { key throws(LibraryError) in
                        try version.position(of: key, in: order.tree, facet: filter.facet)
                    } ?? count
            }
            let range = WorkRange(order.index, filter, positions: 0..<count, reversedCount: reversedCount)
            return WorkItems(version, range, order: order, direction)
        }
    }

    /// The works of a part of the library, in the order in which that is kept: a series by its numbers, others by title. O(log n).
    ///
    /// ```swift
    /// let unread = snapshot.works.list(.tag("beach"), .status(.wantToRead))
    /// let hob = snapshot.works.list(.titled("hob")).count
    /// ```
    public func list(
        _ scope: WorkScope = .all, _ filter: WorkFilter = .all, direction: WorkDirection = .forward
    ) -> WorkItems {
        list(order: scope.order, filter) { () throws(LibraryError) in
            let (index, prefix) = (scope.index, try scope.prefix(in: version))
            if prefix.isEmpty { return list(by: scope.order, filter, direction: direction) }
            let positions = try version.positions(
                of: index.tree, filter.facet, from: prefix, to: scope.end(ofPrefix: prefix))
            var reversedCount = 0
            if direction == .reverse {
                let numbered = try index.definition.firstKeyWithoutValue.map { key throws(LibraryError) in
                    try version.position(of: prefix + key, in: index.tree, facet: filter.facet)
                }
                reversedCount = (numbered ?? positions.upperBound) - positions.lowerBound
            }
            let range = WorkRange(
                index, filter, prefix: prefix, positions: positions, reversedCount: reversedCount)
            return WorkItems(version, range, order: scope.order, direction)
        }
    }

    private func list(
        order: WorkOrder, _ filter: WorkFilter, _ body: () throws(LibraryError) -> WorkItems
    ) -> WorkItems {
        do {
            return try body()
        } catch {
            return WorkItems(version, order: order, filter: filter, failure: error)
        }
    }
}

extension Snapshot.Works {
    /// The works of a part of the library in an order that it is not kept in: those of the whole order that are in the part, looked at one
    /// by one.
    ///
    /// ```swift
    /// for item in snapshot.works.list(.tag("beach"), by: .author) { print(item.authors, item.title) }
    /// ```
    public func list(
        _ scope: WorkScope, by order: WorkOrder, _ filter: WorkFilter = .all, direction: WorkDirection = .forward
    ) -> FilteredWorks {
        let query = WorkListQuery(scope: scope, order: order, direction: direction, filter: filter)
        return FilteredWorks(version, query)
    }

    /// The works that fulfil a predicate: `list(by: .year) { $0.status == .read && $0.year < 1900 }`, of all or of a part of the library.
    ///
    /// - Parameter order: the scope's own when it is `nil`.
    public func list(
        _ scope: WorkScope = .all, by order: WorkOrder? = nil, direction: WorkDirection = .forward,
        where predicate: (WorkColumns) -> WorkPredicate
    ) -> FilteredWorks {
        let query = WorkListQuery(scope: scope, order: order ?? scope.order, direction: direction)
        return FilteredWorks(version, query, predicate(WorkColumns()))
    }
}

extension WorkItems {
    /// The index of a work; `nil` when the list does not show it. O(log n).
    public func index(of id: ID<Work>) throws(LibraryError) -> Int? {
        if let failure { throw failure }
        guard let key = try version.key(of: id, in: range.index, beginningWith: range.prefix),
            let index = try index(ofKey: key), indices.contains(index)
        else { return nil }
        return index
    }
}

extension Version {
    /// The key of a work in a tree, by its record; `nil` when it has none there that begins so, or there is no such work.
    func key(of id: ID<Work>, in index: WorkIndex, beginningWith prefix: [UInt8] = []) throws(LibraryError) -> [UInt8]?
    {
        guard let work = try workRecord(id)?.work else { return nil }
        let needs = index.definition.needs
        var authors: [Author] = []
        // No order files under more than the first.
        if needs.contains(.authors) {
            // One that is lost is passed over, as those do that make the keys.
            for id in work.authors where authors.isEmpty { if let author = try author(id) { authors.append(author) } }
        }
        let entry = needs.contains(.entry) ? try entryRecord(of: id)?.entry : nil
        let filed = WorkFiling(work: work, authors: authors, entry: entry, filing: try LibraryMeta.filing(self))
        return WorkKeys(filed, in: index).bytes(in: index, beginningWith: prefix)
    }
}
