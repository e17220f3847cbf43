/// What one transaction changed. Travels with the commit and becomes part of the `Commit` subscribers see.
struct LibraryChanges: Sendable {
    var works = Changes<Work>()
    var editions = Changes<Edition>()
    var authors = Changes<Author>()
    var entries = Changes<Work>()
    /// Lists were made anew: by other rules works may stand elsewhere without having changed.
    var isRelisted = false

    /// The app's own, by the name of their kind.
    var records: [String: Changes<AppRecord>] = [:]

    mutating func merge(_ later: LibraryChanges) {
        works.merge(later.works)
        editions.merge(later.editions)
        authors.merge(later.authors)
        entries.merge(later.entries)
        isRelisted = isRelisted || later.isRelisted
        for (kind, changes) in later.records { records[kind, default: Changes()].merge(changes) }
    }
}
