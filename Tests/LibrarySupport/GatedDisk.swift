import Foundation
import StorageEngine
import TestSupport

/// A disk in memory on which some files take their time to be opened: until their gate is; or cannot be opened.
package final class GatedDisk: FileSystem {
    package let base: MemoryFileSystem
    private let isWatched: Bool
    /// Guards `closed` and wakes those who wait for a gate.
    private let condition = NSCondition()
    nonisolated(unsafe) private var closed: Set<String> = []
    nonisolated(unsafe) private var visitorCount = 0
    nonisolated(unsafe) private var ticketCount = 0
    nonisolated(unsafe) private var fault: (@Sendable (_ name: Substring, FileMode) -> StorageError?)?
    nonisolated(unsafe) private var failedCount = 0
    // Safe because all five are touched under the lock of the condition only.

    /// - Parameter isWatched: whether who watches a file hears of it.
    package init(_ base: MemoryFileSystem = MemoryFileSystem(), isWatched: Bool = true) {
        (self.base, self.isWatched) = (base, isWatched)
    }

    /// From now on asked before each opening of a file; an error it gives is thrown instead.
    package func fail(_ fault: (@Sendable (_ name: Substring, FileMode) -> StorageError?)?) {
        condition.withLock { unsafe self.fault = fault }
    }

    /// Returns when so many openings have failed.
    package func failures(_ count: Int) async {
        while condition.withLock({ unsafe failedCount }) < count { await pause() }
    }

    private func check(_ path: String, _ mode: FileMode) throws(StorageError) {
        let error = condition.withLock { () -> StorageError? in
            guard let error = unsafe fault?(path.split(separator: "/").last ?? "", mode) else { return nil }
            unsafe failedCount += 1
            return error
        }
        if let error { throw error }
    }

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
        try check(path, mode)
        return try base.openFile(path, mode)
    }
    package func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    package func remove(_ path: String) throws(StorageError) { base.remove(path) }
    package func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) -> any FileWatch {
        isWatched ? base.watch(path, onChange) : NoWatch()
    }
    package func now() -> UInt64 { base.now() }
}

private final class NoWatch: FileWatch {
    func cancel() {}
}
