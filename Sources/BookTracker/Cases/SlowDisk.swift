import StorageEngine
import Synchronization

/// The file system, on a disk that takes its time to open a file.
final class SlowDisk: FileSystem {
    private let base = PosixFileSystem()
    private let wait: @Sendable () -> Void
    private let count = Mutex(0)

    /// - Parameter wait: is called, and waited for, before each opening of a file that is there.
    init(wait: @escaping @Sendable () -> Void) { self.wait = wait }

    /// How many files were opened slowly.
    var openedFileCount: Int { count.withLock { $0 } }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        if mode != .creating {
            count.withLock { $0 += 1 }
            wait()
        }
        return try base.openFile(path, mode)
    }

    // MARK: As the system does it

    func kind(of path: String) throws(StorageError) -> PathKind { try base.kind(of: path) }

    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try base.createDirectory(path, sharing: sharing)
    }

    func createUnflushedDirectory(_ path: String) throws(StorageError) { try base.createUnflushedDirectory(path) }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
    func permissions(of path: String) throws(StorageError) -> UInt16? { try base.permissions(of: path) }
    func flushDirectory(_ path: String) throws(StorageError) { try base.flushDirectory(path) }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func link(_ path: String, to target: String) throws(StorageError) -> Bool { try base.link(path, to: target) }
    func remove(_ path: String) throws(StorageError) { try base.remove(path) }
    func removeDirectory(_ path: String) throws(StorageError) { try base.removeDirectory(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
    func freeByteCount(at directory: String) throws(StorageError) -> UInt64? { try base.freeByteCount(at: directory) }
    var processIdentifier: Int32 { base.processIdentifier }
}
