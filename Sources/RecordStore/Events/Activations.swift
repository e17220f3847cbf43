import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The times at which the app came to the front: for what is looked at again then, such as a clipboard or a widget's settings.
///
/// ```swift
/// for await date in store.launch.activations {
///     print("in front since", date)
/// }
/// ```
///
/// Each call of `Launch.activations` subscribes separately, from that moment on: ask for one in each loop. One that falls behind gets the newest alone. The loop ends when the
/// library is closed or the task is cancelled.
public struct Activations: AsyncSequence, Sendable {
    public typealias Element = Date
    public typealias Failure = Never

    private let stream: AsyncStream<Date>

    init(_ stream: AsyncStream<Date>) { self.stream = stream }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: AsyncStream<Date>.AsyncIterator

        public mutating func next() async -> Date? { await iterator.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Date? {
            await iterator.next(isolation: actor)
        }
    }
}

/// Gives every activation to every subscriber.
final class ActivationBroadcast: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Date>.Continuation] = [:]
        var nextNumber = 0
        var isFinished = false
    }

    private let state = Lock(State())

    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    func subscribe() -> Activations {
        let (stream, continuation) = AsyncStream.makeStream(of: Date.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextNumber += 1
            state.subscribers[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else {
            continuation.finish()
            return Activations(stream)
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return Activations(stream)
    }

    func send(_ date: Date) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.yield(date) }
    }

    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
