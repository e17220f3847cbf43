/// Reading with spans and arrays instead of pointers: where safe callers meet the tree.
extension TreeSource {
    func value<Result>(forKey key: RawSpan, _ body: (RawSpan) -> Result) throws(StorageError) -> Result? {
        guard let place = try find(key) else { return nil }
        return try value(at: place, body)
    }

    func value<Result>(forKey key: UInt64, _ body: (RawSpan) -> Result) throws(StorageError) -> Result? {
        var failure: StorageError?
        let place = withUnsafeBytes(of: key.bigEndian) { key -> TreeReader.Place? in
            do throws(StorageError) { return try reader.find(key) } catch { failure = error }
            return nil
        }
        if let failure { throw failure }
        guard let place else { return nil }
        return try value(at: place, body)
    }

    func find(_ key: RawSpan) throws(StorageError) -> TreeReader.Place? {
        var failure: StorageError?
        let place = key.withUnsafeBytes { key -> TreeReader.Place? in
            do throws(StorageError) { return try reader.find(key) } catch { failure = error }
            return nil
        }
        if let failure { throw failure }
        return place
    }

    func lowerBound(of key: [UInt8], facet: Facet?) throws(StorageError) -> Int {
        var failure: StorageError?
        let position = key.withUnsafeBytes { key -> Int in
            do throws(StorageError) { return try reader.lowerBound(of: key, column: facet.column) } catch {
                failure = error
            }
            return 0
        }
        if let failure { throw failure }
        return position
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
        var positions = try positions(ofPrefix: prefix)
        if let after {
            let bound = try lowerBound(of: after, facet: nil)
            if descending {
                positions = positions.lowerBound..<max(positions.lowerBound, min(positions.upperBound, bound))
            } else {
                let isThere = try find(after.span.bytes) != nil
                let next = max(positions.lowerBound, bound + (isThere ? 1 : 0))
                positions = min(next, positions.upperBound)..<positions.upperBound
            }
        }
        var failure: StorageError?
        var cold = ColdReader(owner.file.cold)
        let visit = { (place: TreeReader.Place) -> Bool in
            withKey(at: place) { key in
                do throws(StorageError) {
                    return try value(at: place, &cold) { body(key, $0) }
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if descending {
            try reader.forEachReversed(positions, column: 0, visit)
        } else {
            try reader.forEach(positions, column: 0, visit)
        }
        withExtendedLifetime(owner) {}
        if let failure { throw failure }
    }

    // MARK: Entries

    func withKey<Result>(at place: TreeReader.Place, _ body: (RawSpan) -> Result) -> Result {
        let count = place.leaf.keyByteCount(place.index)
        return withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 1) { buffer in
            place.leaf.copyKey(place.index, to: buffer.baseAddress!)
            // Safe because the span lives no longer than the buffer, and `count` bytes of it were just written.
            return body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        }
    }

    func value<Result>(at place: TreeReader.Place, _ body: (RawSpan) -> Result) throws(StorageError) -> Result {
        let (word, bytes) = place.leaf.cell(place.index)
        if word & 0x8000 == 0 {
            defer { withExtendedLifetime(owner) {} }
            // Safe because the value lies within a verified page or a node the owner keeps.
            return body(RawSpan(_unsafeBytes: bytes))
        }
        var cold = ColdReader(owner.file.cold)
        return try value(at: place, &cold, body)
    }

    private func value<Result>(
        at place: TreeReader.Place, _ cold: inout ColdReader, _ body: (RawSpan) -> Result
    ) throws(StorageError) -> Result {
        defer { withExtendedLifetime(owner) {} }
        let (word, bytes) = place.leaf.cell(place.index)
        switch word {
        case NodeLayout.coldValue:
            return try cold.value(ColdReference(cell: bytes)) { body(RawSpan(_unsafeBytes: $0)) }
        case NodeLayout.largeValue:
            return body(RawSpan(_unsafeBytes: LargeValue(cell: bytes).bytes))
        default:
            // Safe because the value lies within a verified page or a node the owner keeps.
            return body(RawSpan(_unsafeBytes: bytes))
        }
    }
}
