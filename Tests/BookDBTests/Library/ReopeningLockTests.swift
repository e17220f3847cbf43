import BookDB
import Foundation
import Testing

/// In a process of its own, because it takes the threads that tasks share.
@Suite(.serialized) struct ReopeningLockTests {
    /// What an opening had left for later held the store, and with it the lock, for as long as it waited for a thread: on a busy machine a store that was let go
    /// was said to be open.
    @Test func `a store that was let go can be opened again while no task can run`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("BookDB-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/Library.bookdb"
        let first = try BookStore(at: path)
        try await first.insert(Loan(person: "Ann"))
        try await first.close()
        let count = ProcessInfo.processInfo.activeProcessorCount
        let others = [BusyThreads(count - 1, .medium), BusyThreads(count, .high), BusyThreads(count, .utility)]
        defer { for threads in others { threads.release() } }
        for _ in 0..<5 {
            let store = try BookStore(at: path)
            store.launch.firstFrame()
            store.releaseMemory()
            store.retry()
            #expect(try store.snapshot.records(Loan.self).count == 1)
        }
    }

    /// What is to be done once the writer is free holds it, and the writer is free when its thread is the caller's again: who opens the store there leaves no
    /// thread for the rest.
    @Test func `a store can be opened again while what asked for its writer waits for a thread`() async throws {
        // Where there are files in memory, since a flush must be short.
        let root = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let folder = URL(fileURLWithPath: "\(root)/BookDB-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/Library.bookdb"
        let count = ProcessInfo.processInfo.activeProcessorCount - 1
        let others = try await Self.lettingGo(path, count)
        defer { others.release() }
        #expect(try BookStore(at: path).snapshot.records(Loan.self).count == 5)
    }

    /// - Returns: what has taken all threads but this since the writer was asked for something else.
    private static func lettingGo(_ path: String, _ count: Int) async throws -> BusyThreads {
        let store = try BookStore(at: path)
        // Behind these the writer knows that flushes are short, and writes a commit on its caller's thread.
        for _ in 0..<4 { try await store.insert(Loan(person: "Ann")) }
        return try await store.write { library in
            _ = try library.insert(Loan(person: "Ben"))
            store.retry()
            return BusyThreads(count, .medium)
        }
    }

    /// Its order is looked after by a job of the library's own at each opening.
    private struct Loan: Record {
        var id: ID<Loan> = .unassigned
        var person = ""
        enum CodingKeys: Int, CodingKey { case id, person }
        static let schema = Schema { Order("by person", \.person) }
    }
}

/// Tasks that take threads until they are told to let them go.
private final class BusyThreads: Sendable {
    private let count: Int
    private let end = DispatchSemaphore(value: 0)

    /// Returns when all of them have one.
    init(_ count: Int, _ priority: TaskPriority) {
        self.count = count
        let hasBegun = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            Task.detached(priority: priority) { [end] in Self.wait(for: end, after: hasBegun) }
        }
        for _ in 0..<count { hasBegun.wait() }
    }

    func release() { for _ in 0..<count { end.signal() } }

    private static func wait(for end: DispatchSemaphore, after hasBegun: DispatchSemaphore) {
        hasBegun.signal()
        end.wait()
    }
}
