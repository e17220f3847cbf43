import StorageEngine

/// A disk that refuses to give one stretch of one file, or turns a bit of one byte of it on its way there, and is sound in all else.
struct WornFileSystem: FileSystem {
    let base: any FileSystem
    let path: String
    var refused = 0..<0
    var turned: Int?

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        let file = try base.openFile(path, mode)
        return path == self.path ? WornFile(base: file, refused: refused, turned: turned) : file
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

private final class WornFile: File {
    private let base: any File
    private let refused: Range<Int>
    private let turned: Int?

    init(base: any File, refused: Range<Int>, turned: Int?) {
        self.base = base
        self.refused = refused
        self.turned = turned
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        guard !refused.overlaps(byteOffset..<byteOffset + buffer.count) else {
            throw .inputOutput(operation: "pread", path: path, code: 5)
        }
        return try base.read(into: buffer, at: byteOffset)
    }

    var path: String { base.path }
    func byteCount() throws(StorageError) -> Int { try base.byteCount() }
    func isNamed() throws(StorageError) -> Bool { try base.isNamed() }
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        guard let turned, turned >= byteOffset, turned < byteOffset + bytes.count else {
            return try base.write(bytes, at: byteOffset)
        }
        var copy = Array(bytes)
        copy[turned - byteOffset] ^= 1
        try base.write(copy, at: byteOffset)
    }
    func reserve(byteCount: Int) throws(StorageError) { try base.reserve(byteCount: byteCount) }
    func truncate(byteCount: Int) throws(StorageError) { try base.truncate(byteCount: byteCount) }
    func flush(_ kind: FlushKind) throws(StorageError) { try base.flush(kind) }
    func map() throws(StorageError) -> Mapping { try base.map() }
    func close() { base.close() }
}
