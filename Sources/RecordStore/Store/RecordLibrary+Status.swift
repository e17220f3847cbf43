extension RecordLibrary {
    /// What to show of how the library fares, now and whenever that changes: nothing for a second of waiting, then words, after three
    /// seconds a bar; notices and failures at once. Equal values do not follow one another, but for who is slow and gets the newest only.
    ///
    /// Costs a task that sleeps until the health changes or a wait becomes a second, or three, long. It ends with the loop that reads it, or
    /// when nobody holds the library any more; closing it does not end it.
    public func statuses(_ texts: LibraryStatusTexts = .english) -> AsyncStream<LibraryStatus> {
        statuses(texts, by: AnyClock(ContinuousClock()))
    }

    func statuses(_ texts: LibraryStatusTexts, by clock: AnyClock) -> AsyncStream<LibraryStatus> {
        let (statuses, continuation) = AsyncStream.makeStream(
            of: LibraryStatus.self, bufferingPolicy: .bufferingNewest(1))
        let (wakes, wake) = healthBoard.changes()
        let task = Task { [weak self] in
            var schedule = LibraryStatusSchedule()
            var shown: LibraryStatus?
            var alarm: Task<Void, Never>?
            for await _ in wakes {
                guard let health = self?.health else { break }
                let now = clock.now()
                let (status, changesAt) = schedule.status(of: health, at: now, texts)
                if status != shown { continuation.yield(status) }
                shown = status
                alarm?.cancel()
                alarm = changesAt.map { time in
                    Task {
                        // Cancelled, it was replaced by another.
                        guard (try? await clock.sleep(for: time - now)) != nil else { return }
                        wake.yield()
                    }
                }
            }
            alarm?.cancel()
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return statuses
    }
}
