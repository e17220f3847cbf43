import Observation

/// A list of works for an interface, which follows the library.
///
/// ```swift
/// let list = WorkList(store, by: .author)
/// list.filter = .status(.reading)
/// list.items[40].title
/// ```
///
/// `items` is a value with random access: nothing is loaded, so there is nothing to page through, prefetch or reload. A commit
/// costs what it changed: `change` says which rows went, came, moved or differ, worked out from ranks. Selection and window go
/// with their works. Imports `Observation` alone, so it works wherever Swift does; SwiftUI, UIKit and AppKit observe it as they
/// observe any model.
@MainActor @Observable public final class WorkList {
    /// What the list shows now.
    public var items: WorkListItems { shown.items }

    /// What the last commit, or the last change to the list itself, did to `items`.
    public var change: WorkListChange { shown.change }

    /// Increases with every `change`.
    public var changeNumber: Int { shown.changeNumber }

    /// One property, since telling the observers of three costs three times as much.
    private var shown: Shown

    private struct Shown {
        var items: WorkListItems
        var change = WorkListChange.reload
        var changeNumber = 0
    }

    public var order: WorkOrder {
        get { query.order }
        set { if newValue != query.order { query.order = newValue } }
    }

    public var direction: WorkDirection {
        get { query.direction }
        set { if newValue != query.direction { query.direction = newValue } }
    }

    public var filter: WorkFilter {
        get { query.filter }
        set { if newValue != query.filter { query.filter = newValue } }
    }

    public var scope: WorkScope {
        get { query.scope }
        set { if newValue != query.scope { query.scope = newValue } }
    }

    /// What the works must fulfil beyond the filter; the matches are looked for off the main actor.
    public var predicate: WorkPredicate? { didSet { reload() } }

    /// The rows on the screen. A commit moves the window with its first row, so that nothing jumps; at the top it stays there.
    public var window = 0..<0

    /// Works that were deleted leave it.
    public var selection: Set<ID<Work>> = []

    /// Whether a predicate is being looked into; `items` is what was found before.
    public private(set) var isSearching = false

    private var query: WorkListQuery {
        didSet {
            queryNumber = center.number(of: query)
            reload()
        }
    }

    @ObservationIgnored private var queryNumber: Int
    @ObservationIgnored private let center: WorkListCenter
    @ObservationIgnored private var searching: Task<Void, Never>?

    public init(
        _ store: BookStore, _ scope: WorkScope = .all, by order: WorkOrder = .title,
        direction: WorkDirection = .forward, filter: WorkFilter = .all
    ) {
        let query = WorkListQuery(scope: scope, order: order, direction: direction, filter: filter)
        self.query = query
        center = store.listCenter
        queryNumber = center.number(of: query)
        shown = Shown(items: WorkListItems(query.items(in: center.snapshot)))
        center.add(self)
    }

    isolated deinit { searching?.cancel() }

    /// The library as the list shows it.
    public var snapshot: Snapshot { center.snapshot }

    /// The headings of the list; none while a predicate chooses from it. O(s log n) for s headings.
    public var sections: [WorkSection] {
        guard items.chosen == nil, let sections = try? items.list.sections else { return [] }
        return sections
    }

    /// The index of a work; `nil` when the list does not show it. O(log n), and O(matches) under a predicate.
    public func index(of id: ID<Work>) -> Int? {
        if let chosen = items.chosen { return chosen.indices.first { items[$0].id == id } }
        guard let place = try? center.snapshot.works.place(of: id) else { return nil }
        return (try? query.index(of: place, in: items.list)) ?? nil
    }

    /// Waits until the list shows a commit, such as the one just made.
    public func shows(_ commitNumber: UInt64) async {
        await center.showing(commitNumber)
        await searching?.value
    }

    // MARK: Following

    func apply(_ step: LibraryStep) {
        if !step.deleted.isDisjoint(with: selection) { selection.subtract(step.deleted) }
        guard predicate == nil else { return search() }
        let outcome = step.outcome(of: query, queryNumber)
        // The old items would keep the old snapshot, so they go also when they show the same.
        show(WorkListItems(outcome.items), outcome.change)
        guard window.lowerBound > 0, !outcome.change.isReload else { return }
        let start = min(outcome.change.index(after: window.lowerBound), max(0, items.count - window.count))
        if start != window.lowerBound { window = start..<start + window.count }
    }

    private func reload() {
        guard predicate == nil else { return search() }
        searching?.cancel()
        isSearching = false
        show(WorkListItems(query.items(in: center.snapshot)), .reload)
    }

    private func search() {
        guard let predicate else { return }
        searching?.cancel()
        isSearching = true
        let (snapshot, query) = (center.snapshot, query)
        searching = Task { [weak self] in
            let found = try? await Self.matches(of: predicate, query, in: snapshot)
            guard let self, let found, !Task.isCancelled else { return }
            isSearching = false
            show(found, .reload)
        }
    }

    @concurrent nonisolated private static func matches(
        of predicate: WorkPredicate, _ query: WorkListQuery, in snapshot: Snapshot
    ) async throws -> WorkListItems {
        let list = query.items(in: snapshot)
        return WorkListItems(list, chosen: try FilteredWorks(list, predicate).indices())
    }

    private func show(_ items: WorkListItems, _ change: WorkListChange) {
        shown =
            change.isEmpty
            ? Shown(items: items, change: shown.change, changeNumber: shown.changeNumber)
            : Shown(items: items, change: change, changeNumber: shown.changeNumber + 1)
    }
}
