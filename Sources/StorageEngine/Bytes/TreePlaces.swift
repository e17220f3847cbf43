/// Which place each tree has among some, by its number.
struct TreePlaces: Sendable {
    /// Of the trees with low numbers, which are looked up for every read: by number, or -1.
    private var low = [Int16](repeating: -1, count: 64)
    /// Of the others: numbers, ascending.
    private var numbers: [UInt32] = []
    /// The place of each of those.
    private var places: [Int] = []
    private var count = 0

    init() {}

    init(_ declarations: [TreeDeclaration]) {
        for declaration in declarations { add(declaration.number) }
    }

    /// The tree gets the place behind all others.
    mutating func add(_ tree: TreeNumber) {
        let number = Int(tree.rawValue)
        if number < low.count {
            low[number] = Int16(count)
        } else {
            let index = lowerBound(of: tree.rawValue)
            numbers.insert(tree.rawValue, at: index)
            places.insert(count, at: index)
        }
        count += 1
    }

    subscript(tree: TreeNumber) -> Int? {
        let number = Int(tree.rawValue)
        if number < low.count { return low[number] < 0 ? nil : Int(low[number]) }
        let index = lowerBound(of: tree.rawValue)
        return index < numbers.count && numbers[index] == tree.rawValue ? places[index] : nil
    }

    private func lowerBound(of number: UInt32) -> Int { numbers.indices.partitionPoint { numbers[$0] < number } }
}
