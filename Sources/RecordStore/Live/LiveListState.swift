import StorageEngine

/// What a live list shows: all rows of an order, or some that were chosen.
package protocol LiveItems: RandomAccessCollection, Sendable where Index == Int, Element: Identifiable {
    /// What the choice takes; 0 for all rows.
    var chosenByteCount: Int { get }

    /// What they are of.
    var version: Version { get }
}

/// What a live list shows, its window, and its search for rows: what all lists have in common.
@MainActor package final class LiveListState<Items: LiveItems> {
    /// The rows on the screen. A commit moves the window with its first row; at the top it stays there.
    @Observed package var window = 0..<0

    /// Whether rows are being looked for off the main actor.
    @Observed package private(set) var isSearching = false {
        didSet { if !isSearching { searchWaiters.resumeAll() } }
    }
    private let searchWaiters = WaitingCalls()

    /// One property, since telling the observers of three costs three times as much.
    @Observed private var shown: Shown {
        didSet { share.hold(shown.now.items.chosenByteCount) }
    }
    private let share: ListMemoryShare

    private struct Shown {
        var now: ListOutcome<Items>
        /// The last that was not empty. Not its items: they would keep an old snapshot.
        var change: ListChange
        var changeNumber = 0

        mutating func show(_ outcome: ListOutcome<Items>) {
            // The old items would keep the old snapshot, so they go also when they show the same.
            now = outcome
            guard !outcome.change.isEmpty else { return }
            change = outcome.change
            changeNumber += 1
        }
    }

    private var search: Task<Void, Never>?
    /// Whether a commit came during the search, or the search failed: what was found is not what the newest snapshot has.
    private var isOutdated = false

    /// Where a row is; `nil` where it is not shown.
    private let find: @MainActor (Items, Items.Element.ID) -> Int?

    /// - Parameter memory: hears what the list holds.
    package init(_ items: Items, _ memory: ListMemory, find: @escaping @MainActor (Items, Items.Element.ID) -> Int?) {
        shown = Shown(now: ListOutcome(items, .reload), change: .reload)
        share = ListMemoryShare(of: memory)
        self.find = find
        share.hold(items.chosenByteCount)
    }

    deinit { search?.cancel() }

    package var items: Items { shown.now.items }

    /// Whether the items are of what a commit led to already: an observer that was told of it before has set what is shown.
    package func isPast(_ diff: SnapshotDiff) -> Bool {
        items.version.ordinal.value >= diff.after.version.ordinal.value
    }

    package var change: ListChange { shown.change }
    package var changeNumber: Int { shown.changeNumber }

    /// Shows what a commit led to.
    package func show(_ outcome: ListOutcome<Items>) {
        let start = window.lowerBound > 0 ? start(after: outcome) : nil
        shown.show(outcome)
        guard let start = start.map({ min($0, max(0, items.count - window.count)) }), start != window.lowerBound
        else { return }
        window = start..<start + window.count
    }

    /// Where the first row of the window will be. Of rows that were made anew it is looked up, or the first after it that is still there.
    private func start(after outcome: ListOutcome<Items>) -> Int? {
        // A window may lie anywhere, also behind the last row.
        guard outcome.change.isReload else { return outcome.change.index(after: min(window.lowerBound, items.count)) }
        for index in window.clamped(to: items.startIndex..<items.endIndex) {
            if let start = find(outcome.items, items[index].id) { return max(0, start - (index - window.lowerBound)) }
        }
        return nil
    }

    /// Shows other items, and ends a search.
    package func reload(_ items: Items) {
        search?.cancel()
        isSearching = false
        isOutdated = false
        show(items)
    }

    /// Shows the items of another list, such as the first while the search for the rest goes on: the window stays where it is.
    package func show(_ items: Items) { shown.show(ListOutcome(items, .reload)) }

    // MARK: Searching

    /// Looks for what is to be shown, and once more when a commit came meanwhile.
    ///
    /// - Parameters:
    ///   - isAgain: whether a commit is the reason, and not another list: then the window goes with its first row.
    ///   - find: looks in the newest snapshot, off the main actor. Its argument is whether it looks again.
    ///   - failure: what is shown when that throws. The next commit may have mended it, so it is a reason to look again.
    package func look(
        again isAgain: Bool,
        for find: @escaping @MainActor (_ isAgain: Bool) async throws(LibraryError) -> Items,
        orShow failure: @escaping @MainActor (LibraryError) -> Items?
    ) {
        search?.cancel()
        isSearching = true
        isOutdated = false
        search = Task { [weak self] in
            do throws(LibraryError) {
                let found = try await find(isAgain)
                guard !Task.isCancelled, let self else { throw .cancelled }
                isSearching = false
                if isAgain { show(ListOutcome(found, .reload)) } else { show(found) }
                if isOutdated { look(again: true, for: find, orShow: failure) }
            } catch .cancelled {
                // What replaced this search goes on.
            } catch {
                // So it does when the search that was replaced fails.
                guard !Task.isCancelled, let self, let items = failure(error) else { return }
                isSearching = false
                // Empty before and after.
                shown.show(ListOutcome(items, self.items.isEmpty && items.isEmpty ? ListChange() : .reload))
                isOutdated = true
            }
        }
    }

    /// Follows a commit with rows that were looked for.
    ///
    /// - Parameters:
    ///   - isConcerned: whether the commit may have changed what is being looked for.
    ///   - outcome: `nil` when the commit may have touched what is shown in a way that only a new search finds.
    /// - Returns: whether that was possible; otherwise the rows are to be looked for again.
    package func follow(ifConcerned isConcerned: Bool = true, _ outcome: () -> ListOutcome<Items>?) -> Bool {
        if isSearching {
            isOutdated = isOutdated || isConcerned
            return true
        }
        guard !isOutdated, let outcome = outcome() else { return false }
        show(outcome)
        return true
    }

    /// Returns when no search is under way, or the task is cancelled.
    package func searched() async {
        while isSearching, !Task.isCancelled { await searchWaiters.wait() }
    }
}
