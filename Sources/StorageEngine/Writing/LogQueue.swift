/// The log and the queue it is used on, so that a flush that blocks for long never sits on the cooperative pool.
final class LogQueue: @unchecked Sendable {
    // Safe to share because the log is touched by closures of the serial queue only, but for what it says is any thread's.
    private let log: LogWriter
    private let queue: any SerialQueue

    init(_ log: LogWriter, on work: any BackgroundWork) {
        self.log = log
        queue = work.makeSerialQueue("bookdb.log")
    }

    /// Does not wait for what was begun before.
    var isInDoubt: Bool { log.isInDoubt }

    func run<Success: Sendable, Failure: Error>(
        _ work: @escaping @Sendable (LogWriter) throws(Failure) -> Success,
        then: @escaping @Sendable (Result<Success, Failure>) -> Void
    ) {
        queue.async { then(Result { () throws(Failure) in try work(self.log) }) }
    }

    /// The same at once, on this thread. Waits for what was begun before.
    func runHere<Success, Failure: Error>(
        _ work: (LogWriter) throws(Failure) -> Success
    ) -> Result<Success, Failure> {
        var outcome: Result<Success, Failure>?
        queue.sync { outcome = Result { () throws(Failure) in try work(log) } }
        guard let outcome else { preconditionFailure("the queue has run the work") }
        return outcome
    }

    func call<Success: Sendable>(_ work: @escaping @Sendable (LogWriter) -> Success) async -> Success {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(self.log)) }
        }
    }
}
