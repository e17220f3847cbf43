import StorageEngine

/// Tries again what a library's disk did not take, and to show what others have written where that failed: after a second, then ever more rarely, and
/// once a minute at last. A full disk may have room again, and a process may open files again, when nobody writes any more.
final class WriteRetries: Sendable {
    private struct State {
        weak var database: Database?
        var task: Task<Void, Never>?

        mutating func end() {
            task?.cancel()
            task = nil
        }
    }

    private let clock: AnyClock
    private let state = Lock(State())

    init(by clock: AnyClock) { self.clock = clock }

    /// What tries again. Until it is known nothing is.
    func attach(to database: Database) { state.withLock { $0.database = database } }

    func take(_ notice: StoreNotice) {
        switch notice {
        case .stalled, .followingFailed: begin()
        case .resumed, .followingResumed: endIfWell()
        case .refusing, .closed: end()
        case .waiting, .opening, .opened, .openingFailed, .readInstead, .recovered, .compacted, .compactionFailed,
            .rescued, .damageMet:
            break
        }
    }

    private func begin() {
        state.withLock { state in
            if state.task == nil { state.task = Task(priority: .utility) { await run() } }
        }
    }

    private func end() { state.withLock { $0.end() } }

    /// What else has failed is still tried.
    private func endIfWell() {
        state.withLock { state in
            if state.database?.status.isToBeTriedAgain != true { state.end() }
        }
    }

    private func run() async {
        var pause = GrowingPause()
        while (try? await clock.sleep(for: pause.next())) != nil {
            // A library that nobody has any more was not closed, and saves nothing.
            guard let database = state.withLock({ $0.database }), !database.isClosed else { return }
            let status = database.status
            // What is told of a recovery ends this.
            if status.stall != nil { await database.tryAgain() }
            if status.followingFailure != nil { await database.follow() }
        }
    }
}

extension StoreStatus {
    fileprivate var isToBeTriedAgain: Bool { stall != nil || followingFailure != nil }
}
