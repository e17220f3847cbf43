/// A snapshot file and the memory nodes built on it. Versions hold their generation, so a file that compaction has
/// superseded and unlinked keeps its bytes until the last reader lets go, and no other file does.
final class Generation: @unchecked Sendable {
    // Safe to share because readers use the immutable file and registry only; the heap is used by the one writer, and by
    // `deinit` when nobody else is left.
    let file: SnapshotFile
    let heap = NodeHeap()
    let registry = VersionRegistry()
    private let companion: Lock<CompanionState>

    init(file: SnapshotFile, companion: CompanionPlace? = nil) {
        self.file = file
        self.companion = Lock(companion.map { .unopened($0) } ?? .absent)
    }

    var number: UInt64 { file.superblock.generation }

    private enum CompanionState {
        case unopened(CompanionPlace)
        case opened(CompanionFile)
        case made(any AnyObject & Sendable)
        case absent

        mutating func open() {
            guard case .unopened(let place) = self else { return }
            self = place.open().map { .opened($0) } ?? .absent
        }
    }

    /// Opens the companion before its name goes, so that readers of this generation keep it.
    func holdCompanion() { companion.withLock { $0.open() } }

    /// What `make` makes of the companion, once; `nil` when there is none, or it is not this snapshot's.
    func companion<Content: AnyObject & Sendable>(_ make: (CompanionFile) -> Content?) -> Content? {
        companion.withLock { state in
            state.open()
            if case .opened(let file) = state { state = make(file).map { .made($0) } ?? .absent }
            guard case .made(let content) = state else { return nil }
            return content as? Content
        }
    }
}
