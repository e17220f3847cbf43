import Synchronization

/// What jobs of a launch have found out that do not say it by what they return, by the name of the job.
final class JobNotes: Sendable {
    private let notes = Mutex<[String: String]>([:])

    subscript(job: String) -> String? {
        get { notes.withLock { $0[job] } }
        set { notes.withLock { $0[job] = newValue } }
    }
}
