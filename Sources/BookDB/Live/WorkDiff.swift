import Filing
import StorageEngine

/// Which works changed from one snapshot to a later one, and where each is in every list before and after.
///
/// The keys of a work are made once for all lists.
@MainActor final class WorkDiff {
    private let before: Snapshot
    private let after: Snapshot
    /// Works of which more changed than the reader's entry.
    private let rewritten: Changes<AppRecord>
    private let hasNewNames: Bool
    /// `nil` when too many works changed to go by rows.
    private let changed: [ID<Work>]?
    private var places: [(before: WorkPlace?, after: WorkPlace?)]?
    private var rows: [SearchedRow]?

    init(from before: Snapshot, to after: Snapshot, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        rewritten = changes[.works]
        hasNewNames = !changes[.authors].updated.isEmpty
        changed = changes.isRelisted ? nil : try? Self.changedWorks(changes, before, after)
    }

    /// A work changes with its own record, its entry, and the name of an author. `nil` for too many.
    private static func changedWorks(
        _ changes: LibraryChanges, _ before: Snapshot, _ after: Snapshot
    ) throws(LibraryError) -> [ID<Work>]? {
        var works: Set<ID<Work>> = []
        for changes in [changes[.works], changes[.entries]] {
            for changed in [changes.inserted, changes.updated, changes.deleted] {
                works.formUnion(changed.lazy.map { ID(rawValue: $0.rawValue) })
            }
        }
        for author in changes[.authors].updated.map({ ID<Author>(rawValue: $0.rawValue) }) {
            guard works.count <= SnapshotDiff.maximumChangeCount else { return nil }
            works.formUnion(try before.version.works(by: author))
            works.formUnion(try after.version.works(by: author))
        }
        return works.count <= SnapshotDiff.maximumChangeCount ? Array(works) : nil
    }

    /// Where each changed work was in a list and is now; `nil` when too many changed.
    func steps(in query: WorkListQuery) throws(LibraryError) -> [ListChange.Step]? {
        guard let changed = try changedPlaces() else { return nil }
        let (old, new) = (query.items(in: before), query.items(in: after))
        var steps: [ListChange.Step] = []
        for place in changed {
            steps.append(
                ListChange.Step(
                    before: try query.index(of: place.before, in: old),
                    after: try query.index(of: place.after, in: new)))
        }
        return steps
    }

    /// The places of the changed works before and after; `nil` for too many.
    func changedPlaces() throws(LibraryError) -> [(before: WorkPlace?, after: WorkPlace?)]? {
        guard let changed else { return nil }
        if let places { return places }
        let made = try places(of: changed)
        places = made
        return made
    }

    /// What a search sees of the changed works, before and after; `nil` for too many.
    func changedRows() throws(LibraryError) -> [SearchedRow]? {
        if let rows { return rows }
        guard let places = try changedPlaces() else { return nil }
        var made: [SearchedRow] = []
        try translatingErrors {
            for (place, version) in places.flatMap({ [($0.before, before.version), ($0.after, after.version)] }) {
                guard let place, let entry = try version.entry(forKey: place[.title], in: LibraryTree.title) else {
                    continue
                }
                made.append(SearchedRow(key: place[.title], line: try FoldedLeaf(entry).text))
            }
        }
        rows = made
        return made
    }

    private func places(of works: [ID<Work>]) throws(LibraryError) -> [(before: WorkPlace?, after: WorkPlace?)] {
        var places: [(before: WorkPlace?, after: WorkPlace?)] = []
        for id in works {
            let filed = try after.works.filed(id)
            let wasFiled = isRewritten(id) ? try before.works.filed(id) : filed
            places.append((try wasFiled?.place(in: before.version), try filed?.place(in: after.version)))
        }
        return places
    }

    private func isRewritten(_ id: ID<Work>) -> Bool {
        hasNewNames || rewritten.updated.contains(id.untyped) || rewritten.inserted.contains(id.untyped)
            || rewritten.deleted.contains(id.untyped)
    }
}

extension Snapshot.Works {
    /// Where a work stands in every list; `nil` when there is no such work.
    func place(of id: ID<Work>) throws(LibraryError) -> WorkPlace? { try filed(id)?.place(in: version) }

    /// `nil` when there is no such work.
    fileprivate func filed(_ id: ID<Work>) throws(LibraryError) -> FiledWork? {
        guard let work = try version.workRecord(id)?.work else { return nil }
        var authors: [Author] = []
        for author in work.authors {
            if let author = try version.author(author) { authors.append(author) }
        }
        return FiledWork(work: work, authors: authors, filing: try LibraryMeta.filing(version))
    }
}

/// What a work's places follow from, but for the reader's entry.
private struct FiledWork {
    let work: Work
    let authors: [Author]
    let filing: FilingTailoring

    func place(in version: Version) throws(LibraryError) -> WorkPlace {
        WorkPlace(work, authors: authors, entry: try version.entryRecord(of: work.id)?.entry, filing: filing)
    }
}
