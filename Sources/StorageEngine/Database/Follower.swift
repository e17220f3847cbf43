/// Brings a store that is open to be read up to what others write, without opening it again.
final class Follower: Sendable {
    private let opening: StoreOpening
    private let publication: Publication
    private let status: StatusBoard
    private let onPublish: @Sendable (PublishedCommit) -> Void
    private let onReplaced: @Sendable (OpeningReport) -> Void
    private let head: LogHeadFile
    private let state: Lock<State>
    private let watch = Lock<(any FileWatch)?>(nil)
    /// Held while a version is published: none is once the follower is closed.
    private let closing = Lock(false)

    private struct State {
        var head: WriteState
        var tail: SegmentTail
        var watchesHead = false
        /// The tail is ahead of the head, so an opening finds out where both are.
        var isAstray = false
    }

    /// - Parameter opening: as the store was opened.
    init(
        _ opening: StoreOpening, _ opened: StoreOpening.Opened, _ tail: SegmentTail, _ publication: Publication,
        _ status: StatusBoard, _ onPublish: @escaping @Sendable (PublishedCommit) -> Void,
        onReplaced: @escaping @Sendable (OpeningReport) -> Void
    ) {
        self.opening = opening
        self.onReplaced = onReplaced
        self.publication = publication
        self.status = status
        self.onPublish = onPublish
        head = LogHeadFile(opening.files, opening.fileSystem, writes: false)
        state = Lock(State(head: opened.state, tail: tail))
    }

    /// Not on the thread of the opening, whose first frame waits for it: what was written meanwhile is looked for once the watch has begun.
    func begin() {
        opening.options.work.run(.utility) { [weak self] in
            self?.beginWatching()
            self?.follow()
        }
    }

    /// Before there is a head the system tells of nothing, and the watch looks from time to time.
    private func beginWatching() {
        let isHeadThere = (try? opening.fileSystem.kind(of: head.path)) == .file
        let new = opening.fileSystem.watch(head.path) { [weak self] in self?.follow() }
        watch.withLock { watch in
            watch?.cancel()
            watch = isClosed ? nil : new
        }
        if isClosed { new.cancel() }
        state.withLock { $0.watchesHead = isHeadThere }
    }

    private var isClosed: Bool { closing.withLock { $0 } }

    /// Publishes nothing more. Does not wait until observers have been told of the last commit: one of them may wait for this call.
    func close() {
        closing.withLock { $0 = true }
        watch.withLock { watch in
            watch?.cancel()
            watch = nil
        }
        head.close()
    }

    /// Shows what others say that they have written. What cannot be followed now is tried again when they write next, or when this is called.
    func follow() {
        guard !isClosed, let said = head.read() else { return }
        if !state.withLock({ $0.watchesHead }) { beginWatching() }
        state.withLock { state in
            guard !isClosed else { return }
            var failure: StorageError?
            do throws(StorageError) { try follow(said, &state) } catch { failure = error }
            guard !isClosed, let notice = status.note(followingFailure: failure) else { return }
            opening.options.onNotice?(notice)
        }
    }

    private func follow(_ said: LogHead, _ state: inout State) throws(StorageError) {
        if !state.isAstray {
            state.isAstray = true
            let news = try state.tail.follow(said, opening.files, opening.fileSystem, .reading)
            for commit in news.commits {
                if isClosed { return }
                try show(commit, state.head)
            }
            state.isAstray =
                news.isElsewhere || said.generation > state.head.generation.number
        }
        if state.isAstray { try openAgain(&state) }
    }

    private func show(_ commit: LogWriter.Commit, _ head: WriteState) throws(StorageError) {
        let (before, witness) = (publication.version, opening.options.makeReplayWitness?())
        try head.adopt(commit, witness)
        let version = head.version()
        try opening.options.requireSuitable(version, declared: opening.declared)
        publish(version, witness?.note(from: before, to: version))
        head.generation.reclaim()
    }

    private func openAgain(_ state: inout State) throws(StorageError) {
        var opening = opening
        opening.former = state.head.generation
        let opened = try opening.open()
        guard let tail = opened.tail else {
            throw .damaged(
                opened.report.damage
                    ?? Damage(file: opening.files.directory, byteOffset: 0, finding: "its log leads nowhere"))
        }
        let (old, version) = (state.head.generation, opened.state.version())
        try opening.options.requireSuitable(version, declared: opening.declared)
        let store = version.generation.file.superblock.store
        // A restored store begins a line of its own, whose commits may have lower numbers.
        let isReplaced = store != old.file.superblock.store
        let newest = publication.version.commitNumber
        guard isReplaced || version.commitNumber >= newest else {
            let finding = "commit \(newest) was shown, and the store ends with commit \(version.commitNumber)"
            throw .damaged(Damage(file: opening.files.directory, byteOffset: 0, finding: finding))
        }
        let isNewer = isReplaced || version.commitNumber > newest
        (state.head, state.tail, state.isAstray) = (opened.state, tail, false)
        old.holdCompanion()
        if isNewer { publish(version, nil) } else if replace(with: version) { publication.noteMove() }
        old.supersede()
        guard isReplaced else { return }
        var report = opened.report
        report.restored = try RestoreMark.last(of: store, opening.files, opening.fileSystem)?.restoration
        onReplaced(report)
    }

    private func replace(with version: Version) -> Bool {
        closing.withLock { isClosed in
            if !isClosed { publication.version = version }
            return !isClosed
        }
    }

    private func publish(_ version: Version, _ note: (any Sendable)?) {
        guard replace(with: version) else { return }
        onPublish(
            PublishedCommit(
                commitNumber: version.commitNumber, version: version, note: note, isOpening: note == nil,
                isOfOthers: true))
    }
}
