import StorageEngine

/// A disk that turns a bit of one byte of a file on its way there.
struct TurningFileSystem: FileSystem {
    let base: any FileSystem
    let name: String
    let byteOffset: Int

    init(_ base: any FileSystem, name: String, byteOffset: Int) {
        (self.base, self.name, self.byteOffset) = (base, name, byteOffset)
    }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        let file = try base.openFile(path, mode)
        return path.hasSuffix("/" + name) ? TurningFile(base: file, byteOffset: byteOffset) : file
    }

    func kind(of path: String) throws(StorageError) -> PathKind { try base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try base.createDirectory(path, sharing: sharing)
    }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
    func flushDirectory(_ path: String) throws(StorageError) { try base.flushDirectory(path) }
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func remove(_ path: String) throws(StorageError) { try base.remove(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
}

private final class TurningFile: File {
    private let base: any File
    private let turned: Int

    init(base: any File, byteOffset: Int) {
        self.base = base
        turned = byteOffset
    }

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        guard turned >= byteOffset, turned < byteOffset + bytes.count else {
            return try base.write(bytes, at: byteOffset)
        }
        var copy = Array(bytes)
        copy[turned - byteOffset] ^= 1
        try base.write(copy, at: byteOffset)
    }

    var path: String { base.path }
    func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try base.isNamed() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        try base.read(into: buffer, at: byteOffset)
    }
    func reserve(byteCount: Int) throws(StorageError) { try base.reserve(byteCount: byteCount) }
    func truncate(byteCount: Int) throws(StorageError) { try base.truncate(byteCount: byteCount) }
    func flush(_ kind: FlushKind) throws(StorageError) { try base.flush(kind) }
    func map() throws(StorageError) -> Mapping { try base.map() }
    func close() { base.close() }
}
