/// A snapshot file and the memory nodes built on it. Versions hold their generation, so a file that compaction has
/// superseded and unlinked keeps its bytes until the last reader lets go, and no other file does.
final class Generation: @unchecked Sendable {
    // Safe to share because readers use the immutable file and registry only; the heap is used by the one writer, and by
    // `deinit` when nobody else is left.
    let file: SnapshotFile
    let heap = NodeHeap()
    let registry = VersionRegistry()

    init(file: SnapshotFile) { self.file = file }

    var number: UInt64 { file.superblock.generation }
}
