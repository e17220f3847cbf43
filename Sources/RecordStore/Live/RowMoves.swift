/// Where the rows of a list go in a commit, seen from a list that a search or a predicate chooses from it.
package struct RowMoves {
    private let steps: [ListChange.Step]
    /// Indices of the changed rows before, ascending.
    private let befores: [Int32]
    /// Of their indices after, ascending, each less those before it: as many rows as did not change are before it.
    private let gaps: [Int32]
    private let isStill: Bool

    /// - Parameter steps: of every row of the list that changed in any way.
    package init(_ steps: [ListChange.Step]) {
        self.steps = steps
        befores = steps.compactMap { $0.before.map(Int32.init) }.sorted()
        let afters = steps.compactMap { $0.after.map(Int32.init) }.sorted()
        gaps = afters.enumerated().map { $1 - Int32($0) }
        isStill = befores == afters
    }

    /// The chosen rows after the commit, and what it did to them.
    ///
    /// - Parameters:
    ///   - chosen: the rows before, ascending.
    ///   - isShown: whether a changed row is chosen after the commit, by its place among the steps.
    package func followed(_ chosen: [Int32], isShown: (Int) -> Bool) -> (chosen: [Int32], change: ListChange) {
        let arriving = steps.indices.compactMap { index in
            steps[index].after.flatMap { isShown(index) ? Int32($0) : nil }
        }.sorted()
        let shown = moved(ascending: chosen, arriving: arriving)
        let change = ListChange(
            steps.map { step in
                ListChange.Step(
                    before: step.before.flatMap { chosen.place(of: Int32($0)) },
                    after: step.after.flatMap {
                        arriving.place(of: Int32($0)) != nil ? shown.place(of: Int32($0)) : nil
                    })
            })
        return (shown, change)
    }

    /// The indices after of rows that did not change, in the same order.
    package func moved(_ indices: [Int32]) -> [Int32] {
        guard !isStill else { return indices }
        return indices.map { index in
            let place = index - Int32(befores.rank(of: index))
            return place + Int32(gaps.rank(of: place + 1))
        }
    }

    /// The indices after, ascending: those of rows that did not change, and those given.
    private func moved(ascending indices: [Int32], arriving: [Int32]) -> [Int32] {
        let leaving = befores.filter { indices.place(of: $0) != nil }
        // Mostly the rows that changed are those that were shown, or are not shown as before.
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
    func place(of element: Int32) -> Int? {
        let place = rank(of: element)
        return place < count && self[place] == element ? place : nil
    }
}
