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
    /// Flushes that have begun, and those that may end while it is shut.
    private let flushes = Atomic(0)
    private let passes = Atomic(0)
    let fileSystem = FaultyFileSystem()

    init() {
        fileSystem.fail { call, path in
            guard call == .flush, path.contains("/log-") else { return nil }
            // Long enough that the writer leaves its flushes to their queue.
            usleep(1000)
            self.flushes.add(1, ordering: .relaxed)
            while self.isShut.load(ordering: .acquiring), !self.takePass() { usleep(1000) }
            return nil
        }
    }

    /// Called by the one thread that flushes.
    private func takePass() -> Bool {
        guard passes.load(ordering: .acquiring) > 0 else { return false }
        passes.subtract(1, ordering: .relaxed)
        return true
    }

    /// Runs the writes at once on `database`, all bodies before any of them is flushed but the first, and returns how each ended.
    ///
    /// - Parameter later: how many more there are, with the numbers behind those: their bodies run while all of the first are with the log but the one
    ///   that came first.
    func gather(
        _ count: Int, andThen later: Int = 0, in database: Database,
        _ body: @escaping @Sendable (Int, inout Transaction) throws -> Void
    ) async throws -> [Result<Void, any Error>] {
        begun.store(0, ordering: .relaxed)
        let earlierFlushes = flushes.load(ordering: .relaxed)
        isShut.store(true, ordering: .releasing)
        return await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
            func begin(_ numbers: Range<Int>) {
                for number in numbers {
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
            }
            begin(0..<count)
            while begun.load(ordering: .relaxed) < count { await pause() }
            if later > 0 {
                passes.add(1, ordering: .releasing)
                // Where all of them threw, nothing is flushed.
                for _ in 0..<200 where flushes.load(ordering: .relaxed) < earlierFlushes + 2 { await pause() }
                begin(count..<count + later)
                // Where one of them finds out that the group is to be given back, the others wait for its flush.
                for _ in 0..<200 where begun.load(ordering: .relaxed) < count + later { await pause() }
            }
            isShut.store(false, ordering: .releasing)
            var outcomes: [Int: Result<Void, any Error>] = [:]
            for await (number, outcome) in group { outcomes[number] = outcome }
            return (0..<count + later).map { outcomes[$0]! }
        }
    }
}
