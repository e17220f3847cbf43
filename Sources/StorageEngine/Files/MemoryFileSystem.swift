/// Files that exist in memory only: for previews, tests and stores that need not outlive the process.
public final class MemoryFileSystem: FileSystem {
    fileprivate struct WeakLock {
        weak var lock: MemoryFileLock?
    }

    private struct State {
        var files: [String: MemoryFile] = [:]
        var directories: Set<String> = ["", "/", "."]
        var locks: Set<String> = []
        var lastHolders: [String: WeakLock] = [:]
    }

    private let state = Lock(State())

    public init() {}

    /// Of all files. Of one that is mapped, the mapping is a copy beside it.
    package var byteCount: Int { state.withLock { $0.files.values.reduce(0) { $0 + $1.byteCount() } } }

    public func kind(of path: String) -> PathKind {
        state.withLock { state in
            if state.files[path] != nil { return .file }
            return state.directories.contains(path) ? .directory : .absent
        }
    }

    public func createDirectory(_ path: String, sharing: Sharing = .owner) {
        state.withLock { _ = $0.directories.insert(path) }
    }

    public func names(inDirectory path: String) throws(StorageError) -> [String] {
        guard kind(of: path) == .directory else { throw .notFound(path: path) }
        return state.withLock { state in
            (Array(state.files.keys) + state.directories).filter { $0.hasPrefix(path + "/") }
                .map { String($0.dropFirst(path.count + 1)) }.filter { !$0.isEmpty && !$0.contains("/") }
        }
    }

    public func flushDirectory(_ path: String) {}

    public func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        let file = state.withLock { state in
            if mode == .creating { state.files[path] = MemoryFile(path: path, on: self) }
            return state.files[path]
        }
        guard let file else { throw .notFound(path: path) }
        return file
    }

    fileprivate func isNamed(_ file: MemoryFile) -> Bool {
        state.withLock { state in state.files.values.contains { $0 === file } }
    }

    public func rename(_ path: String, to target: String) throws(StorageError) {
        let found = state.withLock { state in
            if let file = state.files.removeValue(forKey: path) {
                state.files[target] = file
                return true
            }
            guard state.directories.remove(path) != nil else { return false }
            state.directories.insert(target)
            for (name, file) in state.files where name.hasPrefix(path + "/") {
                state.files[name] = nil
                state.files[target + name.dropFirst(path.count)] = file
            }
            return true
        }
        if !found { throw .notFound(path: path) }
    }

    public func remove(_ path: String) { state.withLock { _ = $0.files.removeValue(forKey: path) } }

    public func removeDirectory(_ path: String) { state.withLock { _ = $0.directories.remove(path) } }

    public func lock(_ path: String) throws(StorageError) -> any FileLock {
        let lock = MemoryFileLock(path, self)
        guard lock.take() else { throw .inUse(path: path, processIdentifier: 0) }
        return lock
    }

    /// - Returns: whether the one that takes it held it last; `nil` when somebody holds it now.
    fileprivate func take(_ path: String, _ lock: MemoryFileLock) -> Bool? {
        state.withLock { state in
            guard state.locks.insert(path).inserted else { return nil }
            defer { state.lastHolders[path] = WeakLock(lock: lock) }
            return state.lastHolders[path]?.lock === lock
        }
    }

    fileprivate func letGo(_ path: String) { state.withLock { _ = $0.locks.remove(path) } }

    /// A clock that does not move, so that equal histories give equal files.
    public func now() -> UInt64 { 0 }
}

private final class MemoryFileLock: FileLock {
    private let path: String
    private let disk: MemoryFileSystem
    private let state = Lock((isHeld: false, isAsLeft: false))

    init(_ path: String, _ disk: MemoryFileSystem) { (self.path, self.disk) = (path, disk) }

    deinit { unlock() }

    func take() -> Bool {
        state.withLock { state in
            guard !state.isHeld else { return true }
            guard let isAsLeft = disk.take(path, self) else { return false }
            state = (true, isAsLeft)
            return true
        }
    }

    var isAsLeft: Bool { state.withLock { $0.isAsLeft } }

    func letGo() {
        state.withLock { state in
            if state.isHeld { disk.letGo(path) }
            state.isHeld = false
        }
    }

    func unlock() { letGo() }
}

/// The bytes of one file. A mapping is a copy, as a mapped file is never written again.
final class MemoryFile: File {
    let path: String
    private let bytes = Lock<[UInt8]>([])
    private let disk: @Sendable () -> MemoryFileSystem?

    init(path: String, on disk: MemoryFileSystem) {
        self.path = path
        self.disk = { [weak disk] in disk }
    }

    func isNamed() -> Bool { disk()?.isNamed(self) ?? false }

    func byteCount() -> Int { bytes.withLock { $0.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) -> Int {
        bytes.withLock { bytes in
            let count = max(0, min(buffer.count, bytes.count - byteOffset))
            guard count > 0 else { return 0 }
            // Safe because the buffer has room for `count` bytes.
            unsafe bytes.withUnsafeBytes {
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[byteOffset..<byteOffset + count]))
            }
            return count
        }
    }

    func write(_ source: UnsafeRawBufferPointer, at byteOffset: Int) {
        bytes.withLock { bytes in
            let end = byteOffset + source.count
            if end > bytes.count { bytes.append(zeros: end - bytes.count) }
            // Safe because the range has as many bytes as `source`.
            unsafe bytes.withUnsafeMutableBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: $0[byteOffset..<end]).copyMemory(from: source)
            }
        }
    }

    func reserve(byteCount: Int) {
        bytes.withLock { bytes in
            if byteCount > bytes.count { bytes.append(zeros: byteCount - bytes.count) }
        }
    }

    func truncate(byteCount: Int) {
        bytes.withLock { bytes in
            if byteCount < bytes.count { bytes.removeLast(bytes.count - byteCount) }
        }
    }

    func flush(_ kind: FlushKind) {}

    func map() -> Mapping { Mapping(copying: bytes.withLock { $0 }) }

    func close() {}
}
