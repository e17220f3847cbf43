/// What one write and one flush of the log do for the commits that share them.
struct GroupWriting: Sendable {
    let lock: WriteLock
    let commits: [LogWriter.Commit]
    let durability: Durability
    /// Of the snapshot that the log continues.
    let generation: UInt64
    let clock: any BackgroundWork
    var onPhase: (@Sendable (StorePhase) -> @Sendable () -> Void)?

    struct Written {
        let logByteCount: Int
        let duration: Duration
        let end: ContinuousClock.Instant
        let head: LogHead
        /// Where the segment ended before.
        let start: SegmentTail
    }

    func run(_ log: LogWriter) throws(LogFailure) -> Written {
        let start = clock.now
        try lock.requireStillOursForLog()
        try log.requireNamed(behind: generation)
        let earlier = try append(to: log)
        try flush(log)
        let end = clock.now
        return Written(
            logByteCount: log.byteCount, duration: start.duration(to: end), end: end,
            head: log.head(generation: generation), start: earlier)
    }

    private func append(to log: LogWriter) throws(LogFailure) -> SegmentTail {
        let end = onPhase?(.write)
        defer { end?() }
        let start = try log.append(commits, willFlush: durability == .flushed)
        log.history?.write()
        return start
    }

    private func flush(_ log: LogWriter) throws(LogFailure) {
        guard durability != .memory || log.owesFlush else { return }
        let end = onPhase?(.flush)
        defer { end?() }
        if durability == .flushed { return try log.flush() }
        if log.owesFlush, try log.flushOwed() { return }
        if durability == .ordered { try log.order() }
    }
}

extension WriteLock {
    /// Before anything is written: a commit that could not be found again is refused.
    func requireStillOursForLog() throws(LogFailure) {
        do throws(StorageError) { try requireStillOurs() } catch { throw .nothingWritten(error) }
    }
}
