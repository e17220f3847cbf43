import Dispatch

/// The turn of who writes the files of a generation or of a restored store, before these have their names. It is a lock on `compacting`.
///
/// What such a writer leaves behind when it dies looks like what it is writing. So nobody removes such files without the turn.
struct WritingTurn: Sendable {
    private let lock: any FileLock

    private static let pause = Duration.milliseconds(2)

    /// The turn to remove what others have left; `nil` while somebody writes.
    init?(tidying files: StoreFiles, _ fileSystem: any FileSystem) {
        guard let lock = try? fileSystem.lock(files.compacting) else { return nil }
        self.lock = lock
    }

    /// The turn to write. Waits for others on this thread.
    ///
    /// - Parameter goOn: called while it waits; throws to stop.
    /// - Throws: `.inUse` when others keep it for longer than the limit.
    init(
        writing files: StoreFiles, _ fileSystem: any FileSystem, waitingFor limit: Duration,
        _ goOn: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let end = ContinuousClock.now + limit
        while true {
            do throws(StorageError) {
                lock = try fileSystem.lock(files.compacting)
                return
            } catch {
                guard case .inUse(_, let process) = error else { throw error }
                guard ContinuousClock.now < end else {
                    throw .inUse(path: files.directory, processIdentifier: process)
                }
            }
            try goOn()
            // On a thread that has nothing else to do.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(Self.pause.nanoseconds))
        }
    }

    func end() { lock.unlock() }
}
