/// What one write and one flush of the log do for the commits that share them.
struct GroupWriting: Sendable {
    let lock: WriteLock
    let commits: [LogWriter.Commit]
    let durability: Durability
    let clock: any BackgroundWork

    struct Written {
        let logByteCount: Int
        let duration: Duration
    }

    func run(_ log: LogWriter) throws(LogFailure) -> Written {
        let start = clock.now
        try lock.requireStillOursForLog()
        try log.append(commits)
        log.history?.write()
        switch durability {
        case .flushed: try log.flush()
        case .ordered: try log.order()
        case .memory: break
        }
        return Written(logByteCount: log.byteCount, duration: start.duration(to: clock.now))
    }
}

extension WriteLock {
    /// Before anything is written: a commit that could not be found again is refused.
    func requireStillOursForLog() throws(LogFailure) {
        do throws(StorageError) { try requireStillOurs() } catch { throw .nothingWritten(error) }
    }
}
