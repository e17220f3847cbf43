import Dispatch
import StorageEngine

/// Works out the entries of books on as many threads as there are cores, some hundred books at a time.
final class LoadQueue: @unchecked Sendable {
    // Safe to share because what changes is under the lock, and a collector is used by the one thread that has taken it.

    private struct State {
        var idleCollectors: [EntryCollector] = []
        var failure: BookError?
    }

    private let load: Load
    private let filing: FilingTailoring
    private let state = Lock(State())
    private let group = DispatchGroup()
    private let queue = DispatchQueue(label: "bookdb.load", qos: .userInitiated, attributes: .concurrent)
    /// Batches that wait or are worked on: whoever brings more waits.
    private let room = DispatchSemaphore(value: 3)

    init(_ load: Load, filing: FilingTailoring) {
        self.load = load
        self.filing = filing
    }

    func add(_ books: [LoadedBook], _ authors: [LoadedAuthor]) throws(BookError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        room.wait()
        queue.async(group: group) { [self] in
            defer { room.signal() }
            let collector = state.withLock { $0.idleCollectors.popLast() } ?? load.makeCollector()
            do throws(StorageError) {
                for author in authors { try author.put(into: collector) }
                for book in books { try book.put(into: collector, filing: filing) }
            } catch {
                state.withLock { $0.failure = BookError(error) }
            }
            state.withLock { $0.idleCollectors.append(collector) }
        }
    }

    /// Returns when all is worked out.
    func finish() throws(BookError) {
        group.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
