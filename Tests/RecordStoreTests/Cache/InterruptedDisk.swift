import StorageEngine
import Synchronization

/// Does something just before a call or behind it, once, on the thread of the call. Names are told in their order.
final class InterruptedDisk: FileSystem {
    enum Moment: Sendable { case beforeOpening, beforeRemoval, afterRemoval }

    private struct Interruption {
        let moment: Moment
        /// Of the file's path.
        let ending: String
        let body: @Sendable () -> Void
    }

    private let base: MemoryFileSystem
    private let interruption = Mutex<Interruption?>(nil)

    init(_ base: MemoryFileSystem) { self.base = base }

    func interrupt(_ moment: Moment, of ending: String = "", _ body: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = Interruption(moment: moment, ending: ending, body: body) }
    }

    private func come(to moment: Moment, _ path: String) {
        let body = interruption.withLock { interruption -> (@Sendable () -> Void)? in
            guard let next = interruption, next.moment == moment, path.hasSuffix(next.ending) else { return nil }
            interruption = nil
            return next.body
        }
        body?()
    }

    func remove(_ path: String) throws(StorageError) {
        come(to: .beforeRemoval, path)
        base.remove(path)
        come(to: .afterRemoval, path)
    }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        come(to: .beforeOpening, path)
        return try base.openFile(path, mode)
    }

    func names(inDirectory path: String) throws(StorageError) -> [String] {
        try base.names(inDirectory: path).sorted()
    }

    func kind(of path: String) throws(StorageError) -> PathKind { base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        base.createDirectory(path, sharing: sharing)
    }
    func flushDirectory(_ path: String) throws(StorageError) { base.flushDirectory(path) }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
}
