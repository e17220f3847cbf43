import StorageEngine

/// Makes new orders of kinds that have many records, a piece in each commit, while others write.
///
/// How far an order has come is stored with it and moves in the same commits, so after a crash it goes on from there. Until it is
/// whole, who writes a record puts it there only where the making has passed already.
final class OrderBuilding: Sendable {
    /// So many entries of new orders are made with the write that needs them.
    static let entryCountMadeAtOnce = 1024

    /// So many records a transaction looks through for one that has a unique key already, while that is being made: some milliseconds.
    static let recordCountLookedThrough = 16_384

    /// So many entries of the unfinished orders of a kind are one commit, where each record has one: a millisecond or two, for which others
    /// wait at the most.
    static let entryCountOfCommit = 512

    /// Of records so long that fewer of them take as much time.
    static let byteCountOfCommit = 1 << 18

    private enum State {
        case idle
        case running
        /// Something was left unfinished since this round began.
        case runningAgain
        /// A commit failed, such as on a full disk.
        case interrupted
    }

    private let state = Lock(State.idle)
    /// Those who wait for its end.
    private let waiters = WaitingCalls()
    private let lastError = Lock<LibraryError?>(nil)

    /// Whether the next commit, of whatever, is to begin it again.
    var isInterrupted: Bool { state.withLock { $0 == .interrupted } }

    /// Returns when nothing is being made, or the task is cancelled.
    ///
    /// - Throws: why the making stopped before its end; the next write goes on with it.
    func finished() async throws(LibraryError) {
        await waiters.wait(unless: { !isUnderWay })
        if isInterrupted, let error = lastError.withLock({ $0 }) { throw error }
    }

    private var isUnderWay: Bool { state.withLock { $0 == .running || $0 == .runningAgain } }

    /// Who came since the next round began waits for its end.
    private func end() { waiters.resumeAll(unless: { isUnderWay }) }

    /// Goes on with all unfinished orders, unless that is under way.
    ///
    /// - Parameters:
    ///   - piece: makes a piece of each: `false` when none came further.
    ///   - ended: called at the end, before those hear of it who wait.
    func begin(
        _ piece: @escaping @Sendable () async throws(LibraryError) -> Bool,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        let isIdle = state.withLock { state in
            let isIdle = state == .idle || state == .interrupted
            state = isIdle ? .running : .runningAgain
            return isIdle
        }
        guard isIdle else { return }
        Task(priority: .utility) {
            // Whoever began it: it is the library's own work.
            await UserCalls.$isOwn.withValue(true) { await self.run(piece) }
            if !self.isUnderWay { ended() }
            self.end()
        }
    }

    private func run(_ piece: @Sendable () async throws(LibraryError) -> Bool) async {
        repeat {
            do throws(LibraryError) {
                while try await piece() {}
            } catch {
                lastError.withLock { $0 = error }
                return state.withLock { $0 = .interrupted }
            }
        } while goesOn()
    }

    /// Whether there is another round to do.
    private func goesOn() -> Bool {
        state.withLock { state in
            state = state == .runningAgain ? .running : .idle
            return state == .running
        }
    }
}
