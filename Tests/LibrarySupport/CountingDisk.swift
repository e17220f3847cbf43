import Foundation
import StorageEngine
import TestSupport

/// A disk in memory that counts what is asked of it.
package final class CountingDisk: FileSystem {
    package struct Counts: Equatable {
        package var listings = 0
        package var opens = 0
        package var bytesRead = 0
        package var writes = 0
        package var bytesWritten = 0
        package var flushes = 0
        package var directoryFlushes = 0

        package init(
            listings: Int = 0, opens: Int = 0, bytesRead: Int = 0, writes: Int = 0, bytesWritten: Int = 0,
            flushes: Int = 0, directoryFlushes: Int = 0
        ) {
            (self.listings, self.opens, self.bytesRead) = (listings, opens, bytesRead)
            (self.writes, self.bytesWritten) = (writes, bytesWritten)
            (self.flushes, self.directoryFlushes) = (flushes, directoryFlushes)
        }
    }

    private let base = MemoryFileSystem()

    package init() {}

    fileprivate let state = Lock(Counts())
    private let isHoldingFlushes = Flag()
    private let isSlow = Flag()

    /// From now on flushes take a millisecond, so that they are left to a thread of their own, and wait while they are held.
    package func holdFlushes(_ isHeld: Bool) {
        isSlow.set()
        isHoldingFlushes.set(isHeld)
    }

    fileprivate func waitForFlush() {
        repeat { if isSlow.isSet { usleep(1_000) } } while isHoldingFlushes.isSet
    }

    /// What `body` asks of the disk.
    package func counts(of body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

    package func kind(of path: String) throws(StorageError) -> PathKind { base.kind(of: path) }
    package func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    package func names(inDirectory path: String) throws(StorageError) -> [String] {
        count { $0.listings += 1 }
        return try base.names(inDirectory: path)
    }
    package func flushDirectory(_ path: String) throws(StorageError) { count { $0.directoryFlushes += 1 } }
    package func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        count { $0.opens += 1 }
        return CountingFile(try base.openFile(path, mode), path, self)
    }
    package func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    package func remove(_ path: String) throws(StorageError) { base.remove(path) }
    package func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    package func now() -> UInt64 { base.now() }
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

    package func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try base.isNamed() }
    package func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        let count = try base.read(into: buffer, at: byteOffset)
        disk.count { $0.bytesRead += count }
        return count
    }
    package func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        disk.count {
            $0.writes += 1
            $0.bytesWritten += bytes.count
        }
        try base.write(bytes, at: byteOffset)
    }
    package func reserve(byteCount: Int) throws(StorageError) { try base.reserve(byteCount: byteCount) }
    package func truncate(byteCount: Int) throws(StorageError) { try base.truncate(byteCount: byteCount) }
    package func flush(_ kind: FlushKind) throws(StorageError) {
        disk.count { $0.flushes += 1 }
        disk.waitForFlush()
        try base.flush(kind)
    }
    package func map() throws(StorageError) -> Mapping { try base.map() }
    package func close() { base.close() }
}
