import Filing
import Dispatch
import StorageEngine

/// Works out the entries of books on as many threads as there are cores, some hundred books at a time.
final class LoadQueue: @unchecked Sendable {
    // Safe to share because what changes is under the lock.

    private struct State {
        /// Batches that are done and wait to be let go.
        var spent: [LoadBatch] = []
        var failure: LibraryError?
    }

    private let load: Load
    private let filing: FilingTailoring
    private let state = Lock(State())
    private let group = DispatchGroup()
    private let queue = DispatchQueue(label: "bookdb.load", qos: .userInitiated, attributes: .concurrent)
    /// Batches that wait or are worked on: whoever brings more waits.
    private let room = DispatchSemaphore(value: 16)

    init(_ load: Load, filing: FilingTailoring) {
        self.load = load
        self.filing = filing
    }

    func add(_ batch: LoadBatch) throws(LibraryError) {
        let (failure, spent) = state.withLock { state in
            defer { state.spent = [] }
            return (state.failure, state.spent)
        }
        // They are let go by the thread that made them: elsewhere, both threads would wait for one another at every text.
        withExtendedLifetime(spent) {}
        if let failure { throw failure }
        room.wait()
        queue.async(group: group) { [self] in
            defer { room.signal() }
            do throws(StorageError) {
                try load.withCollector { (collector) throws(StorageError) in
                    for author in batch.authors { try author.put(into: collector) }
                    for book in batch.books { try book.put(into: collector, filing: filing) }
                }
            } catch {
                state.withLock { $0.failure = LibraryError(error) }
            }
            state.withLock { $0.spent.append(batch) }
        }
    }

    /// Returns when nothing is worked out any more.
    func wait() { group.wait() }

    /// Returns when all is worked out.
    func finish() throws(LibraryError) {
        wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// Some books and the authors that came with them, on their way to another thread and back.
final class LoadBatch: Sendable {
    let books: [LoadedBook]
    let authors: [LoadedAuthor]

    init(_ books: [LoadedBook], _ authors: [LoadedAuthor]) {
        self.books = books
        self.authors = authors
    }
}
