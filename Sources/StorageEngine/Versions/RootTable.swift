/// The roots of a version's trees by their places: a tree of nodes of 32, so that a version copies those that it changes and the few
/// above them, however many trees there are: 512 bytes a level, of which a thousand trees have two.
struct RootTable: Sendable {
    enum Node: Sendable {
        case leaf([TreeRoot])
        case branch([Node])

        /// Asked of the node itself and not of a copy, which would count references for every look-up.
        func root(_ place: Int, _ shift: Int) -> TreeRoot {
            let index = place >> shift & (RootTable.width - 1)
            switch self {
            case .leaf(let roots): return roots[index]
            case .branch(let children): return children[index].root(place, shift - RootTable.bits)
            }
        }

        /// Changes a node in place that no other version has, and a copy otherwise.
        mutating func set(_ root: TreeRoot, _ place: Int, _ shift: Int) {
            let index = place >> shift & (RootTable.width - 1)
            switch self {
            case .leaf(var roots):
                // Left empty meanwhile, so that the array has one owner.
                self = .leaf([])
                roots[index] = root
                self = .leaf(roots)
            case .branch(var children):
                self = .leaf([])
                children[index].set(root, place, shift - RootTable.bits)
                self = .branch(children)
            }
        }

        mutating func append(_ root: TreeRoot, _ place: Int, _ shift: Int) {
            let index = place >> shift & (RootTable.width - 1)
            switch self {
            case .leaf(var roots):
                self = .leaf([])
                roots.append(root)
                self = .leaf(roots)
            case .branch(var children):
                self = .leaf([])
                if index == children.count {
                    children.append(shift == RootTable.bits ? .leaf([]) : .branch([]))
                }
                children[index].append(root, place, shift - RootTable.bits)
                self = .branch(children)
            }
        }
    }

    static let bits = 5
    static let width = 1 << bits

    private(set) var count = 0
    /// Bits of a place that the branches above the leaves tell apart.
    private var shift = 0
    private(set) var top = Node.leaf([])

    subscript(place: Int) -> TreeRoot {
        get {
            precondition((0..<count).contains(place), "there is such a place")
            return top.root(place, shift)
        }
        set {
            precondition((0..<count).contains(place), "there is such a place")
            top.set(newValue, place, shift)
        }
    }

    mutating func append(_ root: TreeRoot) {
        if count == 1 << (shift + Self.bits) {
            top = .branch([top])
            shift += Self.bits
        }
        top.append(root, count, shift)
        count += 1
    }
}
