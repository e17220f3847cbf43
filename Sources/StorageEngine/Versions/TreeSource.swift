/// Reading with spans and arrays instead of pointers: where safe callers meet the tree.
extension TreeSource {
    func value<Result>(forKey key: [UInt8], _ body: (RawSpan) -> Result) throws(StorageError) -> Result? {
        guard let place = try find(key) else { return nil }
        return try value(at: place, body)
    }

    func value<Result>(forKey key: UInt64, _ body: (RawSpan) -> Result) throws(StorageError) -> Result? {
        defer { withExtendedLifetime(owner) {} }
        let place = try key.withBigEndianBytes { (key) throws(StorageError) in try reader.find(key) }
        guard let place else { return nil }
        return try value(at: place, body)
    }

    /// Asks for the pages that some keys lie on, which are about to be read, where the system is likely not to have them.
    func ask(forKeys keys: [UInt64]) {
        defer { withExtendedLifetime(owner) {} }
        guard keys.count > 1, reader.pages.mayBeCold(), let root = try? reader.rootNode() else { return }
        reader.pages.ask(forWaysFrom: Array(repeating: root, count: keys.count)) { way, branch in
            keys[way].withBigEndianBytes { branch.childIndex(of: $0) }
        }
    }

    /// For callers of other modules, as `Entry.lendValue` is.
    @usableFromInline func lendValue(forKey key: [UInt8], _ body: (RawSpan) -> Void) throws(StorageError) {
        _ = try value(forKey: key, body)
    }

    @usableFromInline func lendValue(forKey key: UInt64, _ body: (RawSpan) -> Void) throws(StorageError) {
        _ = try value(forKey: key, body)
    }

    private func find(_ key: [UInt8]) throws(StorageError) -> TreeReader.Place? {
        defer { withExtendedLifetime(owner) {} }
        return try key.withBytes { (key) throws(StorageError) in try reader.find(key) }
    }

    func lowerBound(of key: [UInt8], facet: Facet?) throws(StorageError) -> Int {
        defer { withExtendedLifetime(owner) {} }
        return try key.withBytes { (key) throws(StorageError) in try reader.lowerBound(of: key, column: facet.column) }
    }

    /// The positions of the keys that begin with `prefix`.
    private func positions(ofPrefix prefix: [UInt8]) throws(StorageError) -> Range<Int> {
        guard !prefix.isEmpty else { return 0..<(try reader.count(column: 0)) }
        let lower = try lowerBound(of: prefix, facet: nil)
        // The first key behind all that begin with the prefix: its last byte that can grow, grown by one.
        var next = prefix
        while let last = next.last, last == 0xFF { next.removeLast() }
        guard let last = next.popLast() else { return lower..<max(lower, try reader.count(column: 0)) }
        next.append(last + 1)
        return lower..<max(lower, try lowerBound(of: next, facet: nil))
    }

    func scan(
        prefix: [UInt8], after: [UInt8]?, descending: Bool, _ body: (RawSpan, RawSpan) -> Bool
    ) throws(StorageError) {
        guard descending else { return try scan(prefix: prefix, after: after, body) }
        var positions = try positions(ofPrefix: prefix)
        if let after {
            let bound = try lowerBound(of: after, facet: nil)
            positions = positions.lowerBound..<max(positions.lowerBound, min(positions.upperBound, bound))
        }
        try scan(positions: positions, facet: nil, descending: true, endsAnywhere: true, body)
    }

    /// The same in ascending order: the keys say where the prefix ends, so that a short range is one descent.
    private func scan(prefix: [UInt8], after: [UInt8]?, _ body: (RawSpan, RawSpan) -> Bool) throws(StorageError) {
        defer { withExtendedLifetime(owner) {} }
        let start = after.map { prefix.lexicographicallyPrecedes($0) ? $0 : prefix } ?? prefix
        var cold = ColdReader(owner.file)
        let pages = reader.pages
        try start.withBytes { (start) throws(StorageError) in
            try reader.forEach(from: start, while: { $0.starts(with: prefix) }) { (place) throws(StorageError) in
                try pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
                    guard key.starts(with: prefix) else { return false }
                    if let after, key.byteCount == after.count, key.starts(with: after) { return true }
                    return try Self.value(of: place, &cold) { body(key, $0) }
                }
            }
        }
    }

    func scan(
        positions: Range<Int>, facet: Facet?, descending: Bool, endsAnywhere: Bool = false,
        _ body: (RawSpan, RawSpan) -> Bool
    ) throws(StorageError) {
        defer { withExtendedLifetime(owner) {} }
        var cold = ColdReader(owner.file)
        let pages = reader.pages
        if descending {
            try reader.forEachReversed(
                positions, column: facet.column, endsAnywhere: endsAnywhere
            ) { (place) throws(StorageError) in
                try Self.visit(place, pages, &cold, body)
            }
        } else {
            try reader.forEach(positions, column: facet.column) { (place) throws(StorageError) in
                try Self.visit(place, pages, &cold, body)
            }
        }
    }

    /// Values at some positions, and what gives the last eight bytes of an entry's key to who asks for them.
    func scanValues(
        positions: Range<Int>,
        _ body: (_ value: RawSpan, _ trailingInteger: () throws(StorageError) -> UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        defer { withExtendedLifetime(owner) {} }
        var cold = ColdReader(owner.file)
        let pages = reader.pages
        try reader.forEachLeaf(positions) { (leaf, indices) throws(StorageError) in
            if leaf.isPacked, !leaf.isDensePatch {
                return try leaf.packed.forEachValue(indices) { (index, value) throws(StorageError) in
                    try body(value) { () throws(StorageError) in try pages.trailingInteger(of: leaf, index) }
                }
            }
            for index in indices {
                let goesOn = try leaf.withCell(index) { (word, cell) throws(StorageError) in
                    try cold.value(word: word, cell: cell) { (value) throws(StorageError) in
                        try body(value) { () throws(StorageError) in try pages.trailingInteger(of: leaf, index) }
                    }
                }
                guard goesOn else { return false }
            }
            return true
        }
    }

    // Static, with what they need of the source: what refers to it copies it for every entry, and counts its owner.

    @inline(__always)
    private static func visit(
        _ place: TreeReader.Place, _ pages: PageSource, _ cold: inout ColdReader, _ body: (RawSpan, RawSpan) -> Bool
    ) throws(StorageError) -> Bool {
        try pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
            try value(of: place, &cold) { body(key, $0) }
        }
    }

    @inline(__always)
    private static func value(
        of place: TreeReader.Place, _ cold: inout ColdReader, _ body: (RawSpan) -> Bool
    ) throws(StorageError) -> Bool {
        try place.leaf.withCell(place.index) { (word, cell) throws(StorageError) in
            try cold.value(word: word, cell: cell, body)
        }
    }

    func value<Result>(
        at place: TreeReader.Place, _ body: (RawSpan) -> Result
    ) throws(StorageError) -> Result {
        defer { withExtendedLifetime(owner) {} }
        if let result = place.leaf.withHotValue(place.index, body) { return result }
        return try place.leaf.withCell(place.index) { (word, cell) throws(StorageError) in
            var cold = ColdReader(forOneOf: owner.file)
            return try cold.value(word: word, cell: cell, body)
        }
    }
}
