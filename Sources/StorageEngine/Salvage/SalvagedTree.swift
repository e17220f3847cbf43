/// The leaves of one tree that were proved, and the stretches of keys that no proved page covers.
struct SalvagedTree: Sendable {
    struct Leaf: Sendable {
        let page: UInt32
        let checksum: UInt32
        let count: Int
        let firstKey: [UInt8]
    }

    /// What lies below a page that is lost.
    struct Stretch: Sendable {
        /// Among the places of the report.
        let place: Int?
        let low: [UInt8]?
        let high: [UInt8]?
        /// As the parent counts.
        let expectedCount: Int?
        /// Below a page that was proved by its seal, within a stretch that another page lost.
        let isWithinAnother: Bool
        /// Entries of leaves that were found by their seals.
        var savedCount = 0

        func contains(_ key: [UInt8]) -> Bool {
            !(low.map { key.lexicographicallyPrecedes($0) } ?? false)
                && (high.map { key.lexicographicallyPrecedes($0) } ?? true)
        }
    }

    let declaration: TreeDeclaration
    let shape: NodeShape
    /// As the head says.
    let expectedCount: Int?
    private(set) var leaves: [Leaf] = []
    private(set) var savedCount = 0
    private(set) var stretches: [Stretch] = []
    /// Those that lie within no other, in the order of their keys.
    private var outer: [Int] = []

    init(_ declaration: TreeDeclaration, expectedCount: Int?) {
        self.declaration = declaration
        shape = NodeShape(declaration)
        self.expectedCount = expectedCount
    }

    /// One that only its pages tell of: what its columns are is not known.
    init(_ number: TreeNumber, _ shape: NodeShape) {
        declaration = TreeDeclaration(number, "tree \(number.rawValue)", facetCount: shape.facetCount)
        self.shape = shape
        expectedCount = nil
    }

    /// Known to be lost; all that are when the head says how many there were.
    var lostCount: Int {
        guard let expectedCount else {
            return stretches.reduce(0) { $0 + ($1.isWithinAnother ? $1.expectedCount ?? 0 : 0) }
        }
        return max(0, expectedCount - savedCount)
    }

    /// One that lies within no other comes behind those before it.
    mutating func add(_ stretch: Stretch) {
        if !stretch.isWithinAnother { outer.append(stretches.count) }
        stretches.append(stretch)
    }

    mutating func add(_ leaf: Leaf, inStretchesOnly: Bool) {
        if inStretchesOnly {
            guard let index = stretch(containing: leaf.firstKey) else { return }
            stretches[index].savedCount += leaf.count
        }
        leaves.append(leaf)
        savedCount += leaf.count
    }

    mutating func sortLeaves() {
        leaves.sort { $0.firstKey.lexicographicallyPrecedes($1.firstKey) }
    }

    /// The one that lies within no other and holds a key.
    private func stretch(containing key: [UInt8]) -> Int? {
        let next = outer.indices.partitionPoint { place in
            stretches[outer[place]].low.map { !key.lexicographicallyPrecedes($0) } ?? true
        }
        guard next > 0, stretches[outer[next - 1]].contains(key) else { return nil }
        return outer[next - 1]
    }

    /// Entries of each stretch that are lost. What a page below is known to have lost counts there only.
    func lostCounts() -> [Int?] {
        var below = [Int](repeating: 0, count: stretches.count)
        for inner in stretches where inner.isWithinAnother {
            let key = inner.low ?? inner.high ?? []
            if let index = stretch(containing: key) { below[index] += inner.expectedCount ?? 0 }
        }
        return stretches.indices.map { index in
            stretches[index].expectedCount.map { expected in
                guard !stretches[index].isWithinAnother else { return expected }
                return max(0, expected - stretches[index].savedCount - below[index])
            }
        }
    }
}
