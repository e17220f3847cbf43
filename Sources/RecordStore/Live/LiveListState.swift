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
    /// Ascends with each search and each reload. By that they notice that an observer, whom they have notified, has begun another.
    private var turn = 0
    /// Of the last search that came to its end.
    private var endedTurn = 0

    /// Where the row at an index of other items is among some; `nil` where it is not shown.
    private let find: @MainActor (_ items: Items, _ others: Items, _ index: Int) -> Int?

    /// - Parameter memory: hears what the list holds.
    package init(
        _ items: Items, _ memory: ListMemory,
        find: @escaping @MainActor (_ items: Items, _ others: Items, _ index: Int) -> Int?
    ) {
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
        let before = (window: window, turn: turn)
        let start = start(after: outcome)
        shown.show(outcome)
        // What an observer has set while it was notified is newer.
        guard let start, start != window.lowerBound, window == before.window, turn == before.turn else { return }
        window = start..<start + min(window.count, Int.max - start)
    }

    /// Where the window will begin, so that as many rows are in it as now, where there are as many; `nil` where it stays.
    private func start(after outcome: ListOutcome<Items>) -> Int? {
        // A window may lie anywhere, also behind the last row.
        guard window.lowerBound > 0, window.lowerBound < items.count else { return nil }
        let rows = window.clamped(to: 0..<items.count)
        guard let start = place(ofFirst: rows, after: outcome) else { return nil }
        return min(start, max(0, outcome.items.count - rows.count))
    }

    /// Where the first of some rows will be. Of rows that were made anew it is looked up, or the first after it that is still there.
    private func place(ofFirst rows: Range<Int>, after outcome: ListOutcome<Items>) -> Int? {
        guard outcome.change.isReload else { return outcome.change.index(after: rows.lowerBound) }
        for index in rows {
            if let place = find(outcome.items, items, index) { return max(0, place - (index - rows.lowerBound)) }
        }
        return nil
    }

    /// Shows other items, and ends a search.
    package func reload(_ items: Items) {
        let turn = beginTurn()
        isSearching = false
        // An observer that was notified of that may have set another list.
        guard turn == self.turn else { return }
        isOutdated = false
        show(items)
    }

    private func beginTurn() -> Int {
        search?.cancel()
        turn += 1
        return turn
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
        let turn = beginTurn()
        isSearching = true
        // As in `reload`.
        guard turn == self.turn else { return }
        isOutdated = false
        search = Task { [weak self] in
            do throws(LibraryError) {
                let found = try await find(isAgain)
                guard let self, self.endSearch(turn) else { throw .cancelled }
                if isAgain { show(ListOutcome(found, .reload)) } else { show(found) }
                if isOutdated { look(again: true, for: find, orShow: failure) }
            } catch .cancelled {
                // What replaced this search goes on.
            } catch {
                // So it does when the search that was replaced fails.
                guard !Task.isCancelled, let self, let items = failure(error), self.endSearch(turn) else { return }
                isOutdated = true
                // Empty before and after.
                shown.show(ListOutcome(items, self.items.isEmpty && items.isEmpty ? ListChange() : .reload))
            }
        }
    }

    /// - Returns: whether what was found is to be shown: not where an observer, such as one that is notified of this end, has set another list.
    private func endSearch(_ turn: Int) -> Bool {
        guard turn == self.turn else { return false }
        endedTurn = turn
        isSearching = false
        return turn == self.turn
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

    /// Returns when no search is under way, or one has ended that began after the call, or the task is cancelled: as long as commits come, one search may
    /// follow the other.
    package func searched() async {
        let begun = turn
        while isSearching, endedTurn <= begun, !Task.isCancelled { await searchWaiters.wait() }
    }
}
