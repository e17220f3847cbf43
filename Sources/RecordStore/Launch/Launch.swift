import StorageEngine
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app does around its first frame, and what that takes.
///
/// ```swift
/// let count = try store.launch.beforeFirstFrame("count") { try store.snapshot.works.count }
/// store.launch.afterFirstFrame("verify entitlement", priority: .high, retry: .whenActive) {
///     // asks a server
/// }
/// store.launch.afterFirstFrame("tidy covers", every: .seconds(86_400)) { [weak store] in store?.releaseMemory() }
/// store.launch.firstFrame()
/// ```
///
/// The library adds its own jobs: see `LaunchJob.isLibrarysOwn`.
///
/// What has to be there before the first frame runs at once and is timed; what can wait is declared, and runs once after
/// `firstFrame()`: by priority, several at a time, cancelled when the library is closed or let go. A job that may run again, since it recurs or is
/// retried, keeps what it holds until then, so it should not hold the library. The last twenty launches and when recurring
/// jobs were done are kept in a small file beside the log, written after the first frame and not flushed: `history`, and `bookdb inspect
/// --launches`.
public final class Launch: Sendable {
    private struct State {
        var times: LaunchTimes
        var budget = Duration.milliseconds(300)
        var isShown = false
        /// The opening has ended, and its figures are known.
        var isOpen = false
        /// Whether the library is open for writing: a directory that is none gets no file.
        var mayWrite = false
        var isClosed = false
        /// The app has left the foreground, and is not back.
        var hasLeft = false
        /// As they were declared. Of one that cannot run again nothing is left but what there is to see.
        private(set) var jobs: [Entry] = []
        /// Where each stands among them.
        private var places: [JobName: Int] = [:]
        /// Those that wait, run, or pause between two attempts.
        private(set) var unended: Set<Int> = []
        /// Of these, those that have a place.
        private var running: Set<Int> = []
        /// Those that wait: all that is looked through when one is declared or ends and there is a place.
        private(set) var waiting: [Queue: Set<Int>] = [:]
        /// Of these, those of which the file was not asked yet when they last succeeded.
        var undated: [Int] = []
        /// By number, from when a job is begun until its task ends.
        var runs: [Int: Task<Void, Never>] = [:]
        var lastRun = 0
        /// Of these, those that close the library: nobody waits for them.
        var closingRuns: Set<Int> = []
        /// Closings that wait for the others.
        var closings: [CheckedContinuation<Void, Never>] = []
        /// `nil` until the file was read.
        var file: LaunchFile.Contents?
        /// What was read or written of it last.
        var written = LaunchFile.Contents()

        init(times: LaunchTimes) { self.times = times }

        /// Whether a job begins after one of that name, or after others that do. What has ended and cannot run again waits for nothing.
        func waits(_ entry: Entry, for name: String) -> Bool {
            var names = entry.predecessors
            var looked: Set<String> = []
            while let predecessor = names.popLast() {
                if predecessor == name { return true }
                guard looked.insert(predecessor).inserted else { continue }
                names += job(named: predecessor)?.predecessors ?? []
            }
            return false
        }

        /// A job of the app's.
        func job(named name: String) -> Entry? {
            places[JobName(name: name, isLibrarysOwn: false)].map { jobs[$0] }
        }

        func place(of job: LaunchJob) -> Int? { places[JobName(job)] }

        mutating func append(_ entry: Entry) {
            places[JobName(entry.job)] = jobs.count
            jobs.append(entry)
            noteState(of: jobs.count - 1)
        }

        /// Every change of a job goes through here.
        mutating func change<Result>(_ index: Int, _ body: (inout Entry) -> Result) -> Result {
            defer { noteState(of: index) }
            return body(&jobs[index])
        }

        private mutating func noteState(of index: Int) {
            let entry = jobs[index]
            unended.put(index, if: !entry.hasEnded)
            running.put(index, if: entry.job.state == .running && !entry.isPausing)
            let isNew = waiting[Queue(entry), default: []].put(index, if: entry.job.state == .waiting)
            if isNew { undated.append(index) }
        }

        /// The job that begins next: of those that may, the one of the highest priority, and of these the one that was declared first.
        func next() -> (index: Int, body: @Sendable () async throws -> String?)? {
            let ownCount = running.count { jobs[$0].job.isLibrarysOwn }
            let (hasRoom, hasRoomForOwn) = (running.count - ownCount < Launch.width, ownCount == 0)
            // What waits for the first frame waits for the file, too: it says when recurring jobs were done.
            let isFileRead = isShown && file != nil
            var best: Int?
            for (queue, indices) in waiting
            where (queue.isLibrarysOwn ? hasRoomForOwn : hasRoom) && (isFileRead || queue.beginsAtOnce) {
                for index in indices where best.map({ goes(index, before: $0) }) ?? true && isReady(index) {
                    best = index
                }
            }
            guard let best, let body = jobs[best].body else { return nil }
            return (best, body)
        }

        private func goes(_ index: Int, before other: Int) -> Bool {
            (jobs[other].priority.rawValue, index) < (jobs[index].priority.rawValue, other)
        }

        private func isReady(_ index: Int) -> Bool {
            jobs[index].body != nil && jobs[index].predecessors.allSatisfy { job(named: $0)?.hasEnded ?? true }
        }
    }

    /// Jobs that begin by the same rule, but for their priority and those they wait for.
    private struct Queue: Hashable {
        let isLibrarysOwn: Bool
        let beginsAtOnce: Bool

        init(_ entry: Entry) { (isLibrarysOwn, beginsAtOnce) = (entry.job.isLibrarysOwn, entry.beginsAtOnce) }
    }

    /// An app's job may have the name of one of the library's.
    private struct JobName: Hashable {
        let name: String
        let isLibrarysOwn: Bool

        init(name: String, isLibrarysOwn: Bool) { (self.name, self.isLibrarysOwn) = (name, isLibrarysOwn) }
        init(_ job: LaunchJob) { self.init(name: job.name, isLibrarysOwn: job.isLibrarysOwn) }
    }

    private struct Entry {
        var job: LaunchJob
        let priority: TaskPriority
        let retry: LaunchJob.Retry
        /// None once it cannot run again.
        var predecessors: [String]
        let interval: Duration?
        /// Of the library's own: it waits for no first frame.
        var beginsAtOnce = false
        /// It runs again whenever the app leaves the foreground.
        var recursOnLeaving = false
        /// It fills an empty library: tried again when the library is opened again for writing, too.
        var seeds = false
        /// `nil` once it cannot run again: it may hold the library.
        var body: (@Sendable () async throws -> String?)?
        /// Attempts that have failed since it last succeeded, or was last begun anew.
        var failureCount = 0
        /// It runs, and sleeps between two attempts: others have its place meanwhile.
        var isPausing = false

        /// Whether there is nothing more to be done for now.
        var hasEnded: Bool {
            switch job.state {
            case .waiting, .running: false
            case .succeeded, .failed, .cancelled, .notDue: true
            }
        }

        private var mayRunAgain: Bool {
            switch job.state {
            case .waiting, .running: true
            case .failed: retry == .whenActive || interval != nil || recursOnLeaving || seeds
            case .succeeded, .notDue: interval != nil || recursOnLeaving
            case .cancelled: false
            }
        }

        mutating func dropWhatIsUnneeded() {
            if !mayRunAgain { (body, predecessors) = (nil, []) }
        }

        var hasFailed: Bool { if case .failed = job.state { true } else { false } }

        /// Waits for its turn again, with all of its attempts.
        mutating func beginAnew() {
            failureCount = 0
            job.state = .waiting
        }
    }

    private let state: Lock<State>
    /// When the opening was called.
    private let start: ContinuousClock.Instant
    /// `nil` where nothing is to be written.
    private let file: LaunchFile?
    /// One after another, so that the newest is what is left.
    private let writing = Lock(())
    /// Those who wait for the end of the jobs.
    private let waiters = WaitingCalls()
    private let exceeded: @Sendable (LaunchTimes) -> Void
    private let clock: any LaunchClock
    /// What the library's own jobs let go first.
    let userCalls = UserCalls()
    private let broadcast = ActivationBroadcast()
    private let hasBeenRead = Atomic(false)
    private let onInterval: (@Sendable (DiagnosticInterval.Phase, _ name: String) -> @Sendable () -> Void)?
    /// Of the snapshot, so far.
    private let readPageCount: @Sendable () -> Int

    /// So many jobs run at a time.
    static let width = 4

    /// - Parameter exceeded: called when what comes before the first frame takes longer than it may, once.
    init(
        file: LaunchFile?, started start: ContinuousClock.Instant = .now, clock: any LaunchClock = SystemLaunchClock(),
        onInterval: (@Sendable (DiagnosticInterval.Phase, _ name: String) -> @Sendable () -> Void)? = nil,
        readPageCount: @escaping @Sendable () -> Int = { 0 },
        exceeded: @escaping @Sendable (LaunchTimes) -> Void = { _ in }
    ) {
        self.file = file
        self.start = start
        self.clock = clock
        self.readPageCount = readPageCount
        self.onInterval = onInterval
        self.exceeded = exceeded
        state = Lock(State(times: LaunchTimes(date: clock.date)))
    }

    // MARK: Before the first frame

    /// What everything before the first frame may take together; 300 ms unless it is set. One that takes longer is told to the
    /// library's log, once, and marked in `times`.
    public var budget: Duration {
        get { state.withLock { $0.budget } }
        set { state.withLock { $0.budget = newValue } }
    }

    /// Does something at once, here, that the first frame needs, and times it.
    ///
    /// - Returns: what `body` returns. What it throws passes; the time counts.
    public func beforeFirstFrame<Value, Failure: Error>(
        _ name: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (begin, end) = (ContinuousClock.now, onInterval?(.step, name))
        defer { end?() }
        defer { note(LaunchTimes.Step(name: name, nanoseconds: begin.duration(to: .now).nanoseconds)) }
        return try body()
    }

    private func note(_ step: LaunchTimes.Step) {
        let over = state.withLock { state -> LaunchTimes? in
            // What is done after the first frame has not delayed it.
            guard !state.isShown else { return nil }
            state.times.stepsBeforeFirstFrame.append(step)
            guard !state.times.isOverBudget,
                state.times.nanosecondsBeforeFirstFrame > state.budget.nanoseconds
            else { return nil }
            state.times.isOverBudget = true
            return state.times
        }
        if let over { exceeded(over) }
    }

    /// The first frame is on the screen: jobs begin. Only the first call counts. Costs microseconds.
    public func firstFrame() {
        let isFirst = state.withLock { state in
            guard !state.isShown else { return false }
            state.isShown = true
            state.times.firstFrameNanoseconds = start.duration(to: .now).nanoseconds
            return true
        }
        guard isFirst else { return }
        noteReadPages()
        Task(priority: .utility) {
            self.loadFile()
            self.startJobs()
            self.save()
        }
    }

    // MARK: After it

    /// Declares work that waits for the first frame. After that it begins at once.
    ///
    /// - Parameters:
    ///   - name: a second job of one name is not taken in the same launch.
    ///   - priority: jobs of a higher one begin first, at most four at a time, those that pause between two attempts not counted.
    ///   - predecessors: the names of jobs that are done first, whether they succeed or not: of jobs that were declared before this one is to begin. One
    ///     that names itself, or a job that waits for it, is not taken.
    ///   - retry: what happens when `body` throws.
    ///   - interval: it recurs: it is left out when it succeeded less than that ago, in this launch or an earlier one.
    ///   - body: may return a word on what it did, a `String`, which `LaunchJob.outcome` and the history keep.
    /// - Returns: whether it was taken.
    @discardableResult
    public func afterFirstFrame<Outcome>(
        _ name: String, priority: TaskPriority = .medium, after predecessors: [String] = [],
        retry: LaunchJob.Retry = .never, every interval: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Outcome
    ) -> Bool {
        declare(
            Entry(
                job: LaunchJob(name: name), priority: priority, retry: retry, predecessors: predecessors,
                interval: interval, body: { try await body() as? String }))
    }

    /// Declares a job of the library's own. One of the name that has ended is declared again: the library was opened again.
    ///
    /// - Parameters:
    ///   - beginsAtOnce: it is not put off to the first frame, since there may never be one.
    ///   - recursOnLeaving: it runs again whenever the app leaves the foreground.
    func declareOwn(
        _ name: String, every interval: Duration? = nil, beginsAtOnce: Bool = false, recursOnLeaving: Bool = false,
        _ body: @escaping @Sendable () async throws -> String?
    ) {
        var job = LaunchJob(name: name)
        job.isLibrarysOwn = true
        let entry = Entry(
            job: job, priority: beginsAtOnce ? .utility : .background, retry: .never, predecessors: [],
            interval: interval, beginsAtOnce: beginsAtOnce, recursOnLeaving: recursOnLeaving, body: body)
        let isKnown = state.withLock { state in
            guard let index = state.place(of: job) else { return false }
            if state.jobs[index].hasEnded, !state.isClosed { state.change(index) { $0 = entry } }
            return true
        }
        if isKnown { startJobs() } else { _ = declare(entry) }
    }

    /// A job that fills an empty library; tried again when the app becomes active.
    ///
    /// - Parameter isAtOnce: it does not wait for the first frame.
    func declareSeeding(
        _ name: String, isAtOnce: Bool, _ body: @escaping @Sendable () async throws -> String?
    ) -> Bool {
        declare(
            Entry(
                job: LaunchJob(name: name), priority: .high, retry: .whenActive, predecessors: [], interval: nil,
                beginsAtOnce: isAtOnce, seeds: true, body: body))
    }

    private func declare(_ entry: Entry) -> Bool {
        let isTaken = state.withLock { state in
            // An app's job may have the name of one that the library has declared.
            guard !state.isClosed, state.place(of: entry.job) == nil, !state.waits(entry, for: entry.job.name)
            else { return false }
            state.append(entry)
            return true
        }
        if isTaken { startJobs() }
        return isTaken
    }

    /// The app is in front again: what failed and is retried then begins, and what recurs and is due. Those who follow `activations` hear of it.
    public func becameActive() {
        state.withLock { state in
            state.hasLeft = false
            guard !state.isClosed else { return }
            for index in state.jobs.indices {
                switch state.jobs[index].job.state {
                case .failed:
                    guard state.jobs[index].retry == .whenActive || state.jobs[index].interval != nil else { break }
                    state.change(index) { $0.beginAnew() }
                case .succeeded, .notDue:
                    if state.jobs[index].interval != nil { state.change(index) { $0.job.state = .waiting } }
                case .waiting, .running, .cancelled: break
                }
            }
        }
        broadcast.send(clock.date)
        startJobs()
    }

    /// The app is no longer in front, such as on a desktop: the library does what is best done while nobody looks, so a compaction that pays. Costs
    /// microseconds; what is begun goes on when the app comes back, and an app that is suspended or killed in its midst loses nothing by it.
    public func resignedActive() { leave() }

    /// The app has left the screen. The same as `resignedActive()`; of both calls together the second finds it begun.
    ///
    /// A system that suspends apps may do so before the work is done. It is then done later, or begun again by the next process.
    public func enteredBackground() { leave() }

    private func leave() {
        state.withLock { state in
            guard !state.hasLeft, !state.isClosed else { return }
            state.hasLeft = true
            for index in state.jobs.indices where state.jobs[index].recursOnLeaving {
                switch state.jobs[index].job.state {
                case .succeeded, .failed, .notDue: state.change(index) { $0.job.state = .waiting }
                case .waiting, .running, .cancelled: break
                }
            }
        }
        startJobs()
    }

    /// Whether the app has left the foreground, and is not back.
    var hasLeft: Bool { state.withLock { $0.hasLeft } }

    /// When the app comes to the front, from now on: each call of `becameActive()`.
    public var activations: Activations { broadcast.subscribe() }

    /// The job that the caller is, or that has begun it.
    @TaskLocal private static var running: RunningJob?

    private struct RunningJob: Sendable {
        let launch: ObjectIdentifier
        let run: Int
    }

    /// `nil` for a caller that is no job of this launch.
    private var ownRun: Int? { Self.running.flatMap { $0.launch == ObjectIdentifier(self) ? $0.run : nil } }

    /// Returns when no job runs or waits for its turn, and the file of launches says so, or the task is cancelled; at once before the first frame,
    /// and to a job, which would wait for itself.
    public func finished() async {
        guard ownRun == nil else { return }
        await waiters.wait(unless: {
            state.withLock { state in
                !state.isShown || state.isClosed || state.unended.isEmpty && state.file != nil
            }
        })
        // Where there was nothing to wait for, the frame may not have been written yet. Closing writes what is left by itself.
        if state.withLock({ !$0.isClosed }) { save() }
    }

    /// Cancels what runs, begins nothing more, and lets go of what jobs hold.
    func end() {
        let tasks = state.withLock { state in
            state.isClosed = true
            for index in state.jobs.indices {
                state.change(index) { entry in
                    if !entry.hasEnded { entry.job.state = .cancelled }
                    (entry.body, entry.predecessors) = (nil, [])
                }
            }
            return Array(state.runs.values)
        }
        for task in tasks { task.cancel() }
        waiters.resumeAll()
        broadcast.finish()
    }

    /// The same, and returns when nothing runs any more but jobs that close the library themselves.
    func close() async {
        end()
        if let own = ownRun {
            // Of two jobs that do so neither waits for the other.
            state.withLock { $0.closingRuns.formUnion([own]) }
            resumeClosings()
        }
        await withCheckedContinuation { closing in
            state.withLock { $0.closings.append(closing) }
            resumeClosings()
        }
        guard state.withLock({ $0.isShown }) else { return }
        // The first frame may have been told of a moment ago.
        loadFile()
        save(isLast: true)
    }

    /// Tells those who close the library that no other job runs, if that is so.
    private func resumeClosings() {
        let closings = state.withLock { state in
            guard state.closingRuns.isSuperset(of: state.runs.keys) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closings = [] }
            return state.closings
        }
        for closing in closings { closing.resume() }
    }

    // MARK: What there is to see

    /// What this launch has taken so far.
    public var times: LaunchTimes { state.withLock { $0.times } }

    /// The jobs of this launch, as they were declared.
    public var jobs: [LaunchJob] { state.withLock { $0.jobs.map(\.job) } }

    /// For tests: how many are looked through at the most when one is declared or ends.
    var waitingJobCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// The last launches, the newest last, this one too once its first frame was shown. Reads a small file.
    public var history: [LaunchTimes] { (state.withLock { $0.file } ?? file?.read() ?? LaunchFile.Contents()).launches }

    // MARK: The opening

    func noteBlocked() {
        state.withLock { $0.times.blockedNanoseconds = start.duration(to: .now).nanoseconds }
    }

    /// Somebody has taken a snapshot of which something can be read. A nanosecond, but for the first time.
    @inline(__always)
    func noteRead() {
        if !hasBeenRead.load(ordering: .relaxed) { noteFirstRead() }
    }

    @inline(never)
    private func noteFirstRead() {
        guard hasBeenRead.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        state.withLock { $0.times.firstReadNanoseconds = start.duration(to: .now).nanoseconds }
    }

    /// - Parameter readable: since when there has been something to read; `nil` when there is nothing.
    func noteOpened(_ report: OpeningReport, isWritable: Bool, readable: ContinuousClock.Instant?) {
        let (isShown, hasJobs) = state.withLock { state in
            (state.isOpen, state.mayWrite) = (true, isWritable)
            state.times.firstReadableNanoseconds = readable.map { max(0, start.duration(to: $0).nanoseconds) }
            state.times.generation = report.generation
            state.times.readyNanoseconds = start.duration(to: .now).nanoseconds
            state.times.mappingNanoseconds = report.mapNanoseconds
            state.times.replayNanoseconds = report.replayNanoseconds
            state.times.replayedCommitCount = report.replayedCommits
            state.times.logByteCount = report.logByteCount
            state.times.snapshotByteCount = report.snapshotByteCount
            let failed =
                isWritable && !state.isClosed
                ? state.jobs.indices.filter { state.jobs[$0].seeds && state.jobs[$0].hasFailed } : []
            for index in failed { state.change(index) { $0.beginAnew() } }
            return (state.isShown && state.file != nil, !failed.isEmpty)
        }
        if hasJobs { startJobs() }
        guard isShown else { return }
        // Before the first frame nobody asks: counting goes through a bit for each page.
        noteReadPages()
        save()
    }

    private func noteReadPages() {
        let count = readPageCount()
        state.withLock { $0.times.readPageCount = max($0.times.readPageCount, count) }
    }

    // MARK: Running jobs

    private func loadFile() {
        guard state.withLock({ $0.file == nil }) else { return }
        let contents = file?.read() ?? LaunchFile.Contents()
        state.withLock { if $0.file == nil { ($0.file, $0.written) = (contents, contents) } }
    }

    /// Begins as many jobs as may run, those of the highest priority first.
    private func startJobs() {
        let hasEnded = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.isShown, let contents = state.file { leaveOutWhatIsNotDue(by: contents, &state) }
            while let (index, body) = state.next() { begin(index, body, &state) }
            return state.unended.isEmpty
        }
        if hasEnded { waiters.resumeAll() }
    }

    /// Asks when those that have come to wait were last done: what recurs and was done not long ago is left out.
    private func leaveOutWhatIsNotDue(by contents: LaunchFile.Contents, _ state: inout State) {
        for index in state.undated where state.jobs[index].job.state == .waiting {
            let entry = state.jobs[index]
            let lastSuccess =
                entry.job.lastSuccess
                ?? contents.lastSuccess(of: entry.job.name, isLibrarysOwn: entry.job.isLibrarysOwn)
            state.change(index) { $0.job.lastSuccess = lastSuccess }
            guard let interval = entry.interval, let lastSuccess else { continue }
            // A clock that was set back makes nothing wait for ever.
            let age = clock.date.timeIntervalSince(lastSuccess)
            if age >= 0, age < interval / .seconds(1) { state.change(index) { $0.job.state = .notDue } }
        }
        state.undated = []
    }

    private func begin(
        _ index: Int, _ body: @escaping @Sendable () async throws -> String?, _ state: inout State
    ) {
        state.change(index) { entry in
            entry.job.state = .running
            entry.job.attemptCount += 1
        }
        state.lastRun += 1
        state.runs[state.lastRun] = Task(priority: state.jobs[index].priority) {
            [entry = state.jobs[index], run = state.lastRun] in
            await self.run(entry, index, body, run)
            self.noteEnd(of: run)
        }
    }

    private func noteEnd(of run: Int) {
        state.withLock { state in
            state.runs[run] = nil
            state.closingRuns.remove(run)
        }
        resumeClosings()
    }

    private func run(
        _ entry: Entry, _ index: Int, _ body: @Sendable () async throws -> String?, _ run: Int
    ) async {
        if entry.job.isLibrarysOwn { await userCalls.yield() }
        let (begin, end) = (ContinuousClock.now, onInterval?(.job, entry.job.name))
        let outcome: LaunchJob.State
        var word: String?
        do {
            word = try await Self.$running.withValue(RunningJob(launch: ObjectIdentifier(self), run: run)) {
                try await UserCalls.$isOwn.withValue(entry.job.isLibrarysOwn) { try await body() }
            }
            outcome = .succeeded
        } catch {
            outcome = .failed("\(error)")
        }
        end?()
        let duration = begin.duration(to: .now).nanoseconds
        let (pause, closes) = state.withLock { state -> (Duration?, closes: Bool) in
            let closes = state.closingRuns.contains(run)
            let failureCount = state.change(index) { entry in
                entry.job.nanoseconds = duration
                if outcome == .succeeded { (entry.job.lastSuccess, entry.job.outcome) = (clock.date, word) }
                entry.failureCount = outcome == .succeeded ? 0 : entry.failureCount + 1
                return entry.failureCount
            }
            if outcome == .succeeded {
                state.file?.noteSuccess(
                    of: entry.job.name, isLibrarysOwn: entry.job.isLibrarysOwn, recurs: entry.interval != nil,
                    clock.date)
            }
            if case .upTo(let count, let pause) = entry.retry, failureCount > 0, failureCount < count, !state.isClosed {
                // It leaves its place to others while it pauses.
                state.change(index) { $0.isPausing = true }
                return (min(max(pause, .zero), LongestSleep.duration) * (1 << min(failureCount - 1, 16)), closes)
            }
            // One that ended in spite of the closing has ended.
            let isNoted = !state.isClosed || outcome == .succeeded
            state.change(index) { entry in
                if isNoted { entry.job.state = outcome }
                entry.dropWhatIsUnneeded()
            }
            return (nil, closes)
        }
        if let pause {
            // Who has its place meanwhile.
            startJobs()
            try? await clock.sleep(for: pause)
            state.withLock { state in
                if !state.isClosed { state.change(index) { ($0.isPausing, $0.job.state) = (false, .waiting) } }
            }
        }
        // Before the next begins, or those hear of it who wait for the end.
        save(isLast: closes)
        startJobs()
    }

    /// Where the library was closed, or let go, nothing is written but by who closes it: its directory may be somebody else's by then.
    private func save(isLast: Bool = false) {
        guard let file else { return }
        writing.withLock { _ in
            let changed = state.withLock { state -> (LaunchFile.Contents, since: LaunchFile.Contents)? in
                guard isLast || !state.isClosed, state.isShown, state.mayWrite, state.file != nil else { return nil }
                state.times.jobs = state.jobs.lazy.map(\.job).filter { $0.state != .waiting }
                    .prefix(LaunchFile.Contents.jobCountOfLaunch).map(LaunchTimes.Job.init)
                if state.isOpen { state.file?.note(state.times) }
                return state.file.flatMap { $0 == state.written ? nil : ($0, since: state.written) }
            }
            guard let changed, let written = file.write(changed.0, since: changed.since) else { return }
            state.withLock { state in
                // What was done here meanwhile is written next.
                state.file = state.file?.added(to: written, since: changed.0)
                state.written = written
            }
        }
    }
}

extension Set {
    /// Puts something in, or takes it out.
    ///
    /// - Returns: whether it is in it now and was not.
    @discardableResult
    fileprivate mutating func put(_ member: Element, if isIn: Bool) -> Bool {
        if isIn { return insert(member).inserted }
        remove(member)
        return false
    }
}
