import Filing
import StorageEngine

extension Snapshot {
    /// The works of a snapshot: look-ups, lists and counts.
    public struct Works: Sendable {
        let version: Version

        /// The whole work, with its description. O(log n). `nil` when there is no such work.
        public subscript(id: ID<Work>) -> Work? {
            get throws(LibraryError) { try version.work(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(LibraryError) { try version.count(of: LibraryTree.works) }
        }
    }
}

// MARK: - Details

extension Snapshot.Works {
    /// A work with its authors, editions and entry. O(log n) for each of them.
    public func details(_ id: ID<Work>) throws(LibraryError) -> WorkDetails? {
        guard let work = try version.work(id) else { return nil }
        var authors: [Author] = []
        for author in work.authors {
            guard let author = try version.author(author) else {
                throw .damaged("work \(id) names author \(author), who is not there.")
            }
            authors.append(author)
        }
        return WorkDetails(
            work: work, authors: authors, editions: try version.editions(of: id), entry: try version.entry(of: id))
    }

    /// Every work that has an edition with the number; usually one.
    public func details(isbn: ISBN) throws(LibraryError) -> [WorkDetails] {
        let works = try version.works(withISBN: isbn).map(\.work).withoutRepetitions()
        var details: [WorkDetails] = []
        for work in works {
            if let found = try self.details(work) { details.append(found) }
        }
        return details
    }

    /// Works with an edition another catalogue knows by the identifier; usually one.
    public func withSource(_ identifier: SourceIdentifier) throws(LibraryError) -> [ID<Work>] {
        try version.works(withSource: identifier).map(\.work).withoutRepetitions()
    }

    /// Works that are likely the one described: same title, and one author in common.
    public func matching(_ match: MatchKey) throws(LibraryError) -> [ID<Work>] { try version.works(matching: match) }
}

// MARK: - Lists

extension Snapshot.Works {
    /// A list of works. O(1) whatever its length, O(log n) backwards: nothing is read until a row is.
    public func sorted(
        by order: WorkOrder = .title, _ filter: WorkFilter = .all, direction: WorkDirection = .forward
    ) -> WorkItems {
        list(order: order, filter) { () throws(LibraryError) in
            let count = try version.count(of: order.tree, facet: filter.facet)
            var reversedCount = 0
            if direction == .reverse {
                reversedCount =
                    try order.firstKeyWithoutValue.map { key throws(LibraryError) in
                        try version.position(of: key, in: order.tree, facet: filter.facet)
                    } ?? count
            }
            let range = WorkRange(order.index, filter, positions: 0..<count, reversedCount: reversedCount)
            return WorkItems(version, range, order: order, direction)
        }
    }

    /// Works whose title begins with a text, in title order and with an exact count. O(log n).
    ///
    /// Text is compared as titles are filed: case, accents and leading articles do not count. No text finds all works.
    public func titled(_ prefix: String, _ filter: WorkFilter = .all) -> WorkItems {
        do {
            let prefix = TitleKey.searchPrefix(prefix, filing: try LibraryMeta.filing(version))
            return prefix.isEmpty
                ? sorted(by: .title, filter) : list(WorkOrder.title.index, prefix: prefix, order: .title, filter)
        } catch {
            return WorkItems(version, order: .title, filter: filter, failure: error)
        }
    }

    /// The works of a part of the library, in the order in which that is kept: a series by its numbers, others by title. O(log n).
    ///
    /// ```swift
    /// let unread = snapshot.works.list(.tag("beach"), .status(.wantToRead))
    /// ```
    ///
    /// `.all` is `sorted(by: .title)`; in another order the works of a scope are those of `sorted(by:)` with a predicate, or of a `WorkList`.
    public func list(_ scope: WorkScope, _ filter: WorkFilter = .all) -> WorkItems {
        guard let (index, prefix) = scope.prefix else { return sorted(by: .title, filter) }
        return list(index, prefix: prefix, order: scope.order, filter)
    }

    /// The stretch of a tree whose keys begin with the bytes.
    private func list(
        _ index: WorkIndex, prefix: [UInt8], order: WorkOrder, _ filter: WorkFilter
    ) -> WorkItems {
        list(order: order, filter) { () throws(LibraryError) in
            let lower = try version.position(of: prefix, in: index.tree, facet: filter.facet)
            // The keys that begin with the prefix come before the next text of its length.
            let upper = try LibraryKey.end(ofPrefix: prefix).map { end throws(LibraryError) in
                try version.position(of: end, in: index.tree, facet: filter.facet)
            }
            let count = try version.count(of: index.tree, facet: filter.facet)
            return WorkItems(
                version, WorkRange(index, filter, positions: lower..<max(lower, upper ?? count)), order: order)
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

    /// How many works the filter lets through. O(1).
    public func count(_ filter: WorkFilter) throws(LibraryError) -> Int {
        try version.count(of: LibraryTree.title, facet: filter.facet)
    }

    /// How many works are in each status. O(1).
    public var statusCounts: StatusCounts {
        get throws(LibraryError) {
            return try translatingErrors {
                return StatusCounts(try version.facetCounts(in: LibraryTree.title))
            }
        }
    }

    /// The index of a work in the list of that order, filter and direction; `nil` when the list does not show it. O(log n).
    public func position(
        of id: ID<Work>, sortedBy order: WorkOrder = .title, _ filter: WorkFilter = .all,
        direction: WorkDirection = .forward
    ) throws(LibraryError) -> Int? {
        guard let key = try key(of: id, in: order) else { return nil }
        return try sorted(by: order, filter, direction: direction).index(ofKey: key)
    }

    /// The key of a work in an order, by its record; `nil` when there is no such work.
    func key(of id: ID<Work>, in order: WorkOrder) throws(LibraryError) -> [UInt8]? {
        guard let work = try version.workRecord(id)?.work else { return nil }
        let needs = order.index.definition.needs
        var authors: [Author] = []
        // No order files under more than the first.
        if needs.contains(.authors), let first = work.authors.first, let author = try version.author(first) {
            authors.append(author)
        }
        let entry = needs.contains(.entry) ? try version.entryRecord(of: id)?.entry : nil
        let filed = WorkFiling(
            work: work, authors: authors, entry: entry, filing: try LibraryMeta.filing(version))
        return WorkKeys(filed, in: order.index)[order.index]
    }
}
