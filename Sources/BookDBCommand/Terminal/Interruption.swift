import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Ctrl-C, for work that has a safe point to stop at: the first asks for that, the second ends at once.
///
/// Ending at once is safe as well, since the library is made for it; only the last batch may then be unknown.
final class Interruption {
    private let source: any DispatchSourceSignal

    /// - Parameter stop: is called on the first Ctrl-C.
    init(stop: @escaping @Sendable () -> Void) {
        // Taken from the default action, which would end the process before the source hears of it.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            stop()
        }
        source.resume()
        self.source = source
    }

    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
