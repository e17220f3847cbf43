import StorageEngine

/// What a commit does to a list that a search or a predicate chooses: only the changed works are looked at.
extension SnapshotDiff {
    /// What changed in lists of works.
    var works: WorkDiff { part { WorkDiff(from: before, to: after, changes) } }

    /// What the list shows after the commit; `nil` when its works have to be looked for again.
    ///
    /// - Parameters:
    ///   - items: what it showed before, all of it.
    ///   - number: the hub's for the list that is chosen from.
    func outcome(
        choosing finder: MatchFinder, from items: WorkListItems, _ number: Int
    ) -> ListOutcome<WorkListItems>? {
        let base = outcome(of: finder.base, number)
        guard let chosen = items.chosen, let steps = base.steps else { return nil }
        let moves = RowMoves(steps)
        let list = base.items.list
        if finder.hasText {
            guard let rows = try? works.changedRows(), (try? finder.search.mayFind(rows)) == false else { return nil }
            return ListOutcome(WorkListItems(list, chosen: moves.moved(chosen)), ListChange())
        }
        guard let condition = (try? finder.condition)?.condition, let keys = try? works.changedKeys() else {
            return nil
        }
        let followed = moves.followed(chosen) { index in
            guard let position = steps[index].after, let work = keys[index].after else { return false }
            return condition.holds(list[position]) { $0.holds(work) }
        }
        return ListOutcome(WorkListItems(list, chosen: followed.chosen), followed.change)
    }

    /// What a list shows after the commit, and what the commit did to it. A part of the library that cannot be read is a reload.
    ///
    /// - Parameter number: the hub's for the query.
    func outcome(of query: WorkListQuery, _ number: Int) -> ListOutcome<WorkListItems> {
        outcome(number) {
            ListOutcome(WorkListItems(query.items(in: after.version)), (try? works.steps(in: query)) ?? nil)
        }
    }
}
