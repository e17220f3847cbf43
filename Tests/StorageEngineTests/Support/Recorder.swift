import Synchronization

/// Collects from any thread.
final class Recorder: Sendable {
    private let state = Mutex((commits: [UInt64](), notes: [Int]()))

    func append(_ commit: UInt64, _ note: Int?) {
        state.withLock {
            $0.commits.append(commit)
            if let note { $0.notes.append(note) }
        }
    }

    var commits: [UInt64] { state.withLock { $0.commits } }
    var notes: [Int] { state.withLock { $0.notes } }
}
