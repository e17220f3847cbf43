import StorageEngine
import Synchronization
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Holds the flushes of the log, so that commits gather behind one.
final class Turnstile: Sendable {
    private let isShut = Atomic(false)
    private let begun = Atomic(0)
    let fileSystem = FaultyFileSystem()

    init() {
        fileSystem.fail { call, path in
            guard call == .flush, path.contains("/log-") else { return nil }
            // Long enough that the writer leaves its flushes to their queue.
            usleep(1000)
            while self.isShut.load(ordering: .acquiring) { usleep(1000) }
            return nil
        }
    }

    /// Runs the writes at once on `database`, all bodies before any of them is flushed but the first, and returns how each ended.
    func gather(
        _ count: Int, in database: Database,
        _ body: @escaping @Sendable (Int, inout Transaction) throws -> Void
    ) async throws -> [Result<Void, any Error>] {
        begun.store(0, ordering: .relaxed)
        isShut.store(true, ordering: .releasing)
        return await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await database.write { transaction in
                            self.begun.add(1, ordering: .relaxed)
                            try body(number, &transaction)
                        }
                        return (number, .success(()))
                    } catch { return (number, .failure(error)) }
                }
            }
            while begun.load(ordering: .relaxed) < count { await pause() }
            isShut.store(false, ordering: .releasing)
            var outcomes: [Int: Result<Void, any Error>] = [:]
            for await (number, outcome) in group { outcomes[number] = outcome }
            return (0..<count).map { outcomes[$0]! }
        }
    }
}
