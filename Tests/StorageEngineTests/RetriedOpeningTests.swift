import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Openings in the background that fail and are tried again.
struct RetriedOpeningTests {
    @Test func `a writer that waits is not told it was cancelled when an opening is tried again at once`() async throws
    {
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var options = Options(compaction: .manual)
        options.admission = { _, _ throws(StorageError) in
            second.wait(); second.signal(); return .show
        }
        let attempts = Atomic<Int>(0)
        let database = Database.opening(
            at: "A", trees: numberTrees, options: options, fileSystem: MemoryFileSystem(), waitingFor: .zero,
            prepare: { () throws(StorageError) in
                guard attempts.add(1, ordering: .relaxed).oldValue == 0 else { return }
                first.wait()
                throw .readOnly(path: "A")
            })
        let once = Atomic<Int>(0)
        database.whenOpened { [weak database] in
            if once.add(1, ordering: .relaxed).oldValue == 0 { _ = database?.retry() }
        }
        let ready = Task { try await database.ready() }
        while database.openingState.waiterCount == 0 { await pause() }
        first.signal()
        second.signal()
        try await ready.value
        try await database.close()
    }

    @Test func `a retry prepares as the first opening did`() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let count = Atomic<Int>(0)
        let path = root + "/App/A.bookdb"
        let database = Database.opening(
            at: path, trees: numberTrees, options: Options(compaction: .manual), waitingFor: .zero,
            prepare: { () throws(StorageError) in
                if count.add(1, ordering: .relaxed).oldValue == 0 { throw .diskFull(path: path) }
                try PosixFileSystem().createDirectory(root + "/App", sharing: .owner)
            })
        await #expect(throws: StorageError.self) { try await database.ready() }
        database.retry()
        try await database.ready()
        #expect(count.load(ordering: .relaxed) == 2)
        try await database.close()
    }
}
