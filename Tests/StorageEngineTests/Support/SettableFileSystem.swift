import Synchronization

@testable import StorageEngine

/// Files in memory with a clock and a free space that a test sets.
final class SettableFileSystem: FileSystem {
    let base = MemoryFileSystem()
    private let state = Mutex((time: UInt64(0), free: nil as UInt64?))
    /// How much later it is after each look at the clock.
    private let step: UInt64

    init(step: UInt64 = 0) { self.step = step }

    func set(time: UInt64) { state.withLock { $0.time = time } }
    func set(free: UInt64?) { state.withLock { $0.free = free } }

    func now() -> UInt64 {
        state.withLock { state in
            state.time += step
            return state.time
        }
    }
    func freeByteCount(at directory: String) -> UInt64? { state.withLock { $0.free } }

    func kind(of path: String) -> PathKind { base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
    func flushDirectory(_ path: String) {}
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File { try base.openFile(path, mode) }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func remove(_ path: String) { base.remove(path) }
    func removeDirectory(_ path: String) { base.removeDirectory(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
}
