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
    /// Those that are listened to.
    private let signals: [Int32]

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

    /// A signal that was ignored when the process began is left alone: `nohup`, and a shell that began it in the background.
    ///
    /// - Parameter stop: is called on the first signal.
    init(stop: @escaping @Sendable () -> Void) {
        // Taken from the default action, which would end the process before the source hears of it.
        let taken = Self.signals.filter { number in
            let former = signal(number, SIG_IGN)
            // Safe because both are words of the system's, which are compared and not called.
            return unsafe unsafeBitCast(former, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
        }
        signals = taken
        sources = taken.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.last.store(number, ordering: .relaxed)
                for number in taken { signal(number, SIG_DFL) }
                stop()
            }
            source.resume()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Does work whose task the first signal cancels. When it ends for that, says so on standard error, and which state it has left.
    ///
    /// Work that is done before it heard of the signal is done: its answer is given as ever.
    ///
    /// - Parameter state: is asked for a sentence when nothing of the work goes on any more.
    /// - Throws: `SilentEnd` with the status of the signal; what `work` throws otherwise.
    static func cancelling<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success, leaving state: () async -> String
    ) async throws -> Success {
        // A signal that comes when something was made already finds somebody who listens.
        let (gate, keeper) = AsyncStream<Never>.makeStream()
        let task = Task {
            for await _ in gate {}
            return try await work()
        }
        let interruption = Interruption { task.cancel() }
        defer { interruption.end() }
        keeper.finish()
        do {
            return try await task.value
        } catch  where CommandFailure(error).status == .interrupted {
            StandardError.say("Interrupted. \(await state())")
            throw SilentEnd(status: status)
        }
    }
}
