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
    public var items: WorkListItems { state.items }

    /// Whether the list shows what there is. A library that is still being opened, or could not be, has lists that are *not loaded*:
    /// they are not empty, nobody knows what is in them. Their counts say nothing.
    public var isLoaded: Bool { items.isLoaded }

    /// Why the list shows nothing; `nil` when it shows what there is.
    public var error: LibraryError? { items.list.failure }

    /// What the last commit, or the last change to the list itself, did to `items`.
    public var change: ListChange { state.change }

    /// Increases with every `change`.
    public var changeNumber: Int { state.changeNumber }

    /// Of a scope's works, unless another is asked for, the order in which they are kept: a series by its numbers, others by title.
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

    /// A list in the order of its scope takes over that of the next.
    public var scope: WorkScope {
        get { query.scope }
        set {
            guard newValue != query.scope else { return }
            var changed = query
            if changed.order == changed.scope.order { changed.order = newValue.order }
            changed.scope = newValue
            query = changed
        }
    }

    /// What the works must fulfil beyond the filter; the matches are looked for off the main actor.
    public var predicate: WorkPredicate? { didSet { choose() } }

    /// What is searched for, as typed: bind a search field to it. While there is something, `items` are the works of the scope that
    /// match, the best first, up to 5,000 of them, under the filter; of the whole library the first 50 are shown before the rest
    /// is found. Of a long text the first 1,024 bytes are looked for, up to 64 words.
    public var search = "" { didSet { if search != oldValue { choose() } } }

    /// How many works match `search`; `nil` when nothing is searched for, and until it is known.
    public private(set) var matchCount: Int?

    /// The rows on the screen. A commit moves the window with its first row, so that nothing jumps; at the top it stays there.
    public var window: Range<Int> {
        get { state.window }
        set { state.window = newValue }
    }

    /// Works that were deleted leave it.
    public var selection: Set<ID<Work>> = []

    /// Whether matches of a search or a predicate are being looked for; `items` is what was found before.
    public var isSearching: Bool { state.isSearching }

    private var query: WorkListQuery {
        didSet {
            queryNumber = hub.number(of: query)
            choose()
        }
    }

    /// Whether a search, a predicate or an order that the scope is not kept in chooses what is shown. Kept, because every commit asks every list.
    @ObservationIgnored private var isChosen = false
    @ObservationIgnored private var queryNumber: Int
    /// The hub's number of the list that a search or a predicate chooses from.
    @ObservationIgnored private var baseNumber: Int
    private let hub: LiveListHub
    private let state: LiveListState<WorkListItems>

    /// - Parameter order: the scope's own when it is `nil`. A scope in another order is looked for off the main actor, as
    ///   under a predicate.
    public init(
        _ store: BookStore, _ scope: WorkScope = .all, by order: WorkOrder? = nil,
        direction: WorkDirection = .forward, filter: WorkFilter = .all
    ) {
        let query = WorkListQuery(scope: scope, order: order ?? scope.order, direction: direction, filter: filter)
        self.query = query
        hub = store.listHub
        queryNumber = hub.number(of: query)
        baseNumber = queryNumber
        let items = query.items(in: hub.snapshot.version)
        state = LiveListState(WorkListItems(items, chosen: query.isKept ? nil : []), hub.memory) {
            $0.index(of: $1[$2].id)
        }
        hub.add(self)
        if !query.isKept { choose() }
    }

    /// The library as the list shows it. While matches are looked for again after a commit (`isSearching`) it has that commit, and `items` are of the one
    /// before.
    public var snapshot: Snapshot { hub.snapshot }

    /// The headings of the list; none while a predicate chooses from it. O(s log n) for s headings.
    public var sections: [WorkSection] {
        guard items.chosen == nil, let sections = try? items.list.sections else { return [] }
        return sections
    }

    /// The index of a work; `nil` when the list does not show it. O(log n), and O(matches) under a predicate.
    public func index(of id: ID<Work>) -> Int? { items.index(of: id) }

    /// Where a text, such as a title, holds what is searched for.
    public func highlights(in text: String) -> [Range<String.Index>] {
        search.isEmpty ? [] : snapshot.works.search(search).highlights(in: text)
    }

    /// Waits until the list shows a commit, such as the one just made.
    public func shows(_ commitNumber: UInt64) async {
        await hub.showing(commitNumber)
        await state.searched()
    }

    private func choose() {
        isChosen = predicate != nil || finder.hasText || !query.isKept
        matchCount = nil
        guard !isChosen else {
            baseNumber = hub.number(of: finder.base)
            return look()
        }
        state.reload(WorkListItems(query.items(in: hub.snapshot.version)))
    }

    private var finder: MatchFinder {
        MatchFinder(snapshot: hub.snapshot, query: query, text: search, predicate: predicate)
    }

    /// - Parameter isAgain: whether a commit is the reason.
    private func look(again isAgain: Bool = false) {
        state.look(
            again: isAgain,
            for: { [weak self] (isAgain) async throws(LibraryError) in
                guard let finder = self?.finder else { throw .cancelled }
                // After a commit what was found before is shown until all is found, or the list would shrink in between.
                if !isAgain, let first = try await finder.first(50) {
                    guard !Task.isCancelled else { throw .cancelled }
                    self?.state.show(first)
                }
                let found = try await finder.all(5_000)
                guard !Task.isCancelled, let self else { throw .cancelled }
                matchCount = found.matchCount
                // An observer that was notified of that may have set another list, of which it is not known.
                guard !Task.isCancelled else {
                    matchCount = nil
                    throw .cancelled
                }
                return found.items
            },
            orShow: { [weak self] error in
                guard let self else { return nil }
                matchCount = nil
                let list = WorkItems(
                    hub.snapshot.version, order: query.order, filter: query.filter, failure: error)
                return WorkListItems(list, chosen: [])
            })
    }
}

extension WorkList: LiveList {
    package func takeNumber() {
        queryNumber = hub.number(of: query)
        baseNumber = hub.number(of: finder.base)
    }

    package func follow(_ diff: SnapshotDiff) {
        let deleted = diff.changes[.works].deleted
        let selected = deleted.isEmpty ? [] : selection.filter { deleted.contains($0.untyped) }
        if !selected.isEmpty { selection.subtract(selected) }
        if diff.mayHideDeletions {
            // What cannot be read was not deleted.
            selection = selection.filter { id in
                do { return try diff.after.works[id] != nil } catch { return true }
            }
        }
        guard !state.isPast(diff) else { return }
        guard isChosen else { return state.show(diff.outcome(of: query, queryNumber)) }
        // When a commit may have touched what is shown, it is looked for again.
        let finder = finder
        // Of the editions a search sees the ISBNs.
        let isConcerned =
            diff.changes.isRelisted || diff.isOfOtherFile || error != nil
            || [BuiltInKind.works, .entries, .rows, .editions].contains { !diff.changes[$0].isEmpty }
        let isFollowing = state.follow(ifConcerned: isConcerned) {
            diff.outcome(choosing: finder, from: state.items, baseNumber)
        }
        if !isFollowing { look(again: !state.items.isEmpty) }
    }
}
