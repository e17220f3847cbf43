/// The entries that collectors gathered for one tree, in key order, each key once.
struct SortedEntries {
    private var readers: [RunReader]
    /// The reader whose entry is next; `nil` behind the last.
    private var current: Int?

    init(_ runs: [SortedRun]) throws(StorageError) {
        readers = []
        for run in runs {
            let reader = RunReader(run)
            if try reader.advance() { readers.append(reader) }
        }
        current = nil
        current = least()
    }

    var isAtEnd: Bool { current == nil }

    /// The next entry. Precondition: not at the end.
    func withEntry<Result>(
        _ body: (_ key: RawSpan, _ facets: UInt16, _ value: RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let current else { preconditionFailure("there is a next entry") }
        return try readers[current].withEntry(body)
    }

    /// Goes on behind the entry, and behind others of its key.
    mutating func advance() throws(StorageError) {
        guard let old = current else { return }
        if readers.count > 1 {
            for index in readers.indices where index != old && readers[index].order(relativeTo: readers[old]) == 0 {
                try step(index)
            }
        }
        try step(old)
        readers.removeAll { $0.isAtEnd }
        current = least()
    }

    private mutating func step(_ index: Int) throws(StorageError) { _ = try readers[index].advance() }

    private func least() -> Int? {
        guard var least = readers.indices.first else { return nil }
        for index in readers.indices.dropFirst() where readers[index].order(relativeTo: readers[least]) < 0 {
            least = index
        }
        return least
    }
}

/// Reads a run from front to back, a stretch of the file at a time.
///
/// A class, because an entry is read out of it in place: a value would be copied with its bytes' owner each time.
private final class RunReader {
    private let file: (any File)?
    private var remaining: Range<Int>
    private var bytes: [UInt8]
    private var offset = 0
    private var head: UInt64 = 0
    private(set) var isAtEnd = false
    private var isBegun = false

    private static let stretchByteCount = 256 << 10
    private static let headerByteCount = 8

    init(_ run: SortedRun) {
        switch run.place {
        case .memory(let bytes):
            file = nil
            self.bytes = bytes
            remaining = 0..<0
        case .file(let file, let range):
            self.file = file
            bytes = []
            remaining = range
        }
    }

    /// Whether there is a next entry.
    func advance() throws(StorageError) -> Bool {
        if isBegun { offset += bytes.withBytes { $0.sortedEntryByteCount(at: offset) } }
        isBegun = true
        if bytes.count - offset < Self.headerByteCount || bytes.count - offset < entryByteCount { try refill() }
        isAtEnd = offset == bytes.count
        if !isAtEnd { head = bytes.withBytes { $0.extracting($0.sortedEntryKey(at: offset)).sortingHead } }
        return !isAtEnd
    }

    private var entryByteCount: Int { bytes.withBytes { $0.sortedEntryByteCount(at: offset) } }

    private func refill() throws(StorageError) {
        guard let file else { return }
        bytes.removeFirst(offset)
        offset = 0
        repeat {
            let count = min(Self.stretchByteCount, remaining.count)
            guard count > 0 else { return }
            bytes += try file.read(byteCount: count, at: remaining.lowerBound)
            remaining = remaining.lowerBound + count..<remaining.upperBound
        } while bytes.count < Self.headerByteCount || bytes.count < entryByteCount
    }

    func withEntry<Result>(
        _ body: (RawSpan, UInt16, RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try bytes.withBytes { (bytes) throws(StorageError) in
            try body(
                bytes.extracting(bytes.sortedEntryKey(at: offset)), bytes.sortedEntryFacets(at: offset),
                bytes.extracting(bytes.sortedEntryValue(at: offset)))
        }
    }

    @inline(__always)
    func order(relativeTo other: RunReader) -> Int {
        guard head == other.head else { return head < other.head ? -1 : 1 }
        return bytes.withBytes { bytes in
            other.bytes.withBytes { others in
                bytes.extracting(bytes.sortedEntryKey(at: offset))
                    .order(relativeTo: others.extracting(others.sortedEntryKey(at: other.offset)))
            }
        }
    }
}
