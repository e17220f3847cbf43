import StorageEngine

/// What a commit did to a list, as a table or collection view wants it: first the removals and where moves begin, by the
/// indices before; then the insertions and where moves end, by the indices after.
public struct ListChange: Hashable, Sendable {
    public struct Move: Hashable, Sendable {
        public let from: Int
        public let to: Int
    }

    /// The list is another one: its order, filter or search changed, or too much of the library did to go by rows.
    public internal(set) var isReload = false

    /// Indices before, ascending.
    public internal(set) var removals: [Int] = []

    /// Indices after, ascending.
    public internal(set) var insertions: [Int] = []

    /// By the index before.
    public internal(set) var moves: [Move] = []

    /// Indices after of rows that show something else and stay where they are, ascending.
    public internal(set) var updates: [Int] = []

    /// Without arguments that nothing happened.
    package init(
        isReload: Bool = false, removals: [Int] = [], insertions: [Int] = [], moves: [Move] = [], updates: [Int] = []
    ) {
        (self.isReload, self.removals, self.insertions) = (isReload, removals, insertions)
        (self.moves, self.updates) = (moves, updates)
    }

    public var isEmpty: Bool {
        !isReload && removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    static let reload = ListChange(isReload: true)

    /// Where a row that stays is after the change. O(changes).
    func index(after index: Int) -> Int {
        // Mostly a row shows something else and nothing moves.
        if removals.isEmpty, insertions.isEmpty, moves.isEmpty { return index }
        let gone = removals.count { $0 < index } + moves.count { $0.from < index }
        var index = index - gone
        for arrival in (insertions + moves.map(\.to)).sorted() {
            guard arrival <= index else { break }
            index += 1
        }
        return index
    }
}

extension ListChange {
    /// The index in a list of what changed, before and after; `nil` where the list does not show it.
    package struct Step: Sendable {
        let before: Int?
        package let after: Int?

        package init(before: Int?, after: Int?) { (self.before, self.after) = (before, after) }
    }

    /// Whether steps make a list of so many rows one of so many others. A list that damage made hold other rows than the records say would
    /// make every later index wrong.
    package static func lead(_ steps: [Step], from oldCount: Int, to newCount: Int) -> Bool {
        let (goneCount, comeCount) = (steps.count { $0.before != nil }, steps.count { $0.after != nil })
        return oldCount - goneCount + comeCount == newCount
    }

    /// Tells the rows that moved from those that stayed: a row stays when as many others, of those that did not change, are
    /// before it as there were.
    ///
    /// - Parameter steps: of everything that changed in any way. O(k log k).
    init(_ steps: [Step]) {
        let befores = steps.compactMap(\.before).sorted()
        let afters = steps.compactMap(\.after).sorted()
        var shown: [(before: Int, after: Int)] = []
        for step in steps {
            switch (step.before, step.after) {
            case (nil, nil): break
            case (let before?, nil): removals.append(before)
            case (nil, let after?): insertions.append(after)
            case (let before?, let after?): shown.append((before, after))
            }
        }
        var lastAfter = -1
        for (before, after) in shown.sorted(by: { $0.before < $1.before }) {
            let staysPut = before - befores.rank(of: before) == after - afters.rank(of: after)
            // Two that changed places within a gap cannot both stay.
            if staysPut, after > lastAfter {
                updates.append(after)
                lastAfter = after
            } else {
                moves.append(Move(from: before, to: after))
            }
        }
        removals.sort()
        insertions.sort()
    }
}

extension Array where Element: Comparable {
    /// How many elements of the sorted array are smaller. O(log n).
    func rank(of element: Element) -> Int { indices.partitionPoint { self[$0] < element } }
}
