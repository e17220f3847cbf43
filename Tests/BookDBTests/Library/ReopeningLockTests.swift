import BookDB
import Foundation
import Testing

/// In a process of its own, because it takes the threads that tasks share.
@Suite struct ReopeningLockTests {
    /// What an opening had left for later held the store, and with it the lock, for as long as it waited for a thread: on a busy machine a store that was let go
    /// was said to be open.
    @Test func `a store that was let go can be opened again while no task can run`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("BookDB-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let others = BusyThreads(count: ProcessInfo.processInfo.activeProcessorCount - 1)
        defer { others.release() }
        for _ in 0..<5 {
            let store = try BookStore(at: folder.path + "/Library.bookdb")
            #expect(try store.snapshot.works.count == 0)
        }
    }
}

/// Tasks that take threads until they are told to let them go.
private final class BusyThreads: Sendable {
    private let count: Int
    private let end = DispatchSemaphore(value: 0)

    /// Returns when all of them have one. The caller has another.
    init(count: Int) {
        self.count = count
        let hasBegun = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            Task.detached { [end] in Self.wait(for: end, after: hasBegun) }
        }
        for _ in 0..<count { hasBegun.wait() }
    }

    func release() { for _ in 0..<count { end.signal() } }

    private static func wait(for end: DispatchSemaphore, after hasBegun: DispatchSemaphore) {
        hasBegun.signal()
        end.wait()
    }
}
