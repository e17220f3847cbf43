/// What lies in a cold block.
struct ColdUse {
    /// By tree.
    private var counts: [(tree: String, count: Int)] = []
    /// Behind the last value.
    private(set) var end = 0
    private var byteCount = 0
    private var references: [ColdReference] = []

    /// The first value of which the hash is another than its reference says.
    func wrongHash(in block: [UInt8]) -> (reference: ColdReference, found: UInt64)? {
        // That is told by itself, and each of many values could take all of a large block.
        guard block.count <= ColdBlock.sharedByteCountLimit || isOneValue(of: block.count) else { return nil }
        for reference in references {
            let (start, end) = (Int(reference.offset), Int(reference.offset) + Int(reference.count))
            guard end <= block.count else { continue }
            let found = block.withBytes { EntryHash.hash($0.extracting(start..<end)) }
            if found != reference.hash { return (reference, found) }
        }
        return nil
    }

    mutating func add(_ reference: ColdReference, of tree: String) {
        end = max(end, Int(reference.offset) + Int(reference.count))
        byteCount += Int(reference.count)
        references.append(reference)
        if counts.last?.tree == tree { counts[counts.count - 1].count += 1 } else { counts.append((tree, 1)) }
    }

    /// Whether a block of so many bytes is one value, whole.
    func isOneValue(of blockByteCount: Int) -> Bool {
        counts.count == 1 && counts[0].count == 1 && byteCount == blockByteCount && end == blockByteCount
    }

    /// "12 values of texts and 1 value of notes".
    var words: String {
        counts.map { "\($0.count) \($0.count == 1 ? "value" : "values") of \($0.tree)" }.joined(separator: " and ")
    }
}
