import Dispatch
import StorageEngine
import Synchronization
import TestSupport

/// Holds up the first that comes by, until it is opened. It holds a thread: one that is not of the pool on which tests run.
final class Gate: Sendable {
    private let isTaken = Atomic(false)
    private let isReached = Flag()
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        isReached.set()
        semaphore.wait()
    }

    func reached() async { while !isReached.isSet { await pause() } }
    func open() { semaphore.signal() }
}

extension FaultyFileSystem {
    /// Holds up the first call of a kind to a file in whose path some words are.
    func gate(_ call: Call, _ words: String) -> Gate {
        let gate = Gate()
        fail { asked, path in
            if asked == call, path.contains(words) { gate.pass() }
            return nil
        }
        return gate
    }
}
