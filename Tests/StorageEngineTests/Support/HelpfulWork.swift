import Dispatch

@testable import StorageEngine

/// The threads of the system beside a clock of its own. One that stands still makes every flush quick, so a lone commit is written where it is made; one that
/// leaps makes all slow, and leaves them to the log's queue. The trees are changed beside either as the test says.
final class HelpfulWork: BackgroundWork {
    /// When another thread helps.
    enum Help: CaseIterable {
        /// Before the flush begins: it does all.
        case atOnce
        /// When the one that flushes has done all.
        case tooLate
        case someTime
    }

    private let help: Help
    private let system = DispatchWork()
    private let late = Lock<[@Sendable () -> Void]>([])
    private let time = Lock(ContinuousClock.now)
    private let leap: Duration

    init(_ help: Help, isSlow: Bool = false) {
        self.help = help
        leap = isSlow ? .milliseconds(1) : .zero
    }

    var now: ContinuousClock.Instant {
        time.withLock {
            $0 += leap
            return $0
        }
    }

    func makeSerialQueue(_ label: String) -> any SerialQueue { system.makeSerialQueue(label) }

    func run(_ priority: DispatchQoS.QoSClass, _ work: @escaping @Sendable () -> Void) {
        // What is not asked for by a commit that waits, is none of this test's.
        guard priority == .userInteractive else { return system.run(priority, work) }
        switch help {
        case .atOnce: work()
        case .tooLate:
            let earlier = late.withLock { late in
                defer { late = [work] }
                return late
            }
            for work in earlier { work() }
        case .someTime: system.run(priority, work)
        }
    }
}
