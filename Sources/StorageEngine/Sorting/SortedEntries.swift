/// The entries that collectors gathered for one tree, or those of a stretch of it, in key order, each key once.
struct SortedEntries {
    private let declaration: TreeDeclaration
    private var readers: [RunReader]
    /// Of each reader's entry, where most comparisons end.
    private var heads: [UInt64] = []
    /// The reader whose entry is next; `nil` behind the last.
    private var current: Int?

    /// - Parameter keys: which of them.
    init(
        _ runs: [SortedRun], of declaration: TreeDeclaration, _ keys: KeyRange = .all
    ) throws(StorageError) {
        self.declaration = declaration
        readers = []
        for run in runs {
            var reader = RunReader(run, keys)
            guard try reader.begin(at: keys.start) else { continue }
            heads.append(reader.head)
            readers.append(reader)
        }
        current = least()
    }

    var isAtEnd: Bool { current == nil }

    /// The next entry. Precondition: not at the end.
    func withEntry<Result>(
        _ body: (_ key: RawSpan, _ facets: UInt16, _ value: RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let current else { preconditionFailure("there is a next entry") }
        let offset = readers[current].offset
        return try readers[current].bytes.withBytes { (bytes) throws(StorageError) in
            try body(
                bytes.extracting(bytes.sortedEntryKey(at: offset)), bytes.sortedEntryFacets(at: offset),
                bytes.extracting(bytes.sortedEntryValue(at: offset)))
        }
    }

    /// Goes on to the next key. Other runs may hold the entry too.
    ///
    /// - Throws: `.duplicateKey` when one holds another entry of its key.
    mutating func advance() throws(StorageError) {
        guard let old = current else { return }
        for index in readers.indices where index != old && heads[index] == heads[old] {
            switch comparison(index, old) {
            case .otherKey: continue
            case .equal: try step(index)
            case .contradicting: throw declaration.duplicateKey(readers[old].bytes, at: readers[old].offset)
            }
        }
        try step(old)
        // From the back, because readers that have come to their end go.
        for index in readers.indices.reversed() where readers[index].isAtEnd {
            readers.remove(at: index)
            heads.remove(at: index)
        }
        current = least()
    }

    private mutating func step(_ index: Int) throws(StorageError) {
        if try readers[index].advance() { heads[index] = readers[index].head }
    }

    private func least() -> Int? {
        guard var least = heads.indices.first else { return nil }
        for index in heads.indices.dropFirst() {
            if heads[index] < heads[least] || (heads[index] == heads[least] && order(index, least) < 0) {
                least = index
            }
        }
        return least
    }

    private func comparison(_ left: Int, _ right: Int) -> SortedEntryComparison {
        readers[left].bytes.withBytes { bytes in
            readers[right].bytes.withBytes { others in
                bytes.compareSortedEntry(at: readers[left].offset, to: others, at: readers[right].offset)
            }
        }
    }

    private func order(_ left: Int, _ right: Int) -> Int {
        let (leftOffset, rightOffset) = (readers[left].offset, readers[right].offset)
        return readers[left].bytes.withBytes { bytes in
            readers[right].bytes.withBytes { others in
                bytes.extracting(bytes.sortedEntryKey(at: leftOffset))
                    .order(relativeTo: others.extracting(others.sortedEntryKey(at: rightOffset)))
            }
        }
    }
}

/// Reads a run from front to back, a piece of the file at a time, which is taken apart only when it is what was written.
private struct RunReader {
    private let file: (any File)?
    private var remaining: Range<Int>
    /// Of the pieces that remain.
    private var checksums: ArraySlice<UInt32> = []
    private(set) var bytes: [UInt8]
    /// Of the entry within the bytes.
    private(set) var offset = 0
    /// Bytes of the first piece that come before the first entry.
    private var passed = 0

    /// The first key that is not wanted any more, and its head.
    private let end: [UInt8]?
    private let endHead: UInt64
    private(set) var isAtEnd = false

    init(_ run: SortedRun, _ keys: KeyRange) {
        end = keys.end
        endHead = keys.end?.withBytes { $0.sortingHead } ?? .max
        let start = keys.start.map { run.offset(before: $0) } ?? 0
        switch run.place {
        case .memory(let bytes):
            file = nil
            self.bytes = bytes
            remaining = 0..<0
            offset = start
        case .file(let file, let range, let checksums):
            self.file = file
            bytes = []
            let piece = start / SortedRun.pieceByteCount
            remaining = range.lowerBound + piece * SortedRun.pieceByteCount..<range.upperBound
            self.checksums = checksums[piece...]
            passed = start % SortedRun.pieceByteCount
        }
    }

    /// Of the key. Precondition: not at the end.
    var head: UInt64 { bytes.withBytes { $0.extracting($0.sortedEntryKey(at: offset)).sortingHead } }

    /// Whether there is a first entry whose key is not less.
    mutating func begin(at key: [UInt8]?) throws(StorageError) -> Bool {
        try refillIfNeeded()
        lookForEnd()
        guard let key else { return !isAtEnd }
        while !isAtEnd, isBefore(key) { _ = try advance() }
        return !isAtEnd
    }

    /// Whether there is a next entry.
    mutating func advance() throws(StorageError) -> Bool {
        offset += entryByteCount
        try refillIfNeeded()
        lookForEnd()
        return !isAtEnd
    }

    private mutating func lookForEnd() {
        guard offset < bytes.count else { return isAtEnd = true }
        if let end, head >= endHead, !isBefore(end) { isAtEnd = true }
    }

    private func isBefore(_ other: [UInt8]) -> Bool {
        bytes.withBytes { bytes in
            other.withBytes { bytes.extracting(bytes.sortedEntryKey(at: offset)).order(relativeTo: $0) < 0 }
        }
    }

    private var entryByteCount: Int { bytes.withBytes { $0.sortedEntryByteCount(at: offset) } }

    private var holdsEntry: Bool {
        bytes.count - offset >= SortedEntryField.end && bytes.count - offset >= entryByteCount
    }

    private mutating func refillIfNeeded() throws(StorageError) {
        guard let file, !remaining.isEmpty, !holdsEntry else { return }
        bytes.removeFirst(offset)
        offset = 0
        repeat {
            let count = min(SortedRun.pieceByteCount, remaining.count)
            let piece = try file.read(byteCount: count, at: remaining.lowerBound)
            guard CRC32C.checksum(piece) == checksums.popFirst() else {
                throw .damaged(
                    Damage(
                        file: file.path, byteOffset: remaining.lowerBound,
                        finding: "\(count) bytes of sorted entries are not what was written"))
            }
            bytes += piece
            remaining = remaining.lowerBound + count..<remaining.upperBound
            offset += passed
            passed = 0
        } while !remaining.isEmpty && !holdsEntry
    }
}
