import StorageEngine

extension RecordLibrary {
    /// The last launches of apps with a library, read without opening it.
    ///
    /// - Throws: `LibraryError.notFound` when there is no library.
    public static func launches(at path: String) throws(LibraryError) -> LaunchHistory {
        let (files, fileSystem) = (StoreFiles(directory: path), PosixFileSystem())
        guard try translatingErrors({ try files.exist(in: fileSystem) }) else { throw .notFound(path: path) }
        return LaunchHistory(LaunchFile(path: files.launches, fileSystem: fileSystem).read().launches)
    }

    /// What the library does by itself in every launch, each in its turn.
    func declareJobs(_ diagnose: @escaping @Sendable ((String) -> DiagnosticEvent) -> Void) {
        if buildsOrders { declareOrderJobs(diagnose) }
        launch.declareOwn("compaction", recursOnLeaving: true) { [weak self] in
            // Not by the library, which may be let go meanwhile: the job is cancelled then.
            switch self?.compactionByReplays() {
            case .due(let database, let userCalls):
                let done = try await translatingErrors {
                    try await database.compact { _ in userCalls.pause(atMost: .milliseconds(50)) }
                }
                return "\(done.logByteCountBefore) bytes of log are part of the snapshot now"
            case .notDue(let reason): return reason
            case nil: return nil
            }
        }
        launch.declareOwn("verification sample", every: Self.sampleInterval) { [weak self] in
            try await self?.verifySample(diagnose)
        }
    }

    /// A day.
    private static var sampleInterval: Duration { .seconds(86_400) }

    private func declareOrderJobs(_ diagnose: @escaping @Sendable ((String) -> DiagnosticEvent) -> Void) {
        let version = database.version
        if (try? version.count(in: LibraryTree.appOrders)) ?? 0 > 0 {
            launch.declareOwn("mending orders", beginsAtOnce: true) { [weak self] in await self?.mendOrders(diagnose) }
        }
        let kinds = (try? version.kindsWithUnfinishedOrders()) ?? []
        guard !kinds.isEmpty else { return }
        launch.declareOwn("making orders", beginsAtOnce: true) { [weak self] in
            // Who waits for orders does not keep the library from being let go.
            guard let building = self?.beginOrderBuilding() else { return nil }
            try await building.finished()
            return "orders of " + kinds.joined(separator: ", ")
        }
    }

    enum CompactionByReplays {
        case due(Database, UserCalls)
        /// Why, in words.
        case notDue(String)
    }

    /// Whether to fold the log into the snapshot: when the launches since the last compaction have spent as much time on replaying it as the
    /// compaction will take: who cannot know how many launches are to come spends at most twice what would have been best.
    ///
    /// When the app has left the foreground the next replay counts, too, as it will be by then: nobody waits for the compaction now, and somebody will for the
    /// replay.
    ///
    /// The compaction lets writes and reads of the app's go first, a piece at a time.
    private func compactionByReplays() -> CompactionByReplays {
        let report = opening
        let current = database.version
        guard current.snapshotGeneration == report.generation else {
            return .notDue("done since the library was opened")
        }
        let now = launch.times
        let launches = launch.history.filter { $0.date != now.date } + [now]
        let replays = launches.filter { $0.generation == report.generation }
        let spent = replays.reduce(0) { $0 + $1.replayNanoseconds }
        let log = database.status.logByteCount
        guard Self.isCompactionDue(spent: spent, log: log, snapshot: report.snapshotByteCount, hasLeft: launch.hasLeft)
        else { return .notDue("not worth it yet: replays took \(spent / 1_000) µs so far") }
        return .due(database, launch.userCalls)
    }

    /// - Parameters:
    ///   - spent: nanoseconds of all replays since the last compaction.
    ///   - log: bytes, and of the snapshot.
    static func isCompactionDue(spent: Int, log: Int, snapshot: Int, hasLeft: Bool) -> Bool {
        // A replay takes some 10 ms for each MiB of the log.
        let next = hasLeft ? log * 10 : 0
        return spent + next >= compactionNanoseconds(snapshot + log)
    }

    /// What a compaction of so many bytes takes, roughly: it reads and writes them at 100 MB a second, and flushes a few times.
    static func compactionNanoseconds(_ byteCount: Int) -> Int { 5_000_000 + byteCount * 10 }
}
