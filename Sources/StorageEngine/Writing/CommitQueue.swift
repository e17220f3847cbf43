/// What the writer does next, as a state machine without files, clocks or tasks: events come in, actions go out.
///
///     durable ≤ written ≤ sealed        commit numbers; what lies between is in the log, and waits for it
///     published ≤ sealed                beyond `written` only while `.memory` commits are
///
/// The writer holds what belongs to each number (trees, payload, who waits for it) and carries the actions out in order.
/// An event costs a few comparisons; ending a group costs its commits once.
struct CommitQueue {
    /// What the writer is doing. One at a time has the log.
    enum Phase: Equatable {
        /// Every sealed commit is written.
        case idle
        /// The next group waits for calls that have arrived, so that it has their commits, too.
        case filling
        /// A group, up to this commit, is with the log.
        case writing(through: UInt64)
        /// The log cuts off a group that it was given.
        case takingBack
        /// The log starts its next segment.
        case rotating
        /// The log failed. Everything goes to new files.
        case rescuing(StorageError)
        /// A load has the store to itself.
        case loading
        /// The log refused, and holds nothing of it: published commits wait for another try, the first at so many bytes.
        case stalled(StorageError, retryByteCount: Int)
        /// Writes are refused for good.
        case refused(StorageError)
        /// The log is being sealed.
        case closing
        case closed
    }

    /// What the writer has to do. One that gives the log away is the last of its list.
    enum Action: Equatable {
        /// Hand these to the log as one group.
        case write(ClosedRange<UInt64>, Durability)
        /// Call `groupFilled` when the calls that have arrived have had their turn.
        case fillGroup
        /// Readers may see everything up to this commit; those who wait for it are told.
        case publish(through: UInt64)
        /// Undo every commit behind this one, and tell those who wait for them.
        case undo(behind: UInt64, StorageError)
        case rotate
        case failRotation(StorageError)
        case rescue(StorageError)
        case beginLoad
        case failLoad(StorageError)
        /// Seal the log and close it; a log that must not be written any more is closed only.
        case seal(isWritable: Bool)
        /// `nil` when everything acknowledged is durable.
        case finishClosing(ClosingFailure?)
        /// Nothing more will be tried until there is a new event.
        case rest
    }

    enum ClosingFailure: Equatable {
        /// Acknowledged commits that are not on the medium, as far as anybody knows, and why.
        case unsaved(ClosedRange<UInt64>, reason: StorageError)
        /// Everything acknowledged is on the medium, but the log could not be sealed.
        case unsealed(StorageError)
    }

    /// How a group, or the start of a segment, ended.
    enum Outcome {
        case written
        case failed(LogFailure)
    }

    private struct Waiting {
        let durability: Durability
        let byteCount: Int
    }

    private(set) var phase = Phase.idle
    /// The newest commit known to be on the medium.
    private(set) var durable: UInt64
    /// The newest commit that is in the log or in the snapshot.
    private(set) var written: UInt64
    private(set) var published: UInt64
    var sealed: UInt64 { written + UInt64(waiting.count) }
    /// Those behind `written`, oldest first.
    private var waiting: [Waiting] = []
    private(set) var unwrittenByteCount = 0

    /// Whether a `.memory` commit may be seen before it is in the log: where no other process could write another in its place.
    private let publishesAhead: Bool

    /// Requests that wait for the log to come to rest.
    private var wantsRotation = false
    private var wantsLoad = false
    private var wantsClosing = false

    /// `.memory` commits wait for the log from so many bytes on.
    static let backlogByteCount = 64 << 20

    /// The store as it was opened: everything up to `commitNumber` is on the medium.
    init(commitNumber: UInt64, publishesAhead: Bool = true) {
        self.publishesAhead = publishesAhead
        durable = commitNumber
        written = commitNumber
        published = commitNumber
    }

    // MARK: Asking

    /// The last commit that is with the log.
    private var inFlight: UInt64 {
        if case .writing(let last) = phase { last } else { written }
    }

    /// How many commits the next group has so far.
    var nextGroupCount: Int { Int(sealed - inFlight) }

    /// Whether the newest sealed commit still waits, unseen, so that the next may change what it made.
    var newestWaitsUnseen: Bool { sealed > inFlight && sealed > published }

    /// Whether a commit that is sealed next waits, unseen, for what is under way.
    func holdsBack(_ durability: Durability) -> Bool {
        switch phase {
        case .idle, .stalled: false
        default: durability != .memory || !canPublishAhead
        }
    }

    /// Whether a load waits for its turn or has it. Other writes wait for its end.
    var hasLoad: Bool { wantsLoad || phase == .loading }

    /// Whether closing has been asked for, or is done.
    var isClosing: Bool {
        switch phase {
        case .closing, .closed: true
        default: wantsClosing
        }
    }

    /// Whether nobody has the log, or wants it for what was called already.
    var isAtRest: Bool {
        switch phase {
        case .idle: !wantsRotation && !wantsLoad && !wantsClosing
        case .refused, .closed: true
        case .filling, .writing, .takingBack, .rotating, .rescuing, .loading, .stalled, .closing: false
        }
    }

    /// Why writes are refused; `nil` while they are taken. Closing is told apart by the writer, who knows the path.
    var refusal: StorageError? {
        if case .refused(let error) = phase { error } else { nil }
    }

    /// Why everything is being moved to new files, while it is.
    var rescueReason: StorageError? {
        if case .rescuing(let error) = phase { error } else { nil }
    }

    /// Why published commits could not be written at the last try.
    var stallReason: StorageError? {
        if case .stalled(let error, _) = phase { error } else { nil }
    }

    /// Why the log did not take what it was last given; `nil` as soon as it takes something, or is not needed for it any more. Published
    /// commits wait for another try, the rest was undone.
    private(set) var failure: StorageError?

    // MARK: Commits

    /// A transaction is complete. Precondition: writes are taken.
    mutating func seal(_ durability: Durability, byteCount: Int) -> [Action] {
        precondition(refusal == nil && phase != .closed && phase != .closing, "writes are taken")
        let goesAhead = durability == .memory && canPublishAhead
        waiting.append(Waiting(durability: durability, byteCount: byteCount))
        unwrittenByteCount += byteCount
        var actions: [Action] = []
        if goesAhead {
            published = sealed
            actions.append(.publish(through: sealed))
        }
        if case .stalled(_, let retryByteCount) = phase, goesAhead, unwrittenByteCount < retryByteCount {
            return checked(actions)
        }
        return checked(actions + next())
    }

    /// Commits are published in order, so only one without unseen predecessors can go ahead of its group. While somebody
    /// waits for a boundary, none does.
    private var canPublishAhead: Bool {
        guard published == sealed, unwrittenByteCount < Self.backlogByteCount else { return false }
        guard publishesAhead, !wantsRotation, !wantsClosing else { return false }
        switch phase {
        case .idle, .filling, .writing, .stalled: return true
        case .takingBack, .rotating, .rescuing, .loading, .refused, .closing, .closed: return false
        }
    }

    /// Of a group that was asked for and that the log was not given, those behind `commit` cannot be made.
    mutating func shortenGroup(behind commit: UInt64) -> [Action] {
        dropOfGroup(behind: commit)
        phase = .idle
        return checked(next())
    }

    /// The commits behind `commit` cannot be made: the last of the group that is with the log, and those that were sealed after it. The log gives the
    /// whole group back.
    mutating func takeGroupBack(behind commit: UInt64) {
        dropOfGroup(behind: commit)
        phase = .takingBack
        check()
    }

    private mutating func dropOfGroup(behind commit: UInt64) {
        guard case .writing(let last) = phase else { preconditionFailure("a group was asked for") }
        precondition(commit >= published && commit >= written && commit < last, "what is seen or in the log stays")
        drop(behind: commit)
    }

    /// The log holds nothing of the group, or nobody knows what it holds.
    mutating func groupTakenBack(_ outcome: Result<Void, LogFailure>) -> [Action] {
        precondition(phase == .takingBack, "a group was to be given back")
        phase = .idle
        switch outcome {
        case .success: return checked(next())
        case .failure(let failure): return checked(logFailed(failure))
        }
    }

    /// Nothing may be written to the log, and nobody has tried yet.
    mutating func giveUpLog(_ error: StorageError) -> [Action] {
        switch phase {
        case .idle, .stalled: checked(logFailed(.unknownState(error)))
        case .refused, .closing, .closed: [.rest]
        // Who has the log finds out.
        default: []
        }
    }

    /// Takes back sealed commits that nobody has seen and the log does not have.
    mutating func withdraw(behind commit: UInt64) {
        precondition(commit >= published && commit >= inFlight, "what is seen or with the log stays")
        drop(behind: commit)
        check()
    }

    private mutating func drop(behind commit: UInt64) {
        while sealed > commit, let last = waiting.popLast() { unwrittenByteCount -= last.byteCount }
    }

    /// The newest `count` bytes of commits are in files, as far as `commit`.
    private mutating func settle(through commit: UInt64) {
        let count = min(waiting.count, Int(commit - written))
        for entry in waiting.prefix(count) { unwrittenByteCount -= entry.byteCount }
        waiting.removeFirst(count)
        written = commit
    }

    /// Another process has written up to this commit, and readers see it.
    mutating func follow(through commit: UInt64) {
        precondition(sealed == published && commit >= published, "what others write comes behind what is written")
        // They answer for what they have acknowledged.
        if durable == written { durable = commit }
        (written, published) = (commit, commit)
        check()
    }

    // MARK: Groups

    /// - Parameter othersArrive: whether calls are there that will seal commits soon, which the next group is to wait for.
    mutating func groupEnded(
        _ outcome: Outcome, _ durability: Durability, othersArrive: Bool = false
    ) -> [Action] {
        guard case .writing(let last) = phase else { preconditionFailure("a group is with the log") }
        phase = .idle
        switch outcome {
        case .written:
            settle(through: last)
            if durability == .flushed { durable = last }
            failure = nil
            let actions = publish(through: last)
            // One flush for all of them, and one copy of each page that they change.
            guard othersArrive, !waiting.isEmpty, !wantsRotation else { return checked(actions + next()) }
            phase = .filling
            return checked(actions + [.fillGroup])
        case .failed(let failure): return checked(logFailed(failure))
        }
    }

    /// As many have sealed commits as the group was to wait for, or there are no more.
    mutating func groupFilled() -> [Action] {
        guard phase == .filling else { return [] }
        phase = .idle
        return checked(next())
    }

    /// The log has room again, found out without a commit. What waits gets its try by `drain`.
    mutating func noteRoom() {
        if waiting.isEmpty { failure = nil }
        check()
    }

    private mutating func publish(through commit: UInt64) -> [Action] {
        guard commit > published else { return [] }
        published = commit
        return [.publish(through: commit)]
    }

    /// What readers have seen stays, and is tried again later. The rest is undone.
    private mutating func logFailed(_ failure: LogFailure) -> [Action] {
        switch failure {
        case .nothingWritten(let error):
            self.failure = error
            let actions = undo(error)
            phase = waiting.isEmpty ? .idle : .stalled(error, retryByteCount: unwrittenByteCount / 4 * 5 + 65_536)
            // A load needs no log, and closing reports what could not be written. Only a boundary in the log is out of reach.
            return actions + failRotation(error) + rest()
        case .unknownState(let error):
            phase = .rescuing(error)
            return failRotation(error) + [.rescue(error)]
        case .outOfOrder(let error): return refuse(error)
        }
    }

    private mutating func undo(_ error: StorageError) -> [Action] {
        guard sealed > published else { return [] }
        drop(behind: max(published, written))
        return [.undo(behind: published, error)]
    }

    private mutating func failRotation(_ error: StorageError) -> [Action] {
        guard wantsRotation else { return [] }
        wantsRotation = false
        return [.failRotation(error)]
    }

    // MARK: Coming to rest

    /// What comes next for a log that nobody has.
    private mutating func next() -> [Action] {
        switch phase {
        case .idle, .stalled: break
        default: return []
        }
        // A segment begins behind a version: behind commits that are both seen and written.
        if wantsRotation, published == written {
            wantsRotation = false
            phase = .rotating
            return [.rotate]
        }
        guard waiting.isEmpty else {
            let durability = waiting.lazy.map(\.durability).max() ?? .memory
            phase = .writing(through: sealed)
            return [.write(written + 1...sealed, durability)]
        }
        return rest()
    }

    /// What requests get when the log is at rest, with or without commits that wait for another try.
    private mutating func rest() -> [Action] {
        switch phase {
        case .idle, .stalled, .refused: break
        default: return []
        }
        if wantsClosing {
            wantsClosing = false
            let isWritable = refusal == nil
            sealReason = refusal ?? stallReason
            phase = .closing
            // Who waits for the rest goes first: the log is sealed behind them.
            return failLoad(.cancelled) + [.rest, .seal(isWritable: isWritable)]
        }
        if let refusal { return failLoad(refusal) + [.rest] }
        guard wantsLoad else { return [.rest] }
        wantsLoad = false
        phase = .loading
        return [.beginLoad]
    }

    private mutating func failLoad(_ error: StorageError) -> [Action] {
        guard wantsLoad else { return [] }
        wantsLoad = false
        return [.failLoad(error)]
    }

    /// Commits that wait for another try get one now.
    mutating func drain() -> [Action] {
        switch phase {
        case .idle, .stalled: checked(next())
        case .refused, .closing, .closed: [.rest]
        default: []
        }
    }

    // MARK: Segments

    /// Precondition: nobody else waits for one.
    mutating func rotate() -> [Action] {
        precondition(!wantsRotation && phase != .rotating, "one compaction runs at a time")
        wantsRotation = true
        return checked(next())
    }

    mutating func rotationEnded(_ outcome: Outcome) -> [Action] {
        precondition(phase == .rotating, "a segment was begun")
        phase = .idle
        switch outcome {
        case .written:
            // The segment before was flushed.
            durable = written
            return checked(next())
        case .failed(.nothingWritten): return checked(next())
        case .failed(let failure): return checked(logFailed(failure))
        }
    }

    // MARK: Rescues

    /// Everything up to `commit` is in a new generation, and durable.
    mutating func rescued(through commit: UInt64) -> [Action] {
        guard case .rescuing = phase else { preconditionFailure("a rescue was begun") }
        phase = .idle
        settle(through: commit)
        durable = commit
        failure = nil
        return checked(publish(through: commit) + next())
    }

    /// There are no new files, and the log is as it was: nothing can be written to it, and what was written before is there.
    mutating func rescueGivenUp(_ error: StorageError) -> [Action] {
        guard case .rescuing = phase else { preconditionFailure("a rescue was begun") }
        phase = .idle
        return checked(logFailed(.nothingWritten(error)))
    }

    /// Writes are refused from here on.
    mutating func refuse(_ reason: StorageError) -> [Action] {
        precondition(phase != .closed, "a closed store takes no writes anyway")
        let actions = undo(reason)
        phase = .refused(reason)
        failure = nil
        return checked(actions + failRotation(reason) + rest())
    }

    // MARK: Loads

    mutating func load() -> [Action] {
        precondition(!hasLoad, "one load at a time")
        wantsLoad = true
        return checked(next())
    }

    /// The store is at `commit` now, whose snapshot holds everything, also what the log could not take.
    mutating func loaded(_ commit: UInt64) -> [Action] {
        precondition(phase == .loading && commit == sealed + 1, "a load is one commit")
        forgetWaiting(at: commit)
        return checked([])
    }

    /// Another store has taken the place of this one, and `commit` is its last. What waited belonged to the one that was replaced.
    ///
    /// Precondition: nobody has the log, and everything that was sealed was seen.
    mutating func replaced(through commit: UInt64) {
        precondition(published == sealed, "what nobody has seen is not replaced")
        forgetWaiting(at: commit)
        check()
    }

    private mutating func forgetWaiting(at commit: UInt64) {
        waiting = []
        unwrittenByteCount = 0
        failure = nil
        (durable, written, published) = (commit, commit, commit)
    }

    /// The load lets the store go, one way or the other. Without a load nothing happens.
    mutating func loadEnded() -> [Action] {
        guard phase == .loading else { return [] }
        phase = .idle
        return checked(next())
    }

    // MARK: Closing

    /// Why commits that were seen may not be in the log.
    private var sealReason: StorageError?

    mutating func close() -> [Action] {
        precondition(!isClosing, "a store closes once")
        wantsClosing = true
        switch phase {
        case .refused: return checked(rest())
        case .idle, .stalled: return checked(next())
        default: return checked([])
        }
    }

    /// How sealing the log ended.
    enum Sealing {
        /// The log is whole and on the medium; nothing was asked of a log that must not be written.
        case sealed
        /// The log could not be sealed, so everything seen went to a new generation.
        case rescued
        case failed(StorageError)
    }

    mutating func closed(_ sealing: Sealing, isWritable: Bool) -> [Action] {
        precondition(phase == .closing, "the log is being sealed")
        phase = .closed
        var failure: StorageError?
        switch sealing {
        case .sealed: if isWritable { durable = written }
        case .rescued: durable = published
        case .failed(let error): failure = error
        }
        if durable < published, let reason = failure ?? sealReason {
            return [.finishClosing(.unsaved(durable + 1...published, reason: reason))]
        }
        return [.finishClosing(failure.map { .unsealed($0) })]
    }

    // MARK: Invariants

    /// Mutating, so that the state is looked at after the actions were worked out.
    private mutating func checked(_ actions: [Action]) -> [Action] {
        check()
        return actions
    }

    /// What always holds. In debug builds, after every event.
    private func check() {
        assert(durable <= written, "what is on the medium is written")
        assert(published <= sealed, "what is seen is sealed")
        assert(written <= published || phase == .closing || phase == .closed, "what is written is seen")
        // Not of a long queue, so that an event stays cheap.
        assert(
            waiting.count > 256 || unwrittenByteCount == waiting.reduce(0) { $0 + $1.byteCount },
            "bytes that wait are counted")
        switch phase {
        case .idle: assert(waiting.isEmpty, "nothing waits for an idle log")
        case .writing(let last): assert(last > written && last <= sealed, "a group is of sealed commits")
        case .stalled(let error, _):
            assert(published == sealed, "what nobody has seen is not kept")
            assert(failure == error, "what waits for another try has failed")
        case .refused: assert(published == sealed, "what nobody has seen is not kept")
        case .loading: assert(published == sealed, "nothing is written beside a load")
        case .filling, .takingBack, .rotating, .rescuing, .closing, .closed: break
        }
    }
}
