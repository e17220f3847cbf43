@testable import StorageEngine

/// Counts what the engine asks of the disk, and fails what a test tells it to.
final class FaultyFileSystem: FileSystem {
    struct Counts: Equatable {
        var writes = 0
        var durableFlushes = 0
        var directoryFlushes = 0
        var reservations = 0
        /// What was asked for ahead, by file.
        var prefetched: [String: [Range<Int>]] = [:]
    }

    struct Reads {
        var byteCount = 0
        /// Bytes of the largest buffer a read was to fill.
        var largest = 0
    }

    enum Call: Sendable {
        case open, read, write, flush, reserve, truncate, map, rename, remove, names, flushDirectory
    }

    /// No tuple: each use of a tuple in a lock wraps a closure in it once more, and a call goes through all the wrappings.
    struct State {
        var counts = Counts()
        var reads = Reads()
        var fault: (@Sendable (Call, String) -> StorageError?)?
    }

    private let base: any FileSystem
    fileprivate let state = Lock(State())

    /// Reservations beyond this meet a full disk.
    fileprivate let room: Int
    /// Whether the system says of what is mapped that it has it.
    fileprivate let isCached: Bool

    init(_ base: any FileSystem = MemoryFileSystem(), room: Int = .max, isCached: Bool = true) {
        self.base = base
        self.room = room
        self.isCached = isCached
    }

    var counts: Counts { state.withLock { $0.counts } }
    var reads: Reads { state.withLock { $0.reads } }

    /// From now on asked before each call; an error it gives is thrown instead.
    func fail(_ fault: (@Sendable (Call, String) -> StorageError?)?) { state.withLock { $0.fault = fault } }

    fileprivate func check(_ call: Call, _ path: String) throws(StorageError) {
        let fault = state.withLock { $0.fault }
        if let error = fault?(call, path) { throw error }
    }

    func kind(of path: String) throws(StorageError) -> PathKind { try base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try base.createDirectory(path, sharing: sharing)
    }
    func names(inDirectory path: String) throws(StorageError) -> [String] {
        try check(.names, path)
        return try base.names(inDirectory: path)
    }
    func flushDirectory(_ path: String) throws(StorageError) {
        try check(.flushDirectory, path)
        state.withLock { $0.counts.directoryFlushes += 1 }
        try base.flushDirectory(path)
    }
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        try check(.open, path)
        return FaultyFile(try base.openFile(path, mode), path, self)
    }
    func rename(_ path: String, to target: String) throws(StorageError) {
        try check(.rename, path)
        try base.rename(path, to: target)
    }
    func remove(_ path: String) throws(StorageError) {
        try check(.remove, path)
        try base.remove(path)
    }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
}

private final class FaultyFile: File {
    let path: String
    private let base: any File
    private let fileSystem: FaultyFileSystem

    init(_ base: any File, _ path: String, _ fileSystem: FaultyFileSystem) {
        self.base = base
        self.path = path
        self.fileSystem = fileSystem
    }

    func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try base.isNamed() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        try fileSystem.check(.read, path)
        fileSystem.state.withLock { state in
            state.reads.byteCount += buffer.count
            state.reads.largest = max(state.reads.largest, buffer.count)
        }
        return try base.read(into: buffer, at: byteOffset)
    }
    func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>? {
        try base.dataExtent(from: byteOffset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        try fileSystem.check(.write, path)
        fileSystem.state.withLock { $0.counts.writes += 1 }
        try base.write(bytes, at: byteOffset)
    }
    func reserve(byteCount: Int) throws(StorageError) {
        try fileSystem.check(.reserve, path)
        if byteCount > fileSystem.room { throw .diskFull(path: path) }
        fileSystem.state.withLock { $0.counts.reservations += 1 }
        // A page at the most, so that a test's files stay small.
        try base.reserve(byteCount: min(byteCount, base.byteCount() + 4096))
    }
    func truncate(byteCount: Int) throws(StorageError) {
        try fileSystem.check(.truncate, path)
        try base.truncate(byteCount: byteCount)
    }
    func flush(_ kind: FlushKind) throws(StorageError) {
        try fileSystem.check(.flush, path)
        if kind == .durable { fileSystem.state.withLock { $0.counts.durableFlushes += 1 } }
        try base.flush(kind)
    }
    func map() throws(StorageError) -> Mapping {
        try fileSystem.check(.map, path)
        let mapping = try base.map()
        return Mapping(
            base: mapping.base, byteCount: mapping.byteCount,
            willNeed: { [path, fileSystem] range in
                fileSystem.state.withLock { $0.counts.prefetched[path, default: []].append(range) }
            },
            isCached: { [fileSystem] _ in fileSystem.isCached }, release: { withExtendedLifetime(mapping) {} })
    }
    func close() { base.close() }
}
