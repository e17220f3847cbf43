import Dispatch
import StorageEngine
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Holds up a flush of the log.
final class FlushGate: Sendable {
    private let isShut = Flag()
    private let isReached = Flag()
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ disk: FaultyFileSystem) {
        disk.fail { [self] call, path in
            guard call == .flush, path.contains("log-") else { return nil }
            // Long enough that the writer leaves its flushes to their queue: what is held up where a commit is made is a thread that every test needs.
            usleep(1000)
            guard isShut.isSet else { return nil }
            isShut.set(false)
            isReached.set(true)
            // Beside all other tests it may be minutes; only a test that has failed lets it be for ever.
            _ = semaphore.wait(timeout: .now() + 1_200)
            return nil
        }
    }

    /// The next flush waits until the gate is opened.
    func shut() { isShut.set(true) }
    func reached() async { while !isReached.isSet { await pause() } }
    func open() { semaphore.signal() }
}
