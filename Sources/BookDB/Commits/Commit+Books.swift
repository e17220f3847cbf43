import RecordStore

/// Which books a commit changed. Each is O(changes).
extension Commit {
    public var works: Changes<Work> { allChanges[.works].typed(as: Work.self) }
    public var editions: Changes<Edition> { allChanges[.editions].typed(as: Edition.self) }
    public var authors: Changes<Author> { allChanges[.authors].typed(as: Author.self) }

    /// Entries are identified by the work they are for.
    public var entries: Changes<Work> { allChanges[.entries].typed(as: Work.self) }

    /// The works whose rows in lists changed: with the work, with the reader's entry, or with the name of an author.
    public var rows: Changes<Work> {
        var rows = allChanges[.works]
        let entries = allChanges[.entries]
        for changed in [entries.inserted, entries.updated, entries.deleted, allChanges[.rows].updated] {
            for id in changed where !rows.deleted.contains(id) { rows.update(id) }
        }
        return rows.typed(as: Work.self)
    }
}
