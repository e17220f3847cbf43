import Dispatch

/// Tells that a file was written to, by any process, until it is cancelled or let go.
public protocol FileWatch: AnyObject, Sendable {
    func cancel()
}

/// Asks four times a second, where the system cannot be asked to tell.
final class PollingWatch: FileWatch, @unchecked Sendable {
    // Safe to share because sources of Dispatch are made to be used on any thread.
    private let timer: any DispatchSourceTimer

    init(_ onChange: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "bookdb.watch", qos: .utility))
        timer.schedule(deadline: .now() + .milliseconds(250), repeating: .milliseconds(250))
        timer.setEventHandler(handler: onChange)
        timer.activate()
    }

    deinit { timer.cancel() }

    func cancel() { timer.cancel() }
}
