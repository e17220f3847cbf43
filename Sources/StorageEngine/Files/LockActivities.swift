/// Asks the system not to suspend this process while it holds a lock that other processes wait for.
///
/// Some systems end a process that they have suspended while it held a lock in a folder that processes share. So whoever takes a lock of
/// a shared store asks first, and takes none when that is refused.
package protocol LockActivities: Sendable {
    /// Asks for time. It may block for a moment, so nobody calls it on the cooperative pool.
    ///
    /// - Parameter onExpiration: called on any thread when the time is over and the activity has not ended: the lock has to go soon.
    /// - Returns: `nil` when the process is about to be suspended.
    func begin(_ onExpiration: @escaping @Sendable () -> Void) -> (any LockActivity)?
}

/// The time in which a lock is held.
package protocol LockActivity: Sendable {
    /// The lock was let go. Called once.
    func end()
}

/// One activity after the other, and whether the time of the newest is over.
final class LockTime: Sendable {
    private struct State {
        var number = 0
        var activity: (any LockActivity)?
        var isOver = false
    }

    private let activities: (any LockActivities)?
    private let directory: String
    private let state = Lock(State())

    /// - Parameter activities: `nil` where the system suspends nobody.
    init(_ activities: (any LockActivities)?, _ directory: String) {
        (self.activities, self.directory) = (activities, directory)
    }

    deinit { end() }

    /// Whether nobody has to be asked.
    var isUnlimited: Bool { activities == nil }

    /// Whether the lock has to go soon.
    var isOver: Bool { activities != nil && state.withLock { $0.isOver } }

    /// Precondition: the one before has ended.
    ///
    /// - Throws: `.suspended` when the process is about to be.
    func begin(_ onExpiration: @escaping @Sendable () -> Void = {}) throws(StorageError) {
        guard let activities else { return }
        let number = state.withLock { state in
            assert(state.activity == nil, "one activity at a time")
            state.number += 1
            state.isOver = false
            return state.number
        }
        let new = activities.begin { [weak self] in
            if self?.expire(number) == true { onExpiration() }
        }
        guard let new else { throw suspended }
        state.withLock { $0.activity = new }
    }

    /// Without one that was begun nothing happens.
    func end() {
        let activity = state.withLock { state in
            defer { state.activity = nil }
            // What expires late is of no concern to the next.
            state.number += 1
            return state.activity
        }
        activity?.end()
    }

    var suspended: StorageError { .suspended(path: directory) }

    private func expire(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.number == number else { return false }
            state.isOver = true
            return true
        }
    }
}

extension LockTime {
    /// Throws when the lock has to go soon.
    func requireTime() throws(StorageError) { if isOver { throw suspended } }
}
