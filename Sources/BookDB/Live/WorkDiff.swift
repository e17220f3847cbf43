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
    private var allKeys: [(before: WorkKeys?, after: WorkKeys?)]?
    private var rows: [SearchedRow]?

    init(from before: Snapshot, to after: Snapshot, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        rewritten = changes[.works]
        hasNewNames = !changes[.rows].updated.isEmpty
        changed = changes.isRelisted ? nil : try? Self.changedWorks(changes, before, after)
    }

    /// A work changes with its own record, its entry, and the name of an author. `nil` for too many.
    private static func changedWorks(
        _ changes: LibraryChanges, _ before: Snapshot, _ after: Snapshot
    ) throws(LibraryError) -> [ID<Work>]? {
        let mostCount = [changes[.works], changes[.entries], changes[.rows]].map(\.count).max() ?? 0
        guard mostCount <= SnapshotDiff.maximumChangeCount else { return nil }
        var works: Set<ID<Work>> = []
        for changes in [changes[.works], changes[.entries], changes[.rows]] {
            for changed in [changes.inserted, changes.updated, changes.deleted] {
                works.formUnion(changed.lazy.map { ID(rawValue: $0.rawValue) })
            }
        }
        return works.count <= SnapshotDiff.maximumChangeCount ? Array(works) : nil
    }

    /// Where each changed work was in a list and is now; `nil` when too many changed.
    func steps(in query: WorkListQuery) throws(LibraryError) -> [ListChange.Step]? {
        guard let changed = try changedKeys() else { return nil }
        let (old, new) = (query.items(in: before.version), query.items(in: after.version))
        var steps: [ListChange.Step] = []
        for keys in changed {
            steps.append(
                ListChange.Step(
                    before: try old.index(of: keys.before),
                    after: try new.index(of: keys.after)))
        }
        return ListChange.lead(steps, from: old.count, to: new.count) ? steps : nil
    }

    /// The keys of the changed works before and after; `nil` for too many.
    func changedKeys() throws(LibraryError) -> [(before: WorkKeys?, after: WorkKeys?)]? {
        guard let changed else { return nil }
        if let allKeys { return allKeys }
        let made = try keys(of: changed)
        allKeys = made
        return made
    }

    /// What a search sees of the changed works, before and after; `nil` for too many.
    func changedRows() throws(LibraryError) -> [SearchedRow]? {
        if let rows { return rows }
        guard let changed = try changedKeys() else { return nil }
        var made: [SearchedRow] = []
        try translatingErrors {
            for (keys, version) in changed.flatMap({ [($0.before, before.version), ($0.after, after.version)] }) {
                guard let keys, let entry = try version.entry(forKey: keys.title, in: LibraryTree.title) else {
                    continue
                }
                made.append(SearchedRow(key: keys.title, line: try FoldedLeaf(entry, of: .works).text))
            }
        }
        rows = made
        return made
    }

    private func keys(of works: [ID<Work>]) throws(LibraryError) -> [(before: WorkKeys?, after: WorkKeys?)] {
        var keys: [(before: WorkKeys?, after: WorkKeys?)] = []
        for id in works {
            let filed = try after.works.filed(id)
            let wasFiled = isRewritten(id) ? try before.works.filed(id) : filed
            keys.append((try wasFiled?.keys(in: before.version), try filed?.keys(in: after.version)))
        }
        return keys
    }

    private func isRewritten(_ id: ID<Work>) -> Bool {
        hasNewNames || rewritten.updated.contains(id.untyped) || rewritten.hasInserted(id.untyped)
            || rewritten.deleted.contains(id.untyped)
    }
}

extension Snapshot.Works {
    /// Without the reader's entry; `nil` when there is no such work.
    fileprivate func filed(_ id: ID<Work>) throws(LibraryError) -> WorkFiling? {
        guard let work = try version.workRecord(id)?.work else { return nil }
        return WorkFiling(
            work: work, authors: try version.presentAuthors(of: work), filing: try LibraryMeta.filing(version))
    }
}

extension WorkFiling {
    /// The keys with the entry that a version has.
    fileprivate func keys(in version: Version) throws(LibraryError) -> WorkKeys {
        var filed = self
        filed.entry = try version.entryRecord(of: work.id)?.entry
        return WorkKeys(filed)
    }
}
