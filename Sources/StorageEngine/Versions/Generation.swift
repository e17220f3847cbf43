/// A snapshot file and the memory nodes built on it. Versions hold their generation, so a file that compaction has
/// superseded and unlinked keeps its bytes until the last reader lets go, and no other file does.
final class Generation: @unchecked Sendable {
    // Safe to share because readers use the immutable file and registry only. The heap is used by the one writer, and by the threads that
    // change trees for it, until it calls `supersede`; from then on under the registry's lock; and by `deinit` when nobody else is left.
    let file: SnapshotFile
    let heap: NodeHeap
    /// How the pages of the next snapshot may be laid out.
    let layouts: PageLayouts
    private let registry = VersionRegistry()
    private let companion: Lock<CompanionState>
    /// Of the heap, as whoever uses it has said last.
    private let memoryUse = Lock(NodeMemoryUse())

    /// The layer above's, the same for all generations of a store that is open.
    let attachment: (any AnyObject & Sendable)?

    init(
        file: SnapshotFile, companion: CompanionPlace? = nil, nodeEntryLimit: Int = .max, layouts: PageLayouts = .all,
        attachment: (any AnyObject & Sendable)? = nil
    ) {
        self.file = file
        self.layouts = layouts
        self.attachment = attachment
        heap = NodeHeap(entryLimit: nodeEntryLimit)
        self.companion = Lock(companion.map { .unopened($0) } ?? .absent)
    }

    /// The generation after this one.
    func successor(file: SnapshotFile, companion: CompanionPlace? = nil) -> Generation {
        Generation(
            file: file, companion: companion, nodeEntryLimit: heap.entryLimit, layouts: layouts, attachment: attachment)
    }

    /// The first of another store, which takes the place of this one's.
    func replacement(file: SnapshotFile, companion: CompanionPlace? = nil) -> Generation {
        Generation(
            file: file, companion: companion, nodeEntryLimit: heap.entryLimit, layouts: layouts,
            attachment: attachment(for: file.superblock.store))
    }

    /// What versions of a store are to have that comes after this one in the same place.
    func attachment(for store: StoreIdentifier) -> (any AnyObject & Sendable)? {
        guard store != file.superblock.store else { return attachment }
        return (attachment as? any StoreAttachment)?.forAnotherStore() ?? attachment
    }

    var number: UInt64 { file.superblock.generation }

    /// The first eight bytes of the store's identifier.
    var storeNumber: UInt64 { file.superblock.store.bytes.withBytes { $0.loadBigEndian(at: 0) } }

    // MARK: Versions and their memory

    /// Called by who uses the heap.
    func add(_ commit: UInt64) {
        registry.add(commit)
        noteMemory()
    }

    /// Nobody reads the version any more. Runs wherever its last reader lets go.
    func remove(_ commit: UInt64) {
        registry.remove(commit) { reclaimSuperseded($0, $1) }
    }

    /// Frees what no live version needs. Called by the writer.
    func reclaim() {
        let (live, released) = registry.drain()
        heap.reclaim(live: live, released: released)
        noteMemory()
    }

    /// The writer has moved to another generation and makes, undoes and publishes nothing here any more. What versions still hold
    /// is then all that stays: now, and whenever one of them goes.
    func supersede() {
        registry.supersede { reclaimSuperseded($0, $1) }
    }

    private func reclaimSuperseded(_ live: [UInt64], _ released: [UInt64]) {
        heap.reclaimSuperseded(live: live, released: released)
        noteMemory()
    }

    /// Gives the kernel back what was freed of the heap. Called by who uses it.
    ///
    /// - Returns: how many bytes.
    func giveBackFreeNodes() -> Int {
        defer { noteMemory() }
        return heap.giveBackFree()
    }

    private func noteMemory() { memoryUse.withLock { $0 = heap.memory } }

    /// What its nodes take.
    var nodeMemory: NodeMemoryUse { memoryUse.withLock { $0 } }

    /// Those that readers hold, ascending, and those released since memory was last reclaimed.
    var versionNumbers: (live: [UInt64], released: [UInt64]) { registry.numbers }

    // MARK: Companion

    private enum CompanionState {
        case unopened(CompanionPlace)
        case opened(CompanionFile)
        case made(any AnyObject & Sendable, CompanionFile)
        case absent

        mutating func open() {
            guard case .unopened(let place) = self else { return }
            self = place.open().map { .opened($0) } ?? .absent
        }
    }

    /// What is mapped of the companion; 0 until it is opened.
    var companionMapping: (byteCount: Int, isOfFile: Bool) {
        companion.withLock { state in
            switch state {
            case .opened(let file), .made(_, let file): (file.mappedByteCount, file.isOfFile)
            case .unopened, .absent: (0, true)
            }
        }
    }

    /// Opens the companion before its name goes, so that readers of this generation keep it.
    func holdCompanion() { companion.withLock { $0.open() } }

    /// What `make` makes of the companion, once; `nil` when there is none, or it is not this snapshot's.
    func companion<Content: AnyObject & Sendable>(_ make: (CompanionFile) -> Content?) -> Content? {
        companion.withLock { state in
            state.open()
            if case .opened(let file) = state { state = make(file).map { .made($0, file) } ?? .absent }
            guard case .made(let content, _) = state else { return nil }
            return content as? Content
        }
    }
}
