import StorageEngine

extension Snapshot {
    /// The works of a snapshot: look-ups, lists and counts.
    public struct Works: Sendable {
        let version: Version

        /// The whole work, with its description. O(log n). `nil` when there is no such work.
        public subscript(id: ID<Work>) -> Work? {
            get throws(BookError) { try version.work(id) }
        }

        /// O(1).
        public var count: Int {
            get throws(BookError) { try version.count(of: LibraryTree.works) }
        }
    }
}

// MARK: - Details

extension Snapshot.Works {
    /// A work with its authors, editions and entry. O(log n) for each of them.
    public func details(_ id: ID<Work>) throws(BookError) -> WorkDetails? {
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
    public func details(isbn: ISBN) throws(BookError) -> [WorkDetails] {
        let works = try version.works(withISBN: isbn).map(\.work).withoutRepetitions()
        var details: [WorkDetails] = []
        for work in works {
            if let found = try self.details(work) { details.append(found) }
        }
        return details
    }

    /// Works with an edition another catalogue knows by the identifier; usually one.
    public func withSource(_ identifier: SourceIdentifier) throws(BookError) -> [ID<Work>] {
        try version.works(withSource: identifier).map(\.work).withoutRepetitions()
    }

    /// Works that are likely the one described: same title, and one author in common.
    public func matching(_ match: MatchKey) throws(BookError) -> [ID<Work>] { try version.works(matching: match) }

    /// In the order they were added.
    public func written(by author: ID<Author>) throws(BookError) -> [ID<Work>] { try version.works(by: author) }
}

// MARK: - Lists

extension Snapshot.Works {
    /// A list of works. O(1) whatever its length: nothing is read until a row is.
    public func sorted(by order: WorkOrder = .title, _ filter: WorkFilter = .all) -> WorkItems {
        do {
            let count = try version.count(of: order.tree, facet: filter.facet)
            return WorkItems(version, order: order, filter: filter, positions: 0..<count)
        } catch {
            return WorkItems(version, order: order, filter: filter, failure: error)
        }
    }

    /// Works whose title begins with a text, in title order and with an exact count. O(log n).
    ///
    /// Text is compared as titles are filed: case, accents and leading articles do not count. No text finds all works.
    public func titled(_ prefix: String, _ filter: WorkFilter = .all) -> WorkItems {
        do {
            let prefix = TitleKey.searchPrefix(prefix, filing: try LibraryMeta.filing(version))
            guard !prefix.isEmpty else { return sorted(by: .title, filter) }
            let tree = LibraryTree.title
            let lower = try version.position(of: prefix, in: tree, facet: filter.facet)
            // No key contains the byte, so every key that begins with the prefix comes before.
            let upper = try version.position(of: prefix + [0xFF], in: tree, facet: filter.facet)
            return WorkItems(version, order: .title, filter: filter, positions: lower..<upper)
        } catch {
            return WorkItems(version, order: .title, filter: filter, failure: error)
        }
    }

    /// How many works the filter lets through. O(1).
    public func count(_ filter: WorkFilter) throws(BookError) -> Int {
        try version.count(of: LibraryTree.title, facet: filter.facet)
    }

    /// How many works are in each status, zeros included. O(1).
    public var statusCounts: [ReadingStatus: Int] {
        get throws(BookError) {
            var counts: [ReadingStatus: Int] = [:]
            for status in ReadingStatus.allCases { counts[status] = try count(.status(status)) }
            return counts
        }
    }

    /// The index of a work in the list of that order and filter; `nil` when the list does not show it. O(log n).
    public func position(
        of id: ID<Work>, sortedBy order: WorkOrder = .title, _ filter: WorkFilter = .all
    ) throws(BookError) -> Int? {
        guard let work = try version.workRecord(id)?.work else { return nil }
        var authors: [Author] = []
        // The order by author files under the first; no other matters here.
        if order == .author, let first = work.authors.first, let author = try version.author(first) {
            authors.append(author)
        }
        let key = WorkPlace(work, authors: authors, filing: try LibraryMeta.filing(version))[order]
        do {
            guard let entry = try version.entry(forKey: key, in: order.tree) else { return nil }
            if let facet = filter.facet, !entry.facets.contains(facet) { return nil }
            return try version.lowerBound(of: key, in: order.tree, facet: filter.facet)
        } catch {
            throw BookError(error)
        }
    }
}
