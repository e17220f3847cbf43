import StorageEngine

/// Brings every list of an app and every observer of a record to the same commit, once a frame.
///
/// It follows the commits of a store for all lists together, so that a hundred lists cost one subscription, and what a commit did
/// to a list is worked out once for all that show the same.
@MainActor package final class LiveListHub {
    package private(set) var snapshot: Snapshot
    package let memory: ListMemory
    private var lists: [WeakList] = []
    private(set) var observers = RecordObservers()
    /// Commits that no list has seen yet, as one.
    private var pending: Commit?
    private var isFlushScheduled = false
    private var isFlushing = false
    private var following: Task<Void, Never>?
    /// What lists show, by number: a diff finds by that what it did to a list. Hashing would take longest there.
    private var numbers: [AnyHashable: Int] = [:]
    /// Those who wait for the next commit.
    private let waiters = WaitingCalls()
    /// Whether commits still come: until the store is closed.
    private var isFollowing = true
    private weak var library: RecordLibrary?

    /// Commits that follow one another within this time reach the lists together. Shorter than a frame at 60 Hz, so that none is
    /// shown a frame late.
    static let frame = Duration.milliseconds(8)

    private struct WeakList {
        weak var list: (any LiveList)?
    }

    init(_ store: RecordLibrary) {
        library = store
        // Subscribed before the snapshot is taken, so that no commit falls between.
        let commits = store.commits
        memory = store.listMemory
        snapshot = store.snapshot
        following = Task { [weak self] in
            for await commit in commits {
                guard let self else { return }
                receive(commit)
            }
            self?.end()
        }
        store.database.whenMoved { [weak self] in
            Task { [weak self] in await self?.moveOver() }
        }
    }

    deinit {
        following?.cancel()
        waiters.resumeAll()
    }

    private func end() {
        isFollowing = false
        flush()
        waiters.resumeAll()
    }

    package func add(_ list: some LiveList) {
        lists.removeAll { $0.list == nil }
        lists.append(WeakList(list: list))
        forgetQueries()
    }

    func add(_ observer: some LiveFollower, of kind: String, _ id: ID<AppRecord>) {
        observers.add(observer, of: kind, id)
    }

    /// Observers of a record have gone.
    func forgetObservers(of kind: String, _ id: ID<AppRecord>) { observers.removeGone(of: kind, id) }

    /// Those that are numbered.
    var queryCount: Int { numbers.count }

    /// Queries that no list shows any more are numbered no longer, once they are many.
    private func forgetQueries() {
        // A diff keeps by number what it did to a list.
        guard !isFlushing, numbers.count > 64, numbers.count > 4 * lists.count else { return }
        numbers = [:]
        for list in lists { list.list?.takeNumber() }
    }

    package func number(of query: some Hashable) -> Int {
        let query = AnyHashable(query)
        if let number = numbers[query] { return number }
        numbers[query] = numbers.count
        return numbers.count - 1
    }

    private func receive(_ commit: Commit) {
        // Not by the number of the commit: an opening that goes on shows several versions of one.
        guard commit.snapshot.version.ordinal.value > snapshot.version.ordinal.value else { return }
        if let before = pending, before.snapshot.version.ordinal.value > commit.snapshot.version.ordinal.value {
            // One that a follower was about to tell of when a later one was told.
            pending = commit
            pending?.merge(before)
        } else if pending == nil {
            pending = commit
        } else {
            pending?.merge(commit)
        }
        waiters.resumeAll()
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        Task {
            try? await Task.sleep(for: Self.frame)
            flush()
        }
    }

    /// Whether all has come of what was acknowledged together with the last commit: that has one version, and each commit says what it did
    /// by itself.
    private var isPendingWhole: Bool { pending.map { $0.number >= $0.snapshot.commitNumber } ?? true }

    /// Shows the lists what came since the last time. What is not whole yet is shown with its rest.
    func flush() {
        isFlushScheduled = false
        guard isPendingWhole || !isFollowing, let commit = pending else { return }
        pending = nil
        show(movedOver(commit.snapshot) ?? commit.snapshot, commit.allChanges)
    }

    /// The library has moved over to another snapshot file without a commit, as a compaction does. Lists go along: until they let go of the file before
    /// that, it keeps its room on the disk, and its nodes theirs in memory.
    private func moveOver() {
        guard pending == nil, let moved = movedOver(snapshot) else { return }
        show(moved, LibraryChanges())
    }

    /// The same commit in the snapshot file that the library has moved over to; `nil` where it has not.
    private func movedOver(_ snapshot: Snapshot) -> Snapshot? {
        // What an opening goes on from, or from nothing, the commit at its end brings.
        guard snapshot.isLoaded, !snapshot.isCatchingUp, let newest = library?.snapshot,
            newest.version.isOfSameStore(as: snapshot.version), newest.commitNumber == snapshot.commitNumber,
            newest.version.ordinal.value > snapshot.version.ordinal.value
        else { return nil }
        return newest
    }

    private func show(_ newest: Snapshot, _ changes: LibraryChanges) {
        guard !observers.isEmpty || lists.contains(where: { $0.list != nil }) else {
            snapshot = newest
            return
        }
        isFlushing = true
        defer {
            isFlushing = false
            forgetQueries()
        }
        let diff = SnapshotDiff(from: snapshot, to: newest, changes)
        snapshot = newest
        for list in lists { list.list?.follow(diff) }
        let concerned = diff.changes.isWhole ? observers.all : observers.followers(of: diff.changes.records)
        for observer in concerned { observer.follow(diff) }
    }

    func isPending(_ commitNumber: UInt64) -> Bool { (pending?.number ?? 0) >= commitNumber }

    /// Waits until the lists show a commit; not for one that cannot come any more.
    ///
    /// Meant is a commit of the library that is there now. A restore that comes meanwhile ends the waiting: its library has commits of the same
    /// numbers, and they are others.
    package func showing(_ commitNumber: UInt64) async {
        let newest = library?.snapshot.version ?? snapshot.version
        while !Task.isCancelled {
            let isSame = snapshot.version.isOfSameStore(as: newest)
            if isSame, snapshot.commitNumber >= commitNumber { return }
            if let now = library?.snapshot.version, !now.isOfSameStore(as: newest) { return flush() }
            if let pending, isPendingWhole, !isSame || pending.number >= commitNumber {
                flush()
            } else if isFollowing {
                await waiters.wait()
            } else {
                return
            }
        }
    }
}

extension RecordLibrary {
    /// For measurements: waits for a commit to arrive, and shows it to every list at once; `nil` when a frame was faster.
    @MainActor package func nanosecondsToShow(_ commitNumber: UInt64) async -> Int? {
        while !listHub.isPending(commitNumber), listHub.snapshot.commitNumber < commitNumber {
            await Task.yield()
        }
        guard listHub.isPending(commitNumber) else { return nil }
        return ContinuousClock().measure { listHub.flush() }.nanoseconds
    }

    /// The one hub of this store's lists.
    @MainActor package var listHub: LiveListHub {
        if let hub = hub.withLock({ $0 }) as? LiveListHub { return hub }
        let made = LiveListHub(self)
        hub.withLock { $0 = made }
        return made
    }
}
