import StorageEngine
import Synchronization

@testable import RecordStore

/// A clock that a test sets, in milliseconds.
final class TestClock: Sendable {
    private let state: Mutex<UInt64>

    init(_ time: UInt64 = 1_000_000_000_000) { state = Mutex(time) }

    var time: UInt64 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func pass(_ lifetime: CacheLifetime) { state.withLock { $0 += lifetime.milliseconds } }

    func goBack(_ lifetime: CacheLifetime) { state.withLock { $0 -= lifetime.milliseconds } }
}

extension BlobCache {
    static let testDirectory = "Cache"
    private static var testStore: [UInt8] { Array("0123456789abcdef".utf8) }

    /// A process's cache on a disk.
    static func onDisk(
        _ fileSystem: any FileSystem, _ clock: TestClock, blockLimit: Int = 1000, isReadOnly: Bool = false,
        nameCount: UInt64 = .max
    ) -> BlobCache {
        let files = BlobFiles(
            directory: testDirectory, store: testStore, fileSystem: fileSystem, isReadOnly: isReadOnly)
        return BlobCache(files, byteLimit: blockLimit * 4096, now: { clock.time }) { key in
            BlobName(hash: BlobName(key: key).hash % nameCount)
        }
    }
}

extension FileSystem {
    func cachedFiles() throws -> [String] {
        try kind(of: BlobCache.testDirectory) == .absent
            ? [] : names(inDirectory: BlobCache.testDirectory).map { BlobCache.testDirectory + "/" + $0 }
    }

    /// What the files take, in whole blocks.
    func cachedBlockCount() throws -> Int {
        try cachedFiles().reduce(0) { count, path in
            let file = try openFile(path, .reading)
            defer { file.close() }
            return try count + (file.byteCount() + 4095) / 4096
        }
    }
}
