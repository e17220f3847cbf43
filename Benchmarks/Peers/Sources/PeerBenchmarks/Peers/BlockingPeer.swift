import Foundation

/// A peer whose writes hold up their thread.
protocol BlockingPeer: Peer {
    func put(_ book: Book) throws
}

extension BlockingPeer {
    func insert(_ book: Book) async throws { try put(book) }

    /// A thread for each writer.
    func insertConcurrently(_ books: [[Book]]) async throws {
        let failures = await withCheckedContinuation { continuation in
            let tally = Tally(waitingFor: books.count) { continuation.resume(returning: $0) }
            for list in books {
                Thread.detachNewThread {
                    do {
                        for book in list { try put(book) }
                        tally.finish(nil)
                    } catch {
                        tally.finish("\(error)")
                    }
                }
            }
        }
        if let failure = failures.first { throw Failure(failure) }
    }
}

/// Counts threads that are done.
private final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var rest: Int
    private var failures: [String] = []
    private let done: ([String]) -> Void

    init(waitingFor count: Int, _ done: @escaping ([String]) -> Void) {
        rest = count
        self.done = done
    }

    func finish(_ failure: String?) {
        let isLast = lock.withLock {
            rest -= 1
            if let failure { failures.append(failure) }
            return rest == 0
        }
        if isLast { done(failures) }
    }
}
