import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The right to write to a store: for as long as it is open, or, where processes share it, for one group of commits at a time.
///
/// Nobody can tell a lock who waits for it, and whoever lets it go would be the first to have it again. So those who share a store take
/// their turn first, a second lock: one who waits has the turn, and keeps it until the first is let go.
final class WriteLock: Sendable {
    private let lock: any FileLock
    /// `nil` where the store is not shared.
    private let turn: (any FileLock)?
    private let hasTurn = Lock(false)
    private let isGone = Atomic(false)
    private let directory: String
    /// Of a shared store: begun before either lock is taken, and ended when both were let go.
    let time: LockTime

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - limit: of the time that is spent waiting for others, where the store is shared.
    ///   - activities: asked before a lock that is shared is taken.
    /// - Throws: `.inUse` while another process holds it; `.suspended` when this one is about to be.
    init(
        _ files: StoreFiles, _ fileSystem: any FileSystem, isShared: Bool, waitingFor limit: Duration,
        _ activities: (any LockActivities)? = nil
    ) throws(StorageError) {
        let time = LockTime(isShared ? activities : nil, files.directory)
        self.time = time
        directory = files.directory
        let end = ContinuousClock.now + (isShared ? limit : Self.ownLimit)
        func held(_ path: String) throws(StorageError) -> any FileLock {
            var pause = Self.shortestPause
            while true {
                do throws(StorageError) {
                    return try fileSystem.lock(path)
                } catch {
                    guard case .inUse(_, let holder) = error, isShared || holder == getpid(),
                        ContinuousClock.now < end
                    else { throw error }
                }
                try time.requireTime()
                // On a thread that has nothing else to do.
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(pause.nanoseconds))
                pause = Self.pause(after: pause)
            }
        }
        guard isShared else {
            (lock, turn) = (try held(files.lock), nil)
            return
        }
        try time.begin()
        let turn = try held(files.turn)
        lock = try held(files.lock)
        turn.letGo()
        self.turn = turn
    }

    var isShared: Bool { turn != nil }

    /// A store of this process that was let go has its lock until what is under way there has ended. A commit ends a few microseconds after who waited
    /// for it was told, or later, where others have the processor, and one that was acknowledged before it was written takes a write and a thread.
    private static let ownLimit = Duration.seconds(2)

    /// Between two tries, at first and at the most.
    static let shortestPause = Duration.microseconds(50)
    private static let longestPause = Duration.milliseconds(2)

    static func pause(after pause: Duration) -> Duration { min(pause * 2, longestPause) }

    /// Takes the lock again. `false` when another process has it, or waits for it; the turn is then kept.
    func take() throws(StorageError) -> Bool {
        guard let turn else { return true }
        let hadTurn = hasTurn.withLock { $0 }
        if !hadTurn, try !turn.take() { return false }
        let isTaken: Bool
        do throws(StorageError) { isTaken = try lock.take() } catch {
            letTurnGo()
            throw error
        }
        if isTaken { letTurnGo() } else { hasTurn.withLock { $0 = true } }
        return isTaken
    }

    /// Whether nobody else has had it since it was let go: then nothing of the store has changed. Precondition: it is held.
    var isAsLeft: Bool { lock.isAsLeft }

    /// Who waited waits no more.
    func endTurn() {
        letTurnGo()
        time.end()
    }

    private func letTurnGo() {
        hasTurn.withLock { $0 = false }
        turn?.letGo()
    }

    /// Whether another process waits.
    func isWanted() -> Bool {
        guard let turn, !hasTurn.withLock({ $0 }) else { return false }
        // A lock that cannot be asked is found out about by who takes it next.
        guard (try? turn.take()) == true else { return true }
        turn.letGo()
        return false
    }

    /// Lets others write.
    func letGo() {
        guard turn != nil else { return }
        lock.letGo()
        time.end()
    }

    /// The process that keeps this one waiting; 0 where nobody knows. Who has no turn waits for that.
    var holder: Int32 {
        guard let turn, !hasTurn.withLock({ $0 }) else { return lock.holder }
        return turn.holder
    }

    /// Throws when the names of the store's files no longer lead to them, or the lock was given away for good.
    func requireStillOurs() throws(StorageError) {
        if isGone.load(ordering: .relaxed) { throw .closed(path: directory) }
        try lock.requireStillOurs()
    }

    /// For good.
    func unlock() {
        isGone.store(true, ordering: .relaxed)
        lock.unlock()
        turn?.unlock()
        time.end()
    }
}
