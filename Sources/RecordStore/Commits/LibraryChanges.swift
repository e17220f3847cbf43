import StorageEngine

/// What one transaction changed. Travels with the commit and becomes part of the `Commit` subscribers see.
package struct LibraryChanges: Sendable {
    /// Of what the library keeps beside declared records.
    var builtIn: [BuiltInKind: Changes<AppRecord>] = [:]

    /// Whether lists were made anew. By other rules a record may have another place in them though it did not change.
    package var isRelisted = false

    /// Kinds of which a record came that others may have named already: what those were ordered by is there now.
    var returnedKinds: Set<String> = []

    /// Whether anything may have changed, and it was not found out what: the library was opened again or restored, or could not be read before.
    package var isWhole = false

    /// The app's own, by the name of their kind.
    var records: [String: Changes<AppRecord>] = [:]

    /// What is left to undo the commit by; `nil` where nothing is kept, or nothing of records has changed. No subscriber gets it.
    package var undo: CommittedUndo?

    /// Those of a kind.
    package subscript(kind: BuiltInKind) -> Changes<AppRecord> {
        get { builtIn[kind] ?? Changes() }
        _modify { yield &builtIn[kind, default: Changes()] }
    }

    // The same as by the subscript: a generic function of another module looks up its types at each call, and a commit may have thousands.

    package mutating func insert(_ id: ID<AppRecord>, of kind: BuiltInKind) { self[kind].insert(id) }
    package mutating func load(_ id: ID<AppRecord>, of kind: BuiltInKind) { self[kind].load(id) }
    package mutating func update(_ id: ID<AppRecord>, of kind: BuiltInKind) { self[kind].update(id) }
    package mutating func delete(_ id: ID<AppRecord>, of kind: BuiltInKind) { self[kind].delete(id) }

    mutating func merge(_ later: LibraryChanges) {
        // Of another library, such as a restored one, nothing is known by what was done to the one before.
        guard !later.isWhole else {
            let wasRelisted = isRelisted
            self = later
            isRelisted = isRelisted || wasRelisted
            return
        }
        for (kind, changes) in later.builtIn { builtIn[kind, default: Changes()].merge(changes) }
        isRelisted = isRelisted || later.isRelisted
        isWhole = isWhole || later.isWhole
        returnedKinds.formUnion(later.returnedKinds)
        for (kind, changes) in later.records { records[kind, default: Changes()].merge(changes) }
    }
}

extension LibraryChanges {
    /// What the library attached to the commit. One without a note adds trees that the library lacked, and changes nothing
    /// else.
    init(of commit: PublishedCommit) {
        guard let note = commit.note else {
            self.init()
            (isWhole, isRelisted) = (commit.isOpening, commit.isOpening)
            return
        }
        guard let changes = note as? LibraryChanges else {
            preconditionFailure("commit \(commit.commitNumber) carries \(type(of: note)), not what it changed")
        }
        self = changes
    }
}
