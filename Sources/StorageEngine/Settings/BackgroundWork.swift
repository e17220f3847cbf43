import Dispatch

/// Where work that blocks or takes long runs, so that none of it is ever on the cooperative pool.
///
/// A seam: a test puts its own here, completes the work in an order it chooses, and so replays a schedule exactly.
package protocol BackgroundWork: Sendable {
    /// A queue whose work runs one after the other, in the order given.
    func makeSerialQueue(_ label: String) -> any SerialQueue
    /// Runs `work` on a thread of its own.
    func run(_ priority: DispatchQoS.QoSClass, _ work: @escaping @Sendable () -> Void)
    /// The clock that decides which work is short enough to run on its caller's thread.
    var now: ContinuousClock.Instant { get }
}

package protocol SerialQueue: Sendable {
    func async(_ work: @escaping @Sendable () -> Void)
    /// Returns when `work` has run, after all that was given before.
    func sync(_ work: () -> Void)
}

/// The threads of the system.
struct DispatchWork: BackgroundWork {
    func makeSerialQueue(_ label: String) -> any SerialQueue {
        DispatchSerialWork(queue: DispatchQueue(label: label, qos: .userInitiated))
    }

    func run(_ priority: DispatchQoS.QoSClass, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: priority).async(execute: work)
    }

    var now: ContinuousClock.Instant { .now }
}

private struct DispatchSerialWork: SerialQueue {
    let queue: DispatchQueue

    func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func sync(_ work: () -> Void) { queue.sync(execute: work) }
}
