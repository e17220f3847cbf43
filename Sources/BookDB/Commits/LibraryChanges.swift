import StorageEngine

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

extension LibraryChanges {
    /// What the library attached to the commit. One without a note adds trees that the library lacked, and changes nothing
    /// else.
    init(of commit: PublishedCommit) {
        guard let note = commit.note else {
            self.init()
            return
        }
        guard let changes = note as? LibraryChanges else {
            preconditionFailure("commit \(commit.commitNumber) carries \(type(of: note)), not what it changed")
        }
        self = changes
    }
}
