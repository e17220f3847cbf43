import RecordStore

/// Which books a commit changed. Each is O(changes).
extension Commit {
    public var works: Changes<Work> { allChanges[.works].typed(as: Work.self) }
    public var editions: Changes<Edition> { allChanges[.editions].typed(as: Edition.self) }
    public var authors: Changes<Author> { allChanges[.authors].typed(as: Author.self) }

    /// Entries are identified by the work they are for.
    public var entries: Changes<Work> { allChanges[.entries].typed(as: Work.self) }
}
