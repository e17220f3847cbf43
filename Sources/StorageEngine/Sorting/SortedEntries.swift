/// The entries that collectors gathered for one tree, or those of a stretch of it, in key order, each key once.
struct SortedEntries {
    private let declaration: TreeDeclaration
    private var readers: [RunReader] = []
    /// Readers that have an entry, as a heap: none has an entry that comes before its parent's (Knuth, The Art of Computer Programming 3,
    /// 5.2.3). Large loads have hundreds of runs.
    private var heap: [Leader] = []

    private struct Leader {
        /// Of the reader's entry: where most comparisons end.
        var head: UInt64
        let reader: Int
    }

    /// - Parameter keys: which of them.
    init(
        _ runs: [SortedRun], of declaration: TreeDeclaration, _ keys: KeyRange = .all
    ) throws(StorageError) {
        self.declaration = declaration
        for run in runs {
            var reader = RunReader(run, keys)
            guard try reader.begin(at: keys.start) else { continue }
            heap.append(Leader(head: reader.head, reader: readers.count))
            readers.append(reader)
        }
        for position in (0..<heap.count / 2).reversed() { moveDown(position) }
    }

    var isAtEnd: Bool { heap.isEmpty }

    /// The next entry. Precondition: not at the end.
    func withEntry<Result>(
        _ body: (_ key: RawSpan, _ facets: UInt16, _ value: RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let first = heap.first else { preconditionFailure("there is a next entry") }
        let offset = readers[first.reader].offset
        return try readers[first.reader].bytes.withBytes { (bytes) throws(StorageError) in
            try body(
                bytes.extracting(bytes.sortedEntryKey(at: offset)), bytes.sortedEntryFacets(at: offset),
                bytes.extracting(bytes.sortedEntryValue(at: offset)))
        }
    }

    /// Goes on to the next key. Other runs may hold the entry too.
    ///
    /// - Throws: `.duplicateKey` when one holds another entry of its key.
    mutating func advance() throws(StorageError) {
        guard let first = heap.first else { return }
        while let second = positionOfSecond, heap[second].head == first.head {
            let comparison = comparison(heap[second].reader, first.reader)
            if comparison == .otherKey { break }
            if comparison == .contradicting {
                throw declaration.duplicateKey(readers[first.reader].bytes, at: readers[first.reader].offset)
            }
            try step(at: second)
        }
        try step(at: 0)
    }

    /// Where the entry is that comes next but one; `nil` where there is none.
    private var positionOfSecond: Int? {
        guard heap.count > 2 else { return heap.count == 2 ? 1 : nil }
        return precedes(heap[2], heap[1]) ? 2 : 1
    }

    /// Goes on to the next entry of one reader.
    private mutating func step(at position: Int) throws(StorageError) {
        let reader = heap[position].reader
        if try readers[reader].advance() {
            heap[position].head = readers[reader].head
        } else {
            readers[reader].close()
            // The last one takes its place, and goes down from there. Above it is the first alone, which comes before all.
            let last = heap.removeLast()
            guard position < heap.count else { return }
            heap[position] = last
        }
        moveDown(position)
    }

    /// Puts what is at a position behind those below it that come first. Precondition: all else is in order.
    private mutating func moveDown(_ start: Int) {
        let leader = heap[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
            guard precedes(heap[child], leader) else { break }
            heap[position] = heap[child]
            position = child
        }
        heap[position] = leader
    }

    private func precedes(_ left: Leader, _ right: Leader) -> Bool {
        left.head == right.head ? order(left.reader, right.reader) < 0 : left.head < right.head
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

    /// Nothing is read any more.
    mutating func close() { bytes = [] }

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
