import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Ctrl-C, a terminal that is closed, a system that shuts down, for work that has a safe point to stop at: the first asks for that,
/// the second ends at once.
///
/// Ending at once is safe as well, since the library is made for it; only the last batch may then be unknown.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let last = Atomic(SIGINT)

    /// What a process ends with behind the last of them.
    static var status: ExitStatus {
        switch last.load(ordering: .relaxed) {
        case SIGTERM: .terminated
        case SIGHUP: .hungUp
        default: .interrupted
        }
    }

    /// - Parameter stop: is called on the first signal.
    init(stop: @escaping @Sendable () -> Void) {
        sources = Self.signals.map { number in
            // Taken from the default action, which would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.last.store(number, ordering: .relaxed)
                for number in Self.signals { signal(number, SIG_DFL) }
                stop()
            }
            source.resume()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
