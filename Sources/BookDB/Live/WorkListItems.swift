/// What a `WorkList` shows: a value with random access, whose rows are read when they are asked for.
public struct WorkListItems: RandomAccessCollection, Sendable {
    let list: WorkItems
    /// Indices in `list`, in the order they are shown; `nil` when all are.
    let chosen: [Int32]?

    init(_ list: WorkItems, chosen: [Int32]? = nil) {
        self.list = list
        self.chosen = chosen
    }

    var isLoaded: Bool { list.isLoaded }

    /// O(log n), and O(matches) among rows that were chosen.
    func index(of id: ID<Work>) -> Int? {
        if let chosen { return chosen.indices.first { self[$0].id == id } }
        return (try? list.index(of: id)) ?? nil
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { chosen?.count ?? list.count }

    /// O(log n). The identifier is there without reading the row.
    public subscript(index: Int) -> WorkListItem {
        guard let chosen else { return list[index] }
        return list[Int(chosen[index])]
    }
}
