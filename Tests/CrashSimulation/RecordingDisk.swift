import Dispatch
import StorageEngine
import Synchronization

/// A disk in memory that remembers every operation in order, so that each crash it could have had can be made later.
/// Holds one directory. It fails when told to.
public final class RecordingDisk: FileSystem {
    fileprivate struct WeakLock {
        weak var lock: RecordedLock?
    }

    private struct State {
        var hasDirectory = false
        var names: [String: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        var nextFile = 0
        var operations: [DiskOperation] = []
        var fault: DiskFault?
        var calls: [DiskFault.Call] = []
        var failedCallCount = 0
        /// The lock that is held, by path.
        var locks: [String: ObjectIdentifier] = [:]
        /// Who held a lock last, by path. Weak, for another may lie where one that is gone lay.
        var lastHolders: [String: WeakLock] = [:]
        var isHolding = false
        var waiting = 0
    }

    private let state: Lock<State>
    private let gate = DispatchSemaphore(value: 0)
    package let directory: String
    /// The medium before the first operation.
    package let start: CrashState

    /// A disk after a power cut, or before anything; the machine was started anew.
    public convenience init(directory: String, image: DiskImage) {
        let start = CrashState(image: image)
        self.init(directory: directory, view: start, start: start)
    }

    public convenience init(directory: String, files: [String: [UInt8]]) {
        self.init(directory: directory, image: DiskImage(files: files))
    }

    /// The disk as a new process finds it when the one before was killed behind `operationCount` operations: it sees all
    /// of them, and what was not flushed can still be lost.
    package func afterKill(operationCount: Int, medium: CrashState) -> RecordingDisk {
        let view = CrashState.view(of: operations.prefix(operationCount), from: start)
        return RecordingDisk(directory: directory, view: view, start: medium)
    }

    private init(directory: String, view: CrashState, start: CrashState) {
        self.directory = directory
        self.start = start
        var initial = State()
        initial.hasDirectory = view.directoryExists
        initial.names = view.nameTable
        initial.contents = view.contents
        initial.nextFile =
            max(view.contents.keys.max() ?? -1, start.contents.keys.max() ?? -1, view.nameTable.values.max() ?? -1) + 1
        state = Lock(initial)
    }

    /// How many operations there have been.
    public var operationCount: Int { state.withLock { $0.operations.count } }

    package var operations: [DiskOperation] { state.withLock { $0.operations } }

    public var files: [String: [UInt8]] {
        state.withLock { state in state.names.mapValues { state.contents[$0] ?? [] } }
    }

    package var failedCallCount: Int { state.withLock { $0.failedCallCount } }

    /// The operations before a crash, for people.
    func trail(to operationCount: Int) -> String {
        let shown = operations.prefix(operationCount).enumerated().suffix(40)
        return shown.map { "  \($0.offset) \($0.element)" }.joined(separator: "\n")
    }

    /// From now on calls fail as told; `nil` mends the disk.
    public func fail(_ fault: DiskFault?) { state.withLock { $0.fault = fault } }

    /// Keeps whoever writes waiting until `release`.
    func hold() { state.withLock { $0.isHolding = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = 0 }
            state.isHolding = false
            return state.waiting
        }
        for _ in 0..<waiting { gate.signal() }
    }

    fileprivate func waitWhileHolding() {
        let isHolding = state.withLock { state in
            if state.isHolding { state.waiting += 1 }
            return state.isHolding
        }
        if isHolding { gate.wait() }
    }

    /// Whether the call is one that fails, and what it says then.
    fileprivate func failure(of call: DiskFault.Call, _ path: String) -> StorageError? {
        state.withLock { state in
            state.calls.append(call)
            guard state.fault?.strikes(call) == true else { return nil }
            state.failedCallCount += 1
            return state.fault?.error(call, path)
        }
    }

    fileprivate func check(_ call: DiskFault.Call, _ path: String) throws(StorageError) {
        if let error = failure(of: call, path) { throw error }
    }

    /// Every call so far that could have failed.
    package var calls: [DiskFault.Call] { state.withLock { $0.calls } }

    /// What still fails.
    package var fault: DiskFault? { state.withLock { $0.fault } }

    package var isLocked: Bool { state.withLock { !$0.locks.isEmpty } }

    /// The process that held the locks has died.
    package func releaseLocks() { state.withLock { $0.locks = [:] } }

    fileprivate func unlock(_ lock: RecordedLock) {
        state.withLock { if $0.locks[lock.path] == ObjectIdentifier(lock) { $0.locks[lock.path] = nil } }
    }

    private func name(_ path: String) -> String { String(path.dropFirst(directory.count + 1)) }

    private func record(_ operation: DiskOperation) { state.withLock { $0.operations.append(operation) } }

    // MARK: FileSystem

    public func kind(of path: String) -> PathKind {
        state.withLock { state in
            if path == directory { return state.hasDirectory ? .directory : .absent }
            return state.names[name(path)] == nil ? .absent : .file
        }
    }

    public func createDirectory(_ path: String, sharing: Sharing) {
        state.withLock { state in
            if !state.hasDirectory { state.operations.append(.createDirectory) }
            state.hasDirectory = true
            state.operations.append(.flushParent)
        }
    }

    public func createUnflushedDirectory(_ path: String) {
        state.withLock { state in
            guard !state.hasDirectory else { return }
            state.operations.append(.createDirectory)
            state.hasDirectory = true
        }
    }

    public func names(inDirectory path: String) throws(StorageError) -> [String] {
        try check(.names, path)
        return state.withLock { $0.names.keys.sorted() }
    }

    public func flushDirectory(_ path: String) throws(StorageError) {
        do throws(StorageError) {
            try check(.flushDirectory, path)
        } catch {
            record(.failedDirectoryFlush)
            throw error
        }
        record(.flushDirectory)
    }

    public func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        try check(.open, path)
        let name = name(path)
        let file = state.withLock { state -> Int? in
            if let file = state.names[name] {
                if mode == .creating {
                    state.contents[file] = []
                    state.operations.append(.resize(file: file, byteCount: 0))
                }
                return file
            }
            guard mode == .creating else { return nil }
            let file = state.nextFile
            state.nextFile += 1
            state.contents[file] = []
            state.names[name] = file
            state.operations.append(.create(name: name, file: file))
            return file
        }
        guard let file else { throw .notFound(path: path) }
        return RecordedFile(path: path, file: file, disk: self)
    }

    public func rename(_ path: String, to target: String) throws(StorageError) {
        try check(.rename, path)
        let (from, to) = (name(path), name(target))
        let isThere = state.withLock { state in
            guard let file = state.names.removeValue(forKey: from) else { return false }
            state.names[to] = file
            state.operations.append(.rename(name: from, file: file, to: to))
            return true
        }
        if !isThere { throw .notFound(path: path) }
    }

    public func remove(_ path: String) throws(StorageError) {
        try check(.remove, path)
        let name = name(path)
        state.withLock { state in
            if state.names.removeValue(forKey: name) != nil { state.operations.append(.remove(name: name)) }
        }
    }

    public func lock(_ path: String) throws(StorageError) -> any FileLock {
        let lock = RecordedLock(path: path, disk: self)
        guard lock.take() else { throw .inUse(path: path, processIdentifier: 0) }
        return lock
    }

    fileprivate func isNamed(_ path: String, _ file: Int) -> Bool { state.withLock { $0.names[name(path)] == file } }

    /// - Returns: whether the one that takes it held it last; `nil` when another holds it.
    fileprivate func take(_ lock: RecordedLock) -> Bool? {
        state.withLock { state in
            guard state.locks[lock.path, default: ObjectIdentifier(lock)] == ObjectIdentifier(lock) else { return nil }
            state.locks[lock.path] = ObjectIdentifier(lock)
            defer { state.lastHolders[lock.path] = WeakLock(lock: lock) }
            return state.lastHolders[lock.path]?.lock === lock
        }
    }

    public func now() -> UInt64 { 0 }

    fileprivate func withContents<Result: Sendable>(
        of file: Int, _ operation: DiskOperation?, _ body: (inout [UInt8]) -> Result
    ) -> Result {
        state.withLock { state in
            if let operation { state.operations.append(operation) }
            return body(&state.contents[file, default: []])
        }
    }
}

private final class RecordedLock: FileLock {
    let path: String
    private let disk: RecordingDisk
    private let wasLast = Atomic(false)

    init(path: String, disk: RecordingDisk) {
        self.path = path
        self.disk = disk
    }

    deinit { unlock() }

    func take() -> Bool {
        guard let isAsLeft = disk.take(self) else { return false }
        wasLast.store(isAsLeft, ordering: .relaxed)
        return true
    }

    var isAsLeft: Bool { wasLast.load(ordering: .relaxed) }

    func letGo() { disk.unlock(self) }

    func unlock() { disk.unlock(self) }
}

private final class RecordedFile: File {
    let path: String
    private let file: Int
    private let disk: RecordingDisk

    init(path: String, file: Int, disk: RecordingDisk) {
        self.path = path
        self.file = file
        self.disk = disk
    }

    func byteCount() -> Int { disk.withContents(of: file, nil) { $0.count } }

    func isNamed() -> Bool { disk.isNamed(path, file) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        try disk.check(.read, path)
        let bytes = disk.withContents(of: file, nil) { Array($0.dropFirst(byteOffset).prefix(buffer.count)) }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    /// One that fails has written its first half.
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        disk.waitWhileHolding()
        let error = disk.failure(of: .write, path)
        let copy = [UInt8](error == nil ? bytes[...] : bytes.prefix(bytes.count / 2))
        disk.withContents(of: file, .write(file: file, byteOffset: byteOffset, bytes: copy)) {
            $0.write(copy, at: byteOffset)
        }
        if let error { throw error }
    }

    /// Reserves a page at the most, so that a crash state is small.
    func reserve(byteCount: Int) throws(StorageError) {
        try disk.check(.reserve, path)
        let size = min(byteCount, self.byteCount() + 4096)
        disk.withContents(of: file, .resize(file: file, byteCount: size)) { $0.resize(to: size) }
    }

    func truncate(byteCount: Int) throws(StorageError) {
        try disk.check(.truncate, path)
        disk.withContents(of: file, .resize(file: file, byteCount: byteCount)) { $0.resize(to: byteCount) }
    }

    func flush(_ kind: FlushKind) throws(StorageError) {
        guard kind == .durable else { return }
        if let error = disk.failure(of: .flush, path) {
            disk.withContents(of: file, .failedFlush(file: file)) { _ in }
            throw error
        }
        disk.withContents(of: file, .flush(file: file)) { _ in }
    }

    func map() throws(StorageError) -> Mapping {
        try disk.check(.map, path)
        return Mapping(copying: disk.withContents(of: file, nil) { $0 })
    }

    func close() {}
}

extension [UInt8] {
    mutating func resize(to byteCount: Int) {
        if byteCount < count {
            removeLast(count - byteCount)
        } else {
            append(contentsOf: [UInt8](repeating: 0, count: byteCount - count))
        }
    }

    mutating func write(_ bytes: some Collection<UInt8>, at byteOffset: Int) {
        if byteOffset + bytes.count > count { resize(to: byteOffset + bytes.count) }
        replaceSubrange(byteOffset..<byteOffset + bytes.count, with: bytes)
    }
}
