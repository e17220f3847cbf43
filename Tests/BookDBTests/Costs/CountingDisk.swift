import StorageEngine
import Synchronization

/// A disk in memory that counts what is asked of it.
final class CountingDisk: FileSystem {
    struct Counts: Equatable {
        var listings = 0
        var opens = 0
        var bytesRead = 0
        var writes = 0
        var bytesWritten = 0
        var flushes = 0
        var directoryFlushes = 0
    }

    private let base = MemoryFileSystem()
    fileprivate let state = Mutex(Counts())

    /// What `body` asks of the disk.
    func counts(of body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

    func kind(of path: String) throws(StorageError) -> PathKind { base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    func names(inDirectory path: String) throws(StorageError) -> [String] {
        count { $0.listings += 1 }
        return try base.names(inDirectory: path)
    }
    func flushDirectory(_ path: String) throws(StorageError) { count { $0.directoryFlushes += 1 } }
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        count { $0.opens += 1 }
        return CountingFile(try base.openFile(path, mode), path, self)
    }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func remove(_ path: String) throws(StorageError) { base.remove(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
}

private final class CountingFile: File {
    let path: String
    private let base: any File
    private let disk: CountingDisk

    init(_ base: any File, _ path: String, _ disk: CountingDisk) {
        self.base = base
        self.path = path
        self.disk = disk
    }

    func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        let count = try base.read(into: buffer, at: byteOffset)
        disk.count { $0.bytesRead += count }
        return count
    }
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        disk.count {
            $0.writes += 1
            $0.bytesWritten += bytes.count
        }
        try base.write(bytes, at: byteOffset)
    }
    func reserve(byteCount: Int) throws(StorageError) { try base.reserve(byteCount: byteCount) }
    func truncate(byteCount: Int) throws(StorageError) { try base.truncate(byteCount: byteCount) }
    func flush(_ kind: FlushKind) throws(StorageError) {
        disk.count { $0.flushes += 1 }
        try base.flush(kind)
    }
    func map() throws(StorageError) -> Mapping { try base.map() }
    func close() { base.close() }
}
