import StorageEngine
import Synchronization

/// A disk that a writer goes on with while a reader looks: each call of the reader may meet a later moment than the one before.
///
/// It replays what a writer once did, so a race is the list of moments, and repeats.
final class PassingDisk: FileSystem {
    /// The store's files after a number of the writer's operations.
    struct Moment: Sendable {
        let names: [String: Int]
        let contents: [Int: [UInt8]]

        init(_ view: CrashState) {
            names = view.nameTable
            contents = view.contents
        }
    }

    private let moments: [Moment]
    /// Which moment each call meets; the last holds for all that follow.
    private let schedule: [Int]
    private let callCount = Atomic(0)
    private let directory: String

    init(_ moments: [Moment], schedule: [Int], directory: String) {
        self.moments = moments
        self.schedule = schedule
        self.directory = directory
    }

    /// How many calls the reader has made.
    var calls: Int { callCount.load(ordering: .relaxed) }

    fileprivate func now() -> Moment {
        let call = callCount.add(1, ordering: .relaxed).oldValue
        return moments[schedule[min(call, schedule.count - 1)]]
    }

    private func name(_ path: String) -> String { String(path.dropFirst(directory.count + 1)) }

    func kind(of path: String) -> PathKind {
        if path == directory { return .directory }
        return now().names[name(path)] == nil ? .absent : .file
    }

    func names(inDirectory path: String) -> [String] { Array(now().names.keys) }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        guard mode == .reading, let file = now().names[name(path)] else { throw .notFound(path: path) }
        return PassingFile(path: path, file: file, disk: self)
    }

    func now() -> UInt64 { 0 }
    func permissions(of path: String) -> UInt16? { nil }

    // A reader changes nothing.
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) { throw .readOnly(path: path) }
    func flushDirectory(_ path: String) throws(StorageError) { throw .readOnly(path: path) }
    func rename(_ path: String, to target: String) throws(StorageError) { throw .readOnly(path: path) }
    func remove(_ path: String) throws(StorageError) { throw .readOnly(path: path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { throw .readOnly(path: path) }
}

/// An open file keeps its bytes when its name goes, and shows what is appended to it.
private final class PassingFile: File {
    let path: String
    private let file: Int
    private let disk: PassingDisk

    init(path: String, file: Int, disk: PassingDisk) {
        self.path = path
        self.file = file
        self.disk = disk
    }

    private var bytes: [UInt8] { disk.now().contents[file] ?? [] }

    func byteCount() -> Int { bytes.count }
    func isNamed() -> Bool { true }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) -> Int {
        let found = Array(bytes.dropFirst(byteOffset).prefix(buffer.count))
        buffer.copyBytes(from: found)
        return found.count
    }

    func map() -> Mapping { Mapping(copying: bytes) }
    func close() {}

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) { throw .readOnly(path: path) }
    func reserve(byteCount: Int) throws(StorageError) { throw .readOnly(path: path) }
    func truncate(byteCount: Int) throws(StorageError) { throw .readOnly(path: path) }
    func flush(_ kind: FlushKind) throws(StorageError) { throw .readOnly(path: path) }
}
