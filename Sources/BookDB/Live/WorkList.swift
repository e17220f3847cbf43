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
    public var items: WorkListItems { shown.now.items }

    /// What the last commit, or the last change to the list itself, did to `items`.
    public var change: WorkListChange { shown.change }

    /// Increases with every `change`.
    public var changeNumber: Int { shown.changeNumber }

    /// One property, since telling the observers of three costs three times as much.
    private var shown: Shown

    private struct Shown {
        var now: LibraryStep.Outcome
        /// The last that was not empty. Not its items: they would keep an old snapshot.
        var change: WorkListChange
        var changeNumber = 0

        init(_ outcome: LibraryStep.Outcome) {
            now = outcome
            change = outcome.change
        }

        mutating func show(_ outcome: LibraryStep.Outcome) {
            now = outcome
            guard !outcome.change.isEmpty else { return }
            change = outcome.change
            changeNumber += 1
        }
    }

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
    /// is found.
    public var search = "" { didSet { if search != oldValue { choose() } } }

    /// How many works match `search`; `nil` when nothing is searched for, and until it is known.
    public private(set) var matchCount: Int?

    /// The rows on the screen. A commit moves the window with its first row, so that nothing jumps; at the top it stays there.
    public var window = 0..<0

    /// Works that were deleted leave it.
    public var selection: Set<ID<Work>> = []

    /// Whether matches of a search or a predicate are being looked for; `items` is what was found before.
    public private(set) var isSearching = false

    private var query: WorkListQuery {
        didSet {
            queryNumber = center.number(of: query)
            choose()
        }
    }

    /// Whether a search, a predicate or an order that the scope is not kept in chooses what is shown. Kept, because every commit asks every list.
    @ObservationIgnored private var isChosen = false
    @ObservationIgnored private var queryNumber: Int
    @ObservationIgnored private let center: WorkListCenter
    @ObservationIgnored private var searching: Task<Void, Never>?
    /// Whether what was found is not what the newest snapshot has: a commit came while it was looked for, or it could not be read.
    @ObservationIgnored private var isOutdated = false

    /// - Parameter order: the scope's own when it is `nil`. A scope in another order, or backwards, is looked for off the main
    ///   actor, as under a predicate.
    public init(
        _ store: BookStore, _ scope: WorkScope = .all, by order: WorkOrder? = nil,
        direction: WorkDirection = .forward, filter: WorkFilter = .all
    ) {
        let query = WorkListQuery(scope: scope, order: order ?? scope.order, direction: direction, filter: filter)
        self.query = query
        center = store.listCenter
        queryNumber = center.number(of: query)
        let items = query.items(in: center.snapshot)
        shown = Shown(LibraryStep.Outcome(WorkListItems(items, chosen: query.isKept ? nil : []), .reload))
        center.add(self)
        if !query.isKept { choose() }
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

    /// Where a text, such as a title, holds what is searched for.
    public func highlights(in text: String) -> [Range<String.Index>] {
        search.isEmpty ? [] : snapshot.works.search(search).highlights(in: text)
    }

    /// Waits until the list shows a commit, such as the one just made.
    public func shows(_ commitNumber: UInt64) async {
        await center.showing(commitNumber)
        while isSearching, let searching, !Task.isCancelled { await searching.value }
    }

    // MARK: Following

    /// The center numbers what lists show anew.
    func takeNumber() { queryNumber = center.number(of: query) }

    func apply(_ step: LibraryStep) {
        if !step.deleted.isEmpty, !step.deleted.isDisjoint(with: selection) { selection.subtract(step.deleted) }
        guard !isChosen else { return follow(step) }
        show(step.outcome(of: query, queryNumber))
    }

    /// A list that is chosen from another: when a step may have touched what is shown, it is looked for anew.
    private func follow(_ step: LibraryStep) {
        if isSearching {
            isOutdated = true
            return
        }
        let finder = finder
        guard !isOutdated,
            let outcome = step.outcome(choosing: finder, from: shown.now.items, center.number(of: finder.base))
        else { return look() }
        show(outcome)
    }

    /// The window goes with its first row.
    private func show(_ outcome: LibraryStep.Outcome) {
        // The old items would keep the old snapshot, so they go also when they show the same.
        shown.show(outcome)
        guard window.lowerBound > 0, !outcome.change.isReload else { return }
        let start = min(outcome.change.index(after: window.lowerBound), max(0, items.count - window.count))
        if start != window.lowerBound { window = start..<start + window.count }
    }

    private func reload() {
        guard !isChosen else { return look() }
        searching?.cancel()
        isSearching = false
        isOutdated = false
        matchCount = nil
        show(WorkListItems(query.items(in: center.snapshot)), .reload)
    }

    private func choose() {
        isChosen = predicate != nil || !search.isEmpty || !query.isKept
        reload()
    }

    private var finder: MatchFinder {
        MatchFinder(snapshot: center.snapshot, query: query, text: search, predicate: predicate)
    }

    private func look() {
        searching?.cancel()
        isSearching = true
        isOutdated = false
        let finder = finder
        searching = Task { [weak self] in
            do throws(BookError) {
                if let first = try await finder.first(50) { self?.show(first, .reload) }
                let found = try await finder.all(5_000)
                guard !Task.isCancelled else { throw .cancelled }
                self?.finish(found.items, found.matchCount)
            } catch .cancelled {
                // What replaced this search goes on.
            } catch {
                // Of a library that cannot be read; the next commit may have mended it.
                self?.finish(WorkListItems(finder.list, chosen: []), 0)
                self?.isOutdated = true
            }
        }
    }

    private func finish(_ items: WorkListItems, _ count: Int?) {
        isSearching = false
        matchCount = count
        show(items, .reload)
        if isOutdated { look() }
    }

    private func show(_ items: WorkListItems, _ change: WorkListChange) {
        shown.show(LibraryStep.Outcome(items, change))
    }
}
