import StorageEngine

/// What a step does to a list that a search or a predicate chooses: only the changed works are looked at.
extension LibraryStep {
    /// What the list shows after the step; `nil` when its works have to be looked for anew.
    ///
    /// - Parameters:
    ///   - items: what it showed before, all of it.
    ///   - number: the center's for the list that is chosen from.
    func outcome(choosing finder: MatchFinder, from items: WorkListItems, _ number: Int) -> Outcome? {
        guard let chosen = items.chosen, let steps = try? steps(in: finder.base, number) else { return nil }
        let moved = Moved(steps)
        let list = finder.base.items(in: after)
        if finder.hasText {
            guard let rows = try? changedRows(), (try? finder.search.mayFind(rows)) == false else { return nil }
            return Outcome(WorkListItems(list, chosen: moved.apply(to: chosen)), WorkListChange())
        }
        guard let condition = finder.condition?.condition, let places = try? changedPlaces() else { return nil }
        var arriving: [Int32] = []
        for (step, place) in zip(steps, places) {
            guard let index = step.after, let place = place.after else { continue }
            let isShown = condition.holds(list[index]) { index, prefix in
                place.stands.contains { $0.index == index && $0.key.starts(with: prefix) }
            }
            if isShown { arriving.append(Int32(index)) }
        }
        arriving.sort()
        let shown = moved.apply(toAscending: chosen, arriving: arriving)
        let change = WorkListChange(
            steps.map { step in
                WorkListChange.Step(
                    before: step.before.flatMap { chosen.place(of: Int32($0)) },
                    after: step.after.flatMap {
                        arriving.place(of: Int32($0)) != nil ? shown.place(of: Int32($0)) : nil
                    })
            })
        return Outcome(WorkListItems(list, chosen: shown), change)
    }
}

/// Where the rows of a list went that did not change themselves.
private struct Moved {
    /// Indices of the changed works before, ascending.
    private let befores: [Int32]
    /// Of their indices after, ascending, each less those before it: as many rows as did not change are before it.
    private let gaps: [Int32]
    private let isStill: Bool

    init(_ steps: [WorkListChange.Step]) {
        befores = steps.compactMap { $0.before.map(Int32.init) }.sorted()
        let afters = steps.compactMap { $0.after.map(Int32.init) }.sorted()
        gaps = afters.enumerated().map { $1 - Int32($0) }
        isStill = befores == afters
    }

    /// The indices after of rows that did not change, in the same order.
    func apply(to indices: [Int32]) -> [Int32] {
        guard !isStill else { return indices }
        return indices.map { index in
            let place = index - Int32(befores.rank(of: index))
            return place + Int32(gaps.rank(of: place + 1))
        }
    }

    /// The indices after, ascending: those of rows that did not change, and those given.
    func apply(toAscending indices: [Int32], arriving: [Int32]) -> [Int32] {
        let leaving = befores.filter { indices.place(of: $0) != nil }
        // Mostly the works that changed are those that were shown, or are not shown as before.
        if isStill, leaving == arriving { return indices }
        var shown: [Int32] = []
        shown.reserveCapacity(indices.count - leaving.count + arriving.count)
        var (before, gap, arrival) = (0, 0, 0)
        for index in indices {
            while before < befores.count, befores[before] < index { before += 1 }
            if before < befores.count, befores[before] == index { continue }
            let place = index - Int32(before)
            while gap < gaps.count, gaps[gap] <= place { gap += 1 }
            while arrival < arriving.count, arriving[arrival] < place + Int32(gap) {
                shown.append(arriving[arrival])
                arrival += 1
            }
            shown.append(place + Int32(gap))
        }
        return shown + arriving[arrival...]
    }
}

extension [Int32] {
    /// Where an element of the sorted array is.
    fileprivate func place(of element: Int32) -> Int? {
        let place = rank(of: element)
        return place < count && self[place] == element ? place : nil
    }
}
