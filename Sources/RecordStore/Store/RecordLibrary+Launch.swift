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

    /// Folds the log into the snapshot when the launches since the last compaction have spent as much time on replaying it as the
    /// compaction will take: who cannot know how many launches are to come spends at most twice what would have been best.
    func compactIfReplaysCostMore() async throws {
        let report = opening
        let now = launch.times
        let launches = launch.history.filter { $0.date != now.date } + [now]
        let replays = launches.filter { $0.generation == report.generation }
        let spent = replays.reduce(0) { $0 + $1.replayNanoseconds }
        guard spent >= Self.compactionNanoseconds(report.snapshotByteCount + report.logByteCount) else { return }
        try await compact()
    }

    /// What a compaction of so many bytes takes, roughly: it reads and writes them at 100 MB a second, and flushes a few times.
    static func compactionNanoseconds(_ byteCount: Int) -> Int { 5_000_000 + byteCount * 10 }
}
