import StorageEngine
import Synchronization

/// A disk that can be full: what is there can be read, and nothing more can be written.
final class FullDisk: FileSystem {
    private let disk = PosixFileSystem()
    private let full = Atomic(false)

    var isFull: Bool {
        get { full.load(ordering: .relaxed) }
        set { full.store(newValue, ordering: .relaxed) }
    }

    var processIdentifier: Int32 { disk.processIdentifier }
    func kind(of path: String) throws(StorageError) -> PathKind { try disk.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try disk.createDirectory(path, sharing: sharing)
    }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try disk.names(inDirectory: path) }
    func flushDirectory(_ path: String) throws(StorageError) { try disk.flushDirectory(path) }
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        FullFile(try disk.openFile(path, mode), self)
    }
    func rename(_ path: String, to target: String) throws(StorageError) { try disk.rename(path, to: target) }
    func remove(_ path: String) throws(StorageError) { try disk.remove(path) }
    func removeDirectory(_ path: String) throws(StorageError) { try disk.removeDirectory(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try disk.lock(path) }
    func now() -> UInt64 { disk.now() }
}

private final class FullFile: File {
    private let file: any File
    private let disk: FullDisk

    init(_ file: any File, _ disk: FullDisk) {
        self.file = file
        self.disk = disk
    }

    var path: String { file.path }
    func byteCount() throws(StorageError) -> Int { try file.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try file.isNamed() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        // Safe because the buffer is handed on as it came, for the duration of the call.
        try unsafe file.read(into: buffer, at: byteOffset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        try refuse()
        // Safe for the same reason.
        try unsafe file.write(bytes, at: byteOffset)
    }
    func reserve(byteCount: Int) throws(StorageError) {
        try refuse()
        try file.reserve(byteCount: byteCount)
    }
    func truncate(byteCount: Int) throws(StorageError) { try file.truncate(byteCount: byteCount) }
    func flush(_ kind: FlushKind) throws(StorageError) { try file.flush(kind) }
    func discardCache() { file.discardCache() }
    func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>? { try file.dataExtent(from: byteOffset) }
    func map() throws(StorageError) -> Mapping { try file.map() }
    func close() { file.close() }

    private func refuse() throws(StorageError) {
        if disk.isFull { throw .diskFull(path: path) }
    }
}
