import Synchronization

/// What the jobs of a launch have to say, by the name of the job.
final class JobNotes: Sendable {
    private let notes = Mutex<[String: String]>([:])

    subscript(job: String) -> String? {
        get { notes.withLock { $0[job] } }
        set { notes.withLock { $0[job] = newValue } }
    }
}
