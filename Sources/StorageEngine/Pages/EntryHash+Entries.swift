/// What the column `hashSum` counts of an entry.
extension EntryHash {
    /// Of a value as a leaf holds it: a reference to a value that lies elsewhere has its hash.
    @inline(__always)
    static func ofValue(word: UInt16, cell: RawSpan) -> UInt64 {
        word & 0x8000 == 0 ? hash(cell) : cell.load(ColdReferenceField.hash)
    }

    static func ofEntry(key: RawSpan, word: UInt16, cell: RawSpan) -> UInt64 {
        hash(key, seed: ofValue(word: word, cell: cell))
    }
}

extension Node {
    /// Of a leaf's entry.
    func valueHash(_ index: Int) -> UInt64 {
        withCell(index) { word, cell in EntryHash.ofValue(word: word, cell: cell) }
    }

    func entryHash(_ index: Int) -> UInt64 {
        let value = valueHash(index)
        return withKey(index) { EntryHash.hash($0, seed: value) }
    }
}
