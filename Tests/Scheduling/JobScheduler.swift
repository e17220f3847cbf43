import Dispatch
import StorageEngine

/// Runs the jobs of tasks and the engine's work on the disk on one thread, one step at a time, the next one as the test chooses.
///
/// A *step* is a job that Swift's runtime wants run (a task that starts or goes on, an actor that has something to do), the first
/// piece of work of a serial queue, or a piece of work that asked for a thread. While `run` lasts every job that becomes runnable
/// on this thread is kept here and nothing runs but what is chosen, so that equal choices give equal histories.
///
/// Always true: between two steps nothing runs. A run that ends with tasks that wait for something, and no step to take, has
/// found a deadlock, or work that went to a thread which this scheduler does not know of.
package final class JobScheduler: @unchecked Sendable {
    // Safe to share because one thread uses it: the hook finds it by that thread.

    private enum Step {
        case job(UnownedJob)
        case work(() -> Void)
    }

    /// What can be chosen, oldest first.
    private var runnable: [Step] = []
    package private(set) var stepCount = 0
    /// What the engine takes for the time. Each look at it takes as long as `tick`: with none, all work seems short.
    fileprivate var time = ContinuousClock.now
    fileprivate let tick: Duration

    package init(tick: Duration = .zero) { self.tick = tick }

    /// How a run ended.
    package enum Ending<Result> {
        case finished(Result)
        /// Something waits, and nothing is left that could wake it.
        case deadlock
        /// It has taken more steps than it may.
        case endless
    }

    /// Runs `body` as a task, and all it leads to, until nothing is runnable any more.
    ///
    /// - Parameter choose: which of so many runnable steps goes next; the oldest is 0. Asked only where there is a choice.
    package func run<Result: Sendable>(
        limit: Int = 10_000, choose: (Int) -> Int = { _ in 0 }, _ body: @escaping @Sendable () async -> Result
    ) -> Ending<Result> {
        JobHook.install()
        let outer = JobHook.scheduler
        JobHook.scheduler = self
        defer { JobHook.scheduler = outer }
        let outcome = Outcome<Result>()
        Task { outcome.result = await body() }
        for _ in 0..<limit {
            guard !runnable.isEmpty else { return outcome.result.map { .finished($0) } ?? .deadlock }
            let choice = runnable.count == 1 ? 0 : choose(runnable.count)
            stepCount += 1
            switch runnable.remove(at: choice) {
            case .job(let job): JobHook.run(job)
            case .work(let work): work()
            }
        }
        return .endless
    }

    private final class Outcome<Result>: @unchecked Sendable {
        // Safe to share because only steps of the scheduler's thread touch it.
        var result: Result?
    }

    /// Lets others go first: going on is a step of its own.
    package func pause() async { await withCheckedContinuation { continuation in add { continuation.resume() } } }

    func add(_ job: UnownedJob) { runnable.append(.job(job)) }

    fileprivate func add(_ work: @escaping () -> Void) { runnable.append(.work(work)) }
}

// MARK: The engine's work

extension JobScheduler: BackgroundWork {
    package func makeSerialQueue(_ label: String) -> any SerialQueue { SteppedQueue(self) }

    package func run(_ priority: DispatchQoS.QoSClass, _ work: @escaping @Sendable () -> Void) { add(work) }

    package var now: ContinuousClock.Instant {
        time = time.advanced(by: tick)
        return time
    }
}

/// A serial queue of which only the first piece of work is a step that can be chosen.
private final class SteppedQueue: SerialQueue, @unchecked Sendable {
    // Safe to share because only steps of the scheduler's thread touch it.
    private unowned let scheduler: JobScheduler
    private var waiting: [@Sendable () -> Void] = []

    init(_ scheduler: JobScheduler) { self.scheduler = scheduler }

    func async(_ work: @escaping @Sendable () -> Void) {
        waiting.append(work)
        if waiting.count == 1 { scheduler.add { [self] in runFirst() } }
    }

    private func runFirst() {
        // `sync` may have run it already.
        guard let work = waiting.first else { return }
        work()
        waiting.removeFirst()
        if !waiting.isEmpty { scheduler.add { [self] in runFirst() } }
    }

    func sync(_ work: () -> Void) {
        let earlier = waiting
        waiting = []
        for work in earlier { work() }
        work()
    }
}
