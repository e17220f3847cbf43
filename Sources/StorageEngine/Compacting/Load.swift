import Dispatch

/// What a load is given: the store as it is, and collectors for what is to be added.
public final class Load: Sendable {
    /// What the load adds to. Nothing is written meanwhile.
    public let version: Version
    /// Travels with the commit to `onPublish`.
    public var note: (any Sendable)? {
        get { state.withLock { $0.note } }
        set { state.withLock { $0.note = newValue } }
    }

    /// Makes a tree anew: of what the version has in it nothing stays. It is not read, so it may be damaged.
    public func replace(_ tree: TreeNumber) { state.withLock { _ = $0.replaced.insert(tree) } }

    var replaced: Set<TreeNumber> { state.withLock { $0.replaced } }

    private struct State {
        var replaced: Set<TreeNumber> = []
        var collectors: [EntryCollector] = []
        /// Those that are lent to nobody.
        var idle: [EntryCollector] = []
        var note: (any Sendable)?
    }

    private let state = Lock(State())
    private let files: StoreFiles
    private let fileSystem: any FileSystem
    private let memoryByteCount: Int

    init(version: Version, files: StoreFiles, _ fileSystem: any FileSystem, memoryByteCount: Int) {
        self.version = version
        self.files = files
        self.fileSystem = fileSystem
        self.memoryByteCount = memoryByteCount
    }

    /// A collector of its own for each thread that adds.
    public func makeCollector() -> EntryCollector {
        state.withLock { state in
            let collector = EntryCollector(
                path: files.sorting(state.collectors.count), declarations: version.declarations,
                memoryByteCount: memoryByteCount, fileSystem)
            state.collectors.append(collector)
            return collector
        }
    }

    /// Lends a collector that nobody else has meanwhile: there are as many as threads add at once.
    public func withCollector<Failure: Error>(
        _ body: (EntryCollector) throws(Failure) -> Void
    ) throws(Failure) {
        let collector = state.withLock { $0.idle.popLast() } ?? makeCollector()
        defer { state.withLock { $0.idle.append(collector) } }
        try body(collector)
    }

    var collectors: [EntryCollector] { state.withLock { $0.collectors } }
}

extension [EntryCollector] {
    /// Sorts what they hold still, one on each core at a time: where one has filled its memory, nothing stays in that of the others. Throws
    /// what the first of them throws.
    func finish() throws(StorageError) {
        let inMemory = !contains { $0.hasSpilled }
        let outcomes = Lock([Result<Void, StorageError>?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let outcome = Result { () throws(StorageError) in try self[index].finish(inMemory: inMemory) }
            outcomes.withLock { $0[index] = outcome }
        }
        for outcome in outcomes.withLock({ $0 }) { try outcome?.get() }
    }

    /// Every collector's runs, by tree.
    var runs: [TreeNumber: [SortedRun]] {
        reduce(into: [:]) { runs, collector in runs.merge(collector.runs) { $0 + $1 } }
    }

    /// By tree, of what all of them have.
    var samples: [TreeNumber: EntrySample] {
        let samplers = reduce(into: [TreeNumber: EntrySampler]()) { samplers, collector in
            samplers.merge(collector.samplers) { one, other in
                var both = one
                both.add(other)
                return both
            }
        }
        return samplers.mapValues { $0.finish() }
    }

    var entryCount: Int { reduce(0) { $0 + $1.entryCount } }
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
