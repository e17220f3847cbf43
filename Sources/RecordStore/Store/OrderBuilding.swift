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

    /// Whether the next commit, of whatever, is to begin it again.
    var isInterrupted: Bool { state.withLock { $0 == .interrupted } }

    /// Goes on with all unfinished orders, unless that is under way.
    ///
    /// - Parameter piece: makes a piece of each: `false` when none came further.
    func begin(_ piece: @escaping @Sendable () async throws(LibraryError) -> Bool) {
        let isIdle = state.withLock { state in
            let isIdle = state == .idle || state == .interrupted
            state = isIdle ? .running : .runningAgain
            return isIdle
        }
        guard isIdle else { return }
        Task(priority: .utility) {
            repeat {
                do throws(LibraryError) {
                    while try await piece() {}
                } catch {
                    return self.state.withLock { $0 = .interrupted }
                }
            } while self.goesOn()
        }
    }

    /// Whether there is another round to do.
    private func goesOn() -> Bool {
        state.withLock { state in
            state = state == .runningAgain ? .running : .idle
            return state == .running
        }
    }
}
