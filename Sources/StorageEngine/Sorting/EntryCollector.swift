/// Gathers entries of any trees in any order, sorts them as memory fills up, and keeps what was sorted in a file: the first half
/// of an external merge sort (Knuth, The Art of Computer Programming 3, 5.4). `SortedEntries` is the other.
///
/// One thread at a time uses it. Several in turn, or several collectors at once, make a load as fast as there are cores.
public final class EntryCollector: @unchecked Sendable {
    // Safe to hand over because whoever has it uses it alone, as the type says.

    private let scratch: ScratchFile
    private let trees: [TreeNumber]
    private let places: TreePlaces
    private var buffer: SortBuffer
    private var heldByteCount = 0
    private var fileByteCount = 0
    private(set) var runs: [TreeNumber: [SortedRun]] = [:]
    /// Why what was put could not be moved to the file. Nothing is put then.
    private var failure: StorageError?
    /// By the place of their tree.
    private var samplersByPlace: [EntrySampler]
    /// Of every entry so far, and how many were put.
    private(set) var byteCount = 0
    private(set) var entryCount = 0

    /// As much is sorted at a time.
    private let memoryByteCount: Int

    init(path: String, declarations: [TreeDeclaration], memoryByteCount: Int, _ fileSystem: any FileSystem) {
        scratch = ScratchFile(path: path, fileSystem)
        trees = declarations.map(\.number)
        places = TreePlaces(declarations)
        buffer = SortBuffer(declarations, expectedByteCount: memoryByteCount)
        samplersByPlace = declarations.map { EntrySampler(keepsValues: $0.mayBePacked) }
        self.memoryByteCount = memoryByteCount
    }

    /// Of the trees that have got some.
    var samplers: [TreeNumber: EntrySampler] {
        zip(trees, samplersByPlace).reduce(into: [:]) { samplers, tree in
            if !tree.1.isEmpty { samplers[tree.0] = tree.1 }
        }
    }

    /// Adds an entry. Of a key that the tree has already, this value stays. An entry may be put again, by other collectors too;
    /// one key with different values or facets ends the load with `StorageError.duplicateKey`, at once or when all are merged.
    ///
    /// - Throws: `StorageError.limitExceeded` as a transaction does, and what writing a file throws.
    public func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in
            try value.withBytes { (value) throws(StorageError) in
                try put(value, forKey: key, facets: facets, in: tree)
            }
        }
    }

    /// The same for bytes that lie anywhere; they are copied.
    public func put(
        _ value: RawSpan, forKey key: RawSpan, facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        if let failure { throw failure }
        guard let place = places[tree] else { throw .undeclared(tree) }
        try buffer.append(key: key, facets: facets.rawValue, value: value, at: place)
        samplersByPlace[place].add(key: key, value: value)
        entryCount += 1
        byteCount += key.byteCount + value.byteCount
        heldByteCount += key.byteCount + value.byteCount + SortBuffer.overheadByteCount
        if heldByteCount >= memoryByteCount { try spill() }
    }

    /// Sorts what is in memory and moves it to the file, a run for each tree.
    private func spill() throws(StorageError) {
        do throws(StorageError) {
            try sort(to: scratch.opened())
        } catch {
            failure = error
            throw error
        }
        buffer.removeAll()
        heldByteCount = 0
    }

    private func sort(to file: (any File)?) throws(StorageError) {
        for place in buffer.places where buffer.count(at: place) > 0 {
            var run = SortedRunWriter(to: file, at: fileByteCount)
            try buffer.forEachSorted(at: place) { (entry, key) throws(StorageError) in try run.append(entry, key: key) }
            if file != nil { fileByteCount += run.byteCount }
            runs[trees[place], default: []].append(try run.finish())
        }
    }

    /// Whether not all of what was put is in memory.
    var hasSpilled: Bool { scratch.isUsed }

    /// Sorts what is in memory still, and leaves it there or moves it to the file. Nothing is put afterwards.
    func finish(inMemory: Bool) throws(StorageError) {
        if let failure { throw failure }
        try sort(to: inMemory ? nil : scratch.opened())
        buffer = SortBuffer([], expectedByteCount: 0)
    }

    /// Removes the file.
    func discard() {
        runs = [:]
        scratch.discard()
    }
}
