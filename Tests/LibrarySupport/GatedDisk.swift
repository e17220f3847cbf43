import Foundation
import StorageEngine
import TestSupport

/// A disk in memory on which some files take their time to be opened: until their gate is.
package final class GatedDisk: FileSystem {
    package let base = MemoryFileSystem()
    /// Guards `closed` and wakes those who wait for a gate.
    private let condition = NSCondition()
    nonisolated(unsafe) private var closed: Set<String> = []
    nonisolated(unsafe) private var visitorCount = 0
    nonisolated(unsafe) private var ticketCount = 0
    // Safe because all three are touched under the lock of the condition only.

    package init() {}

    /// Files whose names begin so are not opened until the gate is.
    package func close(_ beginning: String) {
        condition.withLock { _ = unsafe closed.insert(beginning) }
    }

    package func open(_ beginning: String) {
        condition.withLock {
            unsafe closed.remove(beginning)
            condition.broadcast()
        }
    }

    private func pass(_ path: String) {
        let name = path.split(separator: "/").last ?? ""
        condition.withLock {
            guard unsafe closed.contains(where: name.hasPrefix) else { return }
            unsafe visitorCount += 1
            while unsafe closed.contains(where: name.hasPrefix), unsafe ticketCount == 0 { condition.wait() }
            if unsafe ticketCount > 0 { unsafe ticketCount -= 1 }
        }
    }

    /// Returns when so many have come to a closed gate, those that were let in included.
    package func visitors(_ count: Int) async {
        while condition.withLock({ unsafe visitorCount }) < count { await pause() }
    }

    /// Lets one in who waits at a closed gate, or the next who comes.
    package func letOneIn() {
        condition.withLock {
            unsafe ticketCount += 1
            condition.broadcast()
        }
    }

    package func kind(of path: String) throws(StorageError) -> PathKind { base.kind(of: path) }
    package func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    package func names(inDirectory path: String) throws(StorageError) -> [String] {
        try base.names(inDirectory: path)
    }
    package func flushDirectory(_ path: String) throws(StorageError) {}
    package func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        if mode != .creating { pass(path) }
        return try base.openFile(path, mode)
    }
    package func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    package func remove(_ path: String) throws(StorageError) { base.remove(path) }
    package func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    package func now() -> UInt64 { base.now() }
}
