/// The memory nodes and large values that trees reach, each with the commit it was born in. Reads no page: below a page there are
/// pages only.
struct MemoryWalk {
    /// By address.
    private(set) var births: [UInt64: UInt64] = [:]
    private(set) var allocations = NodeAllocations()

    mutating func walk(below reference: UInt64) {
        guard reference != 0, reference & 1 == 0 else { return }
        // Safe because memory references are made by the engine only and live as long as the version.
        let node = unsafe Node(reference: reference)
        // Nodes of several versions of a tree are met again and again.
        guard add(unsafe NodeMemory(at: node.address)) else { return }
        for index in 0..<node.count {
            guard node.isLeaf else {
                walk(below: node.child(index))
                continue
            }
            if let memory = node.largeValue(index) { _ = add(memory) }
        }
    }

    /// `false` when it was there.
    private mutating func add(_ memory: NodeMemory) -> Bool {
        guard births.updateValue(memory.born, forKey: memory.reference) == nil else { return false }
        allocations.count += 1
        allocations.byteCount += memory.byteCount
        return true
    }
}
