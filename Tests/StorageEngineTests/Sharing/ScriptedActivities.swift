import Synchronization

@testable import StorageEngine

/// A system that grants or refuses time as a test tells it to.
final class ScriptedActivities: LockActivities {
    private struct State {
        var isRefusing = false
        var begunCount = 0
        var running: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isRunning: Bool { state.withLock { !$0.running.isEmpty } }
    var begunCount: Int { state.withLock { $0.begunCount } }

    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// The time of all that run is over, and nothing is granted until further notice.
    func expire() {
        let expired = state.withLock { state in
            state.isRefusing = true
            return Array(state.running.values)
        }
        for activity in expired { activity() }
    }

    func begin(_ onExpiration: @escaping @Sendable () -> Void) -> (any LockActivity)? {
        state.withLock { state in
            guard !state.isRefusing else { return nil }
            state.begunCount += 1
            state.running[state.begunCount] = onExpiration
            return Granted(number: state.begunCount, activities: self)
        }
    }

    private func end(_ number: Int) { state.withLock { _ = $0.running.removeValue(forKey: number) } }

    private struct Granted: LockActivity {
        let number: Int
        let activities: ScriptedActivities
        func end() { activities.end(number) }
    }
}

/// A disk that knows which locks are held, and which were taken while the system had granted no time.
final class WatchedLocks: FileSystem {
    private let base: any FileSystem
    private let activities: ScriptedActivities
    fileprivate let state = Mutex((held: [] as [String], untimely: [] as [String]))

    init(_ base: any FileSystem, _ activities: ScriptedActivities) { (self.base, self.activities) = (base, activities) }

    var held: [String] { state.withLock { $0.held } }
    /// Taken, or still held when the time had been ended.
    var untimely: [String] { state.withLock { $0.untimely } }

    fileprivate func note(_ path: String, isHeld: Bool) {
        let isTimely = activities.isRunning
        state.withLock { state in
            if !isTimely { state.untimely.append(path) }
            if isHeld { state.held.append(path) } else { state.held.removeAll { $0 == path } }
        }
    }

    func kind(of path: String) throws(StorageError) -> PathKind { try base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try base.createDirectory(path, sharing: sharing)
    }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
    func flushDirectory(_ path: String) throws(StorageError) { try base.flushDirectory(path) }
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File { try base.openFile(path, mode) }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func remove(_ path: String) throws(StorageError) { try base.remove(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock {
        WatchedLock(try base.lock(path), path, self)
    }
    func now() -> UInt64 { base.now() }
}

private final class WatchedLock: FileLock {
    private let base: any FileLock
    private let path: String
    private let disk: WatchedLocks
    private let isHeld = Mutex(true)

    init(_ base: any FileLock, _ path: String, _ disk: WatchedLocks) {
        (self.base, self.path, self.disk) = (base, path, disk)
        disk.note(path, isHeld: true)
    }

    deinit { letGo() }

    func take() throws(StorageError) -> Bool {
        let isTaken = try base.take()
        guard isTaken else { return false }
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = true }
            return isHeld
        }
        if !wasHeld { disk.note(path, isHeld: true) }
        return true
    }

    var isAsLeft: Bool { base.isAsLeft }

    func letGo() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { disk.note(path, isHeld: false) }
        base.letGo()
    }

    func unlock() { letGo() }
}
