import StorageEngine

/// Tries again what a library's disk did not take: after a second, then ever more rarely, and once a minute at last. A full disk may have room
/// again when nobody writes any more.
final class WriteRetries: Sendable {
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    private struct State {
        weak var database: Database?
        var task: Task<Void, Never>?
    }

    private let clock: AnyClock
    private let state = Lock(State())

    init(by clock: AnyClock) { self.clock = clock }

    /// What tries again. Until it is known nothing is.
    func attach(to database: Database) { state.withLock { $0.database = database } }

    func take(_ notice: StoreNotice) {
        switch notice {
        case .stalled: begin()
        case .resumed, .refusing, .closed: end()
        case .waiting, .opening, .opened, .openingFailed, .readInstead, .recovered, .compacted, .compactionFailed,
            .rescued, .followingFailed, .followingResumed, .damageMet:
            break
        }
    }

    private func begin() {
        state.withLock { state in
            if state.task == nil { state.task = Task(priority: .utility) { await run() } }
        }
    }

    private func end() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
        }
    }

    private func run() async {
        var pause = Self.firstPause
        while (try? await clock.sleep(for: pause)) != nil {
            // A library that nobody has any more was not closed, and saves nothing.
            guard let database = state.withLock({ $0.database }), database.status.stall != nil else { return }
            await database.tryAgain()
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
