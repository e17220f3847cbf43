/// Which versions of a generation can still be read. A version adds itself when it is made and takes itself out when the
/// last reader lets go; the writer asks before it frees memory.
final class VersionRegistry: Sendable {
    private struct State {
        /// Ascending.
        var live: [UInt64] = []
        var released: [UInt64] = []
    }

    private let state = Lock(State())

    func add(_ commit: UInt64) { state.withLock { $0.live.append(commit) } }

    func remove(_ commit: UInt64) {
        state.withLock { state in
            guard let index = state.live.lastIndex(of: commit) else { return }
            state.live.remove(at: index)
            state.released.append(commit)
        }
    }

    /// The live versions, and those released since the last call.
    func drain() -> (live: [UInt64], released: [UInt64]) {
        state.withLock { state in
            defer { state.released.removeAll() }
            return (state.live, state.released)
        }
    }
}
