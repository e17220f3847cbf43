import StorageEngine

/// From one snapshot to a later one: which works changed, and where each stands in a list before and after.
///
/// One step serves every list of an app. The keys of a work are made once, and its ranks once for each list that differs in
/// scope, order, filter or direction; lists that show the same part share them.
@MainActor final class LibraryStep {
    let before: Snapshot
    let after: Snapshot
    let deleted: Set<ID<Work>>
    /// `nil` when too many works changed to go by rows.
    private let changed: [ID<Work>]?
    /// Works of which more changed than the reader's entry.
    private let rewritten: Changes<Work>
    private let hasNewNames: Bool
    private var places: [(before: WorkPlace?, after: WorkPlace?)]?
    private var rows: [SearchedRow]?
    private var outcomes: [Outcome?] = []
    private var knownSteps: [Int: [WorkListChange.Step]] = [:]

    /// What a list shows, and what made it show that. A class, because a hundred lists may share it.
    final class Outcome: Sendable {
        let items: WorkListItems
        let change: WorkListChange

        init(_ items: WorkListItems, _ change: WorkListChange) {
            self.items = items
            self.change = change
        }
    }

    /// More changed works than this are a reload: finding where each was and is costs some 10 µs.
    static let maximumChangeCount = 512

    init(from before: Snapshot, to after: Snapshot, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        deleted = changes.works.deleted
        rewritten = changes.works
        hasNewNames = !changes.authors.updated.isEmpty
        changed = changes.isRelisted ? nil : try? Self.changedWorks(changes, before, after)
    }

    /// A work changes with its own record, its entry, and the name of an author. `nil` for too many.
    private static func changedWorks(
        _ changes: LibraryChanges, _ before: Snapshot, _ after: Snapshot
    ) throws(BookError) -> [ID<Work>]? {
        var works = changes.works.inserted.union(changes.works.updated).union(changes.works.deleted)
        works.formUnion(changes.entries.inserted)
        works.formUnion(changes.entries.updated)
        works.formUnion(changes.entries.deleted)
        for author in changes.authors.updated {
            guard works.count <= maximumChangeCount else { return nil }
            works.formUnion(try before.version.works(by: author))
            works.formUnion(try after.version.works(by: author))
        }
        return works.count <= maximumChangeCount ? Array(works) : nil
    }

    /// What a list shows after the step, and what the step did to it. A part of the library that cannot be read is a reload.
    ///
    /// - Parameter number: the center's for the query.
    func outcome(of query: WorkListQuery, _ number: Int) -> Outcome {
        if number < outcomes.count, let known = outcomes[number] { return known }
        let items = query.items(in: after)
        let steps = try? steps(in: query, number)
        let outcome = Outcome(WorkListItems(items), steps.map { WorkListChange($0) } ?? .reload)
        while outcomes.count <= number { outcomes.append(nil) }
        outcomes[number] = outcome
        return outcome
    }

    /// Where each changed work stood in a list and stands in it now; `nil` when too many changed.
    ///
    /// - Parameter number: the center's for the query.
    func steps(in query: WorkListQuery, _ number: Int) throws(BookError) -> [WorkListChange.Step]? {
        if let known = knownSteps[number] { return known }
        guard let changed = try changedPlaces() else { return nil }
        let (old, new) = (query.items(in: before), query.items(in: after))
        var steps: [WorkListChange.Step] = []
        for place in changed {
            steps.append(
                WorkListChange.Step(
                    before: try query.index(of: place.before, in: old),
                    after: try query.index(of: place.after, in: new)))
        }
        knownSteps[number] = steps
        return steps
    }

    /// The places of the changed works before and after; `nil` for too many.
    func changedPlaces() throws(BookError) -> [(before: WorkPlace?, after: WorkPlace?)]? {
        guard let changed else { return nil }
        if let places { return places }
        let made = try places(of: changed)
        places = made
        return made
    }

    /// What a search sees of the changed works, before and after; `nil` for too many.
    func changedRows() throws(BookError) -> [SearchedRow]? {
        if let rows { return rows }
        guard let places = try changedPlaces() else { return nil }
        var made: [SearchedRow] = []
        do throws(StorageError) {
            for (place, version) in places.flatMap({ [($0.before, before.version), ($0.after, after.version)] }) {
                guard let place, let entry = try version.entry(forKey: place[.title], in: LibraryTree.title) else {
                    continue
                }
                made.append(SearchedRow(key: place[.title], line: try FoldedLeaf(entry).text))
            }
        } catch {
            throw BookError(error)
        }
        rows = made
        return made
    }

    private func places(of works: [ID<Work>]) throws(BookError) -> [(before: WorkPlace?, after: WorkPlace?)] {
        var places: [(before: WorkPlace?, after: WorkPlace?)] = []
        for id in works {
            let filed = try after.works.filed(id)
            let wasFiled = isRewritten(id) ? try before.works.filed(id) : filed
            places.append((try wasFiled?.place(in: before.version), try filed?.place(in: after.version)))
        }
        return places
    }

    private func isRewritten(_ id: ID<Work>) -> Bool {
        hasNewNames || rewritten.updated.contains(id) || rewritten.inserted.contains(id)
            || rewritten.deleted.contains(id)
    }
}

extension Snapshot.Works {
    /// Where a work stands in every list; `nil` when there is no such work.
    func place(of id: ID<Work>) throws(BookError) -> WorkPlace? { try filed(id)?.place(in: version) }

    /// `nil` when there is no such work.
    fileprivate func filed(_ id: ID<Work>) throws(BookError) -> FiledWork? {
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

    func place(in version: Version) throws(BookError) -> WorkPlace {
        WorkPlace(work, authors: authors, entry: try version.entryRecord(of: work.id)?.entry, filing: filing)
    }
}

/// What a list is of, when it is not a search.
struct WorkListQuery: Hashable, Sendable {
    var scope = WorkScope.all
    var order = WorkOrder.title
    var direction = WorkDirection.forward
    var filter = WorkFilter.all

    /// Whether the scope is kept in the order, so that a list shows it as it is. Otherwise it shows those works of the whole
    /// library in the order that are in the scope.
    var isKept: Bool { scope == .all || (order == scope.order && direction == .forward) }

    /// The works that a list shows or, of a scope that is not kept in the order, is chosen from.
    func items(in snapshot: Snapshot) -> WorkItems {
        if isKept, let list = snapshot.works.list(scope, filter) { return list }
        return snapshot.works.sorted(by: order, filter, direction: direction)
    }

    /// The works of the scope; `nil` for all.
    var membership: WorkPredicate? {
        scope.prefix.map { WorkPredicate(.member($0.index, prefix: $0.bytes)) }
    }

    /// The index of a work; `nil` when the list does not show it.
    func index(of place: WorkPlace?, in items: WorkItems) throws(BookError) -> Int? {
        let prefix = scope.prefix
        let index = prefix?.index ?? .order(order)
        guard
            let stand = place?.stands.first(where: { stand in
                stand.index == index && (prefix.map { stand.key.starts(with: $0.bytes) } ?? true)
            })
        else { return nil }
        return try items.index(ofKey: stand.key)
    }
}
