/// One entry as a leaf stores it, lent for the time of a call.
struct LeafEntry {
    let key: UnsafeRawBufferPointer
    /// Value word and the bytes behind it, as in `Node.cell`.
    let word: UInt16
    let cell: UnsafeRawBufferPointer
    let facets: UInt16

    static func with<Result, Failure>(
        key: RawSpan, word: UInt16, cell: RawSpan, facets: UInt16, _ body: (LeafEntry) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try key.withUnsafeBytes { (key) throws(Failure) in
            try cell.withUnsafeBytes { (cell) throws(Failure) in
                try body(LeafEntry(key: key, word: word, cell: cell, facets: facets))
            }
        }
    }
}

extension Node {
    func lowerBound(of entry: LeafEntry) -> (index: Int, isEqual: Bool) { lowerBound(of: entry.key) }
    func childIndex(of entry: LeafEntry) -> Int { childIndex(of: entry.key) }
}
