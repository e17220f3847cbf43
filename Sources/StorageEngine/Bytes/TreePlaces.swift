/// Which place each tree has among some, by its number.
struct TreePlaces: Sendable {
    /// Ascending.
    private var numbers: [UInt32] = []
    /// Of each number.
    private var places: [Int] = []

    init() {}

    init(_ declarations: [TreeDeclaration]) {
        for declaration in declarations { add(declaration.number) }
    }

    /// The tree gets the place behind all others.
    mutating func add(_ tree: TreeNumber) {
        let index = lowerBound(of: tree.rawValue)
        places.insert(numbers.count, at: index)
        numbers.insert(tree.rawValue, at: index)
    }

    subscript(tree: TreeNumber) -> Int? {
        let number = tree.rawValue
        // Numbers are given one after the other, so most stand where they would if none were missing.
        let guess = Int(number) - 1
        if guess >= 0, guess < numbers.count, numbers[guess] == number { return places[guess] }
        let index = lowerBound(of: number)
        return index < numbers.count && numbers[index] == number ? places[index] : nil
    }

    private func lowerBound(of number: UInt32) -> Int {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) >> 1
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
