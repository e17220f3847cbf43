import StorageEngine
import Synchronization

/// A disk in memory that remembers every operation in order, so that each crash it could have had can be made later.
/// Holds one directory.
public final class RecordingDisk: FileSystem {
    struct State {
        var names: [String: Int] = [:]
        var contents: [[UInt8]] = []
        var operations: [DiskOperation] = []
        var isLocked = false
    }

    private let state: Mutex<State>
    let directory: String

    /// - Parameter files: what was on the medium before the first operation.
    public init(directory: String, files: [String: [UInt8]] = [:]) {
        self.directory = directory
        var initial = State()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            initial.names[name] = initial.contents.count
            initial.contents.append(bytes)
        }
        state = Mutex(initial)
    }

    /// How many operations there have been.
    public var operationCount: Int { state.withLock { $0.operations.count } }

    var operations: [DiskOperation] { state.withLock { $0.operations } }

    public var files: [String: [UInt8]] {
        state.withLock { state in state.names.mapValues { state.contents[$0] } }
    }

    private func name(_ path: String) -> String { String(path.dropFirst(directory.count + 1)) }

    public func kind(of path: String) -> PathKind {
        if path == directory { return .directory }
        return state.withLock { $0.names[name(path)] == nil ? .absent : .file }
    }

    public func createDirectory(_ path: String) {}

    public func names(inDirectory path: String) -> [String] { state.withLock { Array($0.names.keys) } }

    public func flushDirectory(_ path: String) { state.withLock { $0.operations.append(.flushDirectory) } }

    public func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
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
            let file = state.contents.count
            state.contents.append([])
            state.names[name] = file
            state.operations.append(.create(name: name, file: file))
            return file
        }
        guard let file else { throw .notFound(path: path) }
        return RecordedFile(path: path, file: file, disk: self)
    }

    public func rename(_ path: String, to target: String) throws(StorageError) {
        let (from, to) = (name(path), name(target))
        let isThere = state.withLock { state in
            guard let file = state.names.removeValue(forKey: from) else { return false }
            state.names[to] = file
            state.operations.append(.rename(name: from, to: to))
            return true
        }
        if !isThere { throw .notFound(path: path) }
    }

    public func remove(_ path: String) {
        let name = name(path)
        state.withLock { state in
            if state.names.removeValue(forKey: name) != nil { state.operations.append(.remove(name: name)) }
        }
    }

    public func lock(_ path: String) -> any FileLock { NoLock() }

    public func now() -> UInt64 { 0 }

    fileprivate func withContents<Result: Sendable>(
        of file: Int, _ operation: DiskOperation?, _ body: (inout [UInt8]) -> Result
    ) -> Result {
        state.withLock { state in
            if let operation { state.operations.append(operation) }
            return body(&state.contents[file])
        }
    }
}

private final class NoLock: FileLock {
    func unlock() {}
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

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) -> Int {
        let bytes = disk.withContents(of: file, nil) { Array($0.dropFirst(byteOffset).prefix(buffer.count)) }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) {
        let copy = [UInt8](bytes)
        disk.withContents(of: file, .write(file: file, byteOffset: byteOffset, bytes: copy)) {
            $0.write(copy, at: byteOffset)
        }
    }

    /// Reserves a page at the most, so that a crash state is small.
    func reserve(byteCount: Int) {
        let size = min(byteCount, self.byteCount() + 4096)
        disk.withContents(of: file, .resize(file: file, byteCount: size)) { $0.resize(to: size) }
    }

    func truncate(byteCount: Int) {
        disk.withContents(of: file, .resize(file: file, byteCount: byteCount)) { $0.resize(to: byteCount) }
    }

    func flush(_ kind: FlushKind) {
        guard kind == .durable else { return }
        disk.withContents(of: file, .flush(file: file)) { _ in }
    }

    func map() -> Mapping { Mapping(copying: disk.withContents(of: file, nil) { $0 }) }

    func close() {}
}

extension [UInt8] {
    mutating func resize(to byteCount: Int) {
        if byteCount < count {
            removeLast(count - byteCount)
        } else {
            append(contentsOf: repeatElement(0, count: byteCount - count))
        }
    }

    mutating func write(_ bytes: some Collection<UInt8>, at byteOffset: Int) {
        if byteOffset + bytes.count > count { resize(to: byteOffset + bytes.count) }
        replaceSubrange(byteOffset..<byteOffset + bytes.count, with: bytes)
    }
}
