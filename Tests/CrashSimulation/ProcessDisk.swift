import StorageEngine

/// A disk as one of several processes sees it, until that dies: at a call that was named before, or when it is killed.
///
/// The call at which it dies is not made, but for the first half of a write. Its locks are free from then on, and every later call of it
/// throws, so that nothing of it reaches the disk any more.
package final class ProcessDisk: FileSystem {
    private struct State {
        var callCount = 0
        var lastCall: Int?
        var isDead = false
        var locks: [any FileLock] = []
    }

    private let base: RecordingDisk
    /// Held during each call: a process that dies has no call under way when its locks go.
    private let state = Lock(State())

    package init(_ base: RecordingDisk) { self.base = base }

    /// Calls so far.
    package var callCount: Int { state.withLock { $0.callCount } }
    /// Calls until it dies; `nil` when it lives on.
    package var remainingCallCount: Int? { state.withLock { state in state.lastCall.map { $0 - state.callCount } } }
    package var isDead: Bool { state.withLock { $0.isDead } }

    /// It dies after so many calls more; with `nil` it lives on.
    package func die(after callCount: Int?) {
        state.withLock { state in state.lastCall = callCount.map { state.callCount + $0 } }
    }

    package func kill() { state.withLock { Self.die(&$0) } }

    private static func die(_ state: inout State) {
        state.isDead = true
        for lock in state.locks { lock.unlock() }
        state.locks = []
    }

    /// - Parameter lastWords: what the process does of the call at which it dies.
    fileprivate func call<Result>(
        _ path: String, lastWords: () -> Void = {}, _ body: () throws(StorageError) -> sending Result
    ) throws(StorageError) -> sending Result {
        try state.withLock { (state) throws(StorageError) in
            if !state.isDead, state.callCount == state.lastCall {
                lastWords()
                Self.die(&state)
            }
            guard !state.isDead else { throw .inputOutput(operation: "a call of a dead process", path: path, code: 5) }
            state.callCount += 1
            return try body()
        }
    }

    fileprivate func hold(_ lock: any FileLock) { state.withLock { $0.locks.append(lock) } }

    package func kind(of path: String) throws(StorageError) -> PathKind { try call(path) { base.kind(of: path) } }
    package func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try call(path) { base.createDirectory(path, sharing: sharing) }
    }
    package func names(inDirectory path: String) throws(StorageError) -> [String] {
        try call(path) { () throws(StorageError) in try base.names(inDirectory: path) }
    }
    package func flushDirectory(_ path: String) throws(StorageError) {
        try call(path) { () throws(StorageError) in try base.flushDirectory(path) }
    }
    package func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        ProcessFile(
            try call(path) { () throws(StorageError) in try base.openFile(path, mode) }, self)
    }
    package func rename(_ path: String, to target: String) throws(StorageError) {
        try call(path) { () throws(StorageError) in try base.rename(path, to: target) }
    }
    package func remove(_ path: String) throws(StorageError) {
        try call(path) { () throws(StorageError) in try base.remove(path) }
    }
    package func lock(_ path: String) throws(StorageError) -> any FileLock {
        let lock = try call(path) { () throws(StorageError) in try base.lock(path) }
        hold(lock)
        return ProcessLock(lock, path, self)
    }
    package func now() -> UInt64 { 0 }
}

private final class ProcessLock: FileLock {
    private let base: any FileLock
    private let path: String
    private let disk: ProcessDisk

    init(_ base: any FileLock, _ path: String, _ disk: ProcessDisk) {
        (self.base, self.path, self.disk) = (base, path, disk)
    }

    deinit { base.unlock() }

    func take() throws(StorageError) -> Bool { try disk.call(path) { () throws(StorageError) in try base.take() } }
    var isAsLeft: Bool { base.isAsLeft }
    // What a dead process held is free already, and perhaps another's.
    func letGo() { base.letGo() }
    func unlock() { base.unlock() }
}

private final class ProcessFile: File {
    private let base: any File
    private let disk: ProcessDisk

    init(_ base: any File, _ disk: ProcessDisk) { (self.base, self.disk) = (base, disk) }

    var path: String { base.path }

    func byteCount() throws(StorageError) -> Int {
        try disk.call(path) { () throws(StorageError) in try base.byteCount() }
    }
    func isNamed() throws(StorageError) -> Bool {
        try disk.call(path) { () throws(StorageError) in try base.isNamed() }
    }
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        try disk.call(path) { () throws(StorageError) in try base.read(into: buffer, at: byteOffset) }
    }
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        let half = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2))
        try disk.call(path, lastWords: { try? base.write(half, at: byteOffset) }) { () throws(StorageError) in
            try base.write(bytes, at: byteOffset)
        }
    }
    func reserve(byteCount: Int) throws(StorageError) {
        try disk.call(path) { () throws(StorageError) in try base.reserve(byteCount: byteCount) }
    }
    func truncate(byteCount: Int) throws(StorageError) {
        try disk.call(path) { () throws(StorageError) in try base.truncate(byteCount: byteCount) }
    }
    func flush(_ kind: FlushKind) throws(StorageError) {
        try disk.call(path) { () throws(StorageError) in try base.flush(kind) }
    }
    func map() throws(StorageError) -> Mapping { try disk.call(path) { () throws(StorageError) in try base.map() } }
    func close() { base.close() }
}
