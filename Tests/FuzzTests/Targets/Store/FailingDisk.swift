@testable import CrashSimulation
import StorageEngine

/// A recording disk of which a call of any kind fails when its turn comes, whichever it is.
final class FailingDisk: FileSystem {
    struct Fault {
        /// Calls until it strikes.
        var callsLeft: Int
        /// How many calls fail then.
        var failureCount: Int
        var isFull: Bool
    }

    let base: RecordingDisk
    private let state = Lock((fault: nil as Fault?, hasFailed: false))

    init(_ base: RecordingDisk) { self.base = base }

    func arm(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    var isArmed: Bool { state.withLock { $0.fault != nil } }

    /// Since `forget` was called.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func forget() { state.withLock { $0.hasFailed = false } }

    fileprivate func error(_ operation: String, _ path: String) -> StorageError? {
        state.withLock { state in
            guard let armed = state.fault else { return nil }
            if armed.callsLeft > 0 {
                state.fault?.callsLeft -= 1
                return nil
            }
            state.hasFailed = true
            state.fault?.failureCount -= 1
            if armed.failureCount <= 1 { state.fault = nil }
            return armed.isFull ? .diskFull(path: path) : .inputOutput(operation: operation, path: path, code: 5)
        }
    }

    private func check(_ operation: String, _ path: String) throws(StorageError) {
        if let error = error(operation, path) { throw error }
    }

    func kind(of path: String) -> PathKind { base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { 0 }

    func names(inDirectory path: String) throws(StorageError) -> [String] {
        try check("readdir", path)
        return try base.names(inDirectory: path)
    }

    func flushDirectory(_ path: String) throws(StorageError) {
        try check("fsync", path)
        try base.flushDirectory(path)
    }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        try check("open", path)
        return FailingFile(try base.openFile(path, mode), self)
    }

    func rename(_ path: String, to target: String) throws(StorageError) {
        try check("rename", path)
        try base.rename(path, to: target)
    }

    func remove(_ path: String) throws(StorageError) {
        try check("unlink", path)
        try base.remove(path)
    }
}

private final class FailingFile: File {
    private let base: any File
    private let disk: FailingDisk

    init(_ base: any File, _ disk: FailingDisk) {
        self.base = base
        self.disk = disk
    }

    var path: String { base.path }

    private func check(_ operation: String) throws(StorageError) {
        if let error = disk.error(operation, path) { throw error }
    }

    func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try base.isNamed() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        try check("pread")
        return try base.read(into: buffer, at: byteOffset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        if let error = disk.error("pwrite", path) {
            try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: byteOffset)
            throw error
        }
        try base.write(bytes, at: byteOffset)
    }

    func reserve(byteCount: Int) throws(StorageError) {
        try check("fallocate")
        try base.reserve(byteCount: byteCount)
    }

    func truncate(byteCount: Int) throws(StorageError) {
        try check("ftruncate")
        try base.truncate(byteCount: byteCount)
    }

    func flush(_ kind: FlushKind) throws(StorageError) {
        // What a failed flush leaves behind is the recording disk's to say.
        if disk.error("fdatasync", path) != nil { disk.base.fail(DiskFault(.flush)) }
        defer { disk.base.fail(nil) }
        try base.flush(kind)
    }

    func map() throws(StorageError) -> Mapping {
        try check("mmap")
        return try base.map()
    }

    func close() { base.close() }
}
