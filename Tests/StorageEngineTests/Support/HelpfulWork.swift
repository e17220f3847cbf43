import Dispatch

@testable import StorageEngine

/// The threads of the system beside a clock that stands still: every flush is quick, so a lone commit is written where it is made, and its trees are
/// changed beside it as the test says.
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
    let now = ContinuousClock.now

    init(_ help: Help) { self.help = help }

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
