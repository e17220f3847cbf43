import Observation
import StorageEngine

/// The commits of one opening that can be undone, and those that were and can be done again.
///
/// Commits come in as they become visible, in their order. What they replaced is held for the newest ones, up to a number of bytes; an older step
/// has its place here and is read from the log.
///
/// Always true: of each list a step that is held has only held ones behind it; what is held is at most the limit. One commit is taken back at a time.
final class UndoHistory: Observable, Sendable {
    enum Direction: Sendable {
        case undo, redo
    }

    /// A step and what it replaced, where that is held.
    struct Step: Sendable {
        let info: UndoStep
        var entries: [ReplacedEntry]?
        let byteCount: Int
    }

    private struct State {
        /// The newest last, and so in the order of their commits. Slices, since the oldest go from them in O(1).
        var undo: ArraySlice<Step> = []
        var redo: ArraySlice<Step> = []
        var heldByteCount = 0
        /// Commits up to here are no longer in the log.
        var lostThrough: UInt64 = 0
        /// Of commits that are made and not visible yet, in their order. One that is withdrawn stays until its number is made again.
        var coming: [(number: UInt64, undo: CommittedUndo)] = []
        var isTakingBack = false

        subscript(direction: Direction) -> ArraySlice<Step> {
            get { direction == .undo ? undo : redo }
            // In place: a list that is taken out and put back is copied.
            _modify {
                if direction == .undo { yield &undo } else { yield &redo }
            }
        }

        /// Lets go of what a step replaced.
        mutating func release(_ index: Int, of direction: Direction) {
            let step = self[direction][index]
            guard step.entries != nil else { return }
            heldByteCount -= step.byteCount
            // A slice keeps what it no longer shows.
            self[direction][index].entries = nil
        }

        mutating func removeFirst(_ direction: Direction) {
            release(self[direction].startIndex, of: direction)
            self[direction].removeFirst()
        }
    }

    let keeping: UndoKeeping
    private let registrar = ObservationRegistrar()
    private let state = Lock(State())
    private let takers = WaitingCalls()

    init(_ keeping: UndoKeeping) { self.keeping = keeping }

    var isOn: Bool { keeping.isOn }

    /// For whoever shows them: the newest first.
    func steps(_ direction: Direction) -> [UndoStep] {
        registrar.access(self, keyPath: \.isOn)
        return state.withLock { $0[direction].reversed().map(\.info) }
    }

    // MARK: Taking back

    /// Lets one call after the other take back a commit: each has to see what the one before has done. `endTakingBack` follows.
    ///
    /// - Throws: `.cancelled` when the task is, while others are at it.
    func beginTakingBack() async throws(LibraryError) {
        func begins() -> Bool {
            state.withLock { state in
                defer { state.isTakingBack = true }
                return !state.isTakingBack
            }
        }
        while !begins() {
            await takers.wait(unless: { !state.withLock { $0.isTakingBack } })
            if Task.isCancelled { throw .cancelled }
        }
    }

    func endTakingBack() {
        state.withLock { $0.isTakingBack = false }
        takers.resumeAll()
    }

    /// The newest step as a transaction sees the library: after all commits before its own, also those that are not visible yet.
    ///
    /// - Parameter commitNumber: that of the transaction.
    func newest(_ direction: Direction, before commitNumber: UInt64) -> Step? {
        state.withLock { state in
            for (number, undo) in state.coming.reversed() where number < commitNumber {
                switch undo {
                case .beyondUndoing: return nil
                // A commit that can be undone ends what can be done again.
                case .step(let info, let entries, .ordinary):
                    return direction == .undo ? Step(info: info, entries: entries, byteCount: 0) : nil
                case .step: break
                }
            }
            return state[direction].last
        }
    }

    /// A transaction has come to its end, and will be the commit of a number unless it is withdrawn.
    func noteMade(_ commitNumber: UInt64, _ undo: CommittedUndo?) {
        state.withLock { state in
            while let last = state.coming.last, last.number >= commitNumber { state.coming.removeLast() }
            if let undo { state.coming.append((commitNumber, undo)) }
        }
    }

    /// Whether a commit is made and not visible yet.
    func isComing(_ commitNumber: UInt64) -> Bool {
        state.withLock { $0.coming.contains { $0.number == commitNumber } }
    }

    /// A commit has become visible, whoever made it.
    func noteVisible(_ commitNumber: UInt64) {
        state.withLock { state in state.coming.removeAll { $0.number <= commitNumber } }
    }

    // MARK: What changes it

    /// A commit of this opening has become visible.
    func take(_ committed: CommittedUndo) {
        guard isOn else { return }
        guard case .step(let info, let entries, let role) = committed else {
            guard case .beyondUndoing(.undoing(let number)) = committed else { return forget() }
            // The library is as it was before that commit, which cannot be done again.
            return change { state in
                Self.remove(number, from: .undo, &state)
                while !state.redo.isEmpty { state.removeFirst(.redo) }
            }
        }
        change { state in
            let byteCount = entries.reduce(0) { $0 + $1.byteCount }
            let step = Step(info: info, entries: entries, byteCount: byteCount)
            switch role {
            case .ordinary:
                // What was undone before belongs to another course of things.
                while !state.redo.isEmpty { state.removeFirst(.redo) }
                state.undo.append(step)
            case .undoing(let number):
                Self.remove(number, from: .undo, &state)
                state.redo.append(step)
            case .redoing(let number):
                Self.remove(number, from: .redo, &state)
                state.undo.append(step)
            }
            state.heldByteCount += byteCount
            trim(&state)
        }
    }

    /// A step had no effect any more, so no commit tells of it.
    func drop(_ commitNumber: UInt64, from direction: Direction) {
        change { state in Self.remove(commitNumber, from: direction, &state) }
    }

    /// A step cannot be read any more, and so cannot those before it.
    func dropLost(_ commitNumber: UInt64, from direction: Direction) {
        change { state in
            guard let index = state[direction].lastIndex(where: { $0.info.commitNumber == commitNumber }) else {
                return
            }
            while state[direction].startIndex <= index { state.removeFirst(direction) }
        }
    }

    /// The log no longer has the commits up to a number: what is not held of them is lost.
    func dropUnheld(through commitNumber: UInt64) {
        change { state in
            let known = (state.undo + state.redo).map(\.info.commitNumber).max() ?? 0
            state.lostThrough = max(state.lostThrough, min(commitNumber, known))
            Self.dropUnheld(&state)
        }
    }

    /// What the store did by itself may have taken commits out of the log.
    func take(_ notice: StoreNotice) {
        switch notice {
        case .compacted(let report): dropUnheld(through: report.commitNumber)
        // The files that had them are not believed.
        case .rescued: dropUnheld(through: .max)
        default: break
        }
    }

    func forget() {
        // Nothing of what comes now is lost: after a restore commits have lower numbers.
        change { state in
            (state.undo, state.redo, state.coming) = ([], [], [])
            (state.heldByteCount, state.lostThrough) = (0, 0)
        }
    }

    // MARK: Pieces

    private func change(_ body: (inout State) -> Void) {
        registrar.withMutation(of: self, keyPath: \.isOn) { state.withLock { body(&$0) } }
    }

    private static func dropUnheld(_ state: inout State) {
        let lostThrough = state.lostThrough
        for direction in [Direction.undo, .redo] {
            while let oldest = state[direction].first, oldest.entries == nil,
                oldest.info.commitNumber <= lostThrough
            { state.removeFirst(direction) }
        }
    }

    private static func remove(_ commitNumber: UInt64, from direction: Direction, _ state: inout State) {
        guard let index = state[direction].lastIndex(where: { $0.info.commitNumber == commitNumber }) else { return }
        state.release(index, of: direction)
        state[direction].remove(at: index)
    }

    /// The oldest go first: from memory, and from the list.
    private func trim(_ state: inout State) {
        while state.undo.count + state.redo.count > keeping.commitCount {
            state.removeFirst(state.undo.isEmpty ? .redo : .undo)
        }
        while state.heldByteCount > keeping.byteCount {
            let direction = state.undo.contains { $0.entries != nil } ? Direction.undo : .redo
            guard let index = state[direction].firstIndex(where: { $0.entries != nil }) else { break }
            state.release(index, of: direction)
        }
        Self.dropUnheld(&state)
        assert(
            state.heldByteCount
                == (state.undo + state.redo).reduce(0) { $0 + ($1.entries == nil ? 0 : $1.byteCount) },
            "what is held is counted")
    }
}
