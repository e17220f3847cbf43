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
            get throws(LibraryError) { try version.count(of: LibraryTree.books, facet: BookKey.Kind.workFacet) }
        }
    }
}

// MARK: - Details

extension Snapshot.Works {
    /// A work with its authors, editions and entry. One descent for all that lies beside the work, one for each author and text.
    public func details(_ id: ID<Work>) throws(LibraryError) -> WorkDetails? {
        var records = try version.records(of: id)
        try records.readTexts(from: version)
        guard let work = records.work else { return nil }
        var authors: [Author] = []
        authors.reserveCapacity(work.authors.count)
        for author in work.authors {
            guard let author = try version.author(author) else {
                throw .damaged("work \(id) names author \(author), who is not there.")
            }
            authors.append(author)
        }
        return WorkDetails(work: work, authors: authors, editions: records.editions, entry: records.entry)
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

// MARK: - Counts

extension Snapshot.Works {
    /// How many works the filter lets through. O(1).
    public func count(_ filter: WorkFilter) throws(LibraryError) -> Int {
        try version.count(of: LibraryTree.title, facet: filter.facet)
    }

    /// How many works are in each status. O(1).
    public var statusCounts: StatusCounts {
        get throws(LibraryError) {
            return try translatingErrors {
                return StatusCounts(
                    try version.facetCounts(in: LibraryTree.title, first: WorkFacet.statusCount))
            }
        }
    }
}
