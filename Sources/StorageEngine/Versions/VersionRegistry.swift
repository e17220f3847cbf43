/// Which versions of a generation can still be read. A version adds itself when it is made and takes itself out when the
/// last reader lets go; the writer asks before it frees memory.
///
/// Once the writer has moved to another generation it asks no more: whoever lets go of a version frees what it alone needed, under
/// this lock.
///
/// Always true: the live versions ascend; of a superseded generation there is none that was released and not reclaimed.
final class VersionRegistry: Sendable {
    private struct State {
        var live: [UInt64] = []
        /// Since the last call of `drain`.
        var released: [UInt64] = []
        var isSuperseded = false
    }

    /// Frees memory, given the live versions and those released since the last time.
    typealias Reclaim = (_ live: [UInt64], _ released: [UInt64]) -> Void

    private let state = Lock(State())

    func add(_ commit: UInt64) {
        state.withLock { state in
            assert(!state.isSuperseded, "no version is made of a generation that was superseded")
            assert(state.live.last.map { $0 <= commit } ?? true, "versions ascend")
            state.live.append(commit)
        }
    }

    /// - Parameter reclaim: called, under the lock, when the writer no longer does this.
    func remove(_ commit: UInt64, _ reclaim: Reclaim) {
        state.withLock { state in
            guard let index = state.live.lastIndex(of: commit) else { return }
            state.live.remove(at: index)
            if state.isSuperseded {
                reclaim(state.live, [commit])
            } else {
                state.released.append(commit)
            }
            assert(!state.isSuperseded || state.released.isEmpty, "whoever lets go reclaims")
        }
    }

    /// The live versions, and those released that `drain` would give.
    var numbers: (live: [UInt64], released: [UInt64]) { state.withLock { ($0.live, $0.released) } }

    /// The live versions, and those released since the last call.
    func drain() -> (live: [UInt64], released: [UInt64]) {
        state.withLock { state in
            defer { state.released.removeAll() }
            return (state.live, state.released)
        }
    }

    /// From now on the one who lets go of a version reclaims.
    ///
    /// - Parameter reclaim: called once, under the lock, for what was released so far.
    func supersede(_ reclaim: Reclaim) {
        state.withLock { state in
            guard !state.isSuperseded else { return }
            state.isSuperseded = true
            reclaim(state.live, state.released)
            state.released = []
        }
    }
}
