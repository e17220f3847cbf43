import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The last launches of apps with a library, and when their recurring jobs were done: a small file beside the log.
///
/// Written after the first frame. Without it nothing is lost but the memory of it.
struct LaunchFile: Sendable {
    struct Contents: Sendable, Equatable, Codable {
        struct Job: Sendable, Equatable, Codable {
            var name: String
            var lastSuccess: Date
            /// `true` for a job of the library's own; an app may have one of the same name.
            var isLibrarysOwn: Bool?
            /// `true` for a job that recurs: when it is due again goes by the time of its last success.
            var recurs: Bool?

            func isSame(as other: Job) -> Bool { isJob(other.name, isLibrarysOwn: other.isLibrarysOwn ?? false) }

            func isJob(_ name: String, isLibrarysOwn: Bool) -> Bool {
                self.name == name && (self.isLibrarysOwn ?? false) == isLibrarysOwn
            }
        }

        var launches: [LaunchTimes] = []
        var jobs: [Job] = []

        static let launchCount = 20
        /// Those that do not recur go first, and of these those done longest ago.
        static let jobCount = 200
        /// Of those that a launch did the first are kept, so that the file stays small.
        static let jobCountOfLaunch = 50
        /// The same of its steps before the first frame.
        static let stepCountOfLaunch = 50

        mutating func note(_ launch: LaunchTimes) {
            // One that was noted before it was complete.
            launches.removeAll { $0.date == launch.date }
            let launch = launch.withSteps(atMost: Self.stepCountOfLaunch)
            launches = Array((launches + [launch]).suffix(Self.launchCount))
        }

        mutating func noteSuccess(of job: String, isLibrarysOwn: Bool = false, recurs: Bool = false, _ date: Date) {
            note(
                Job(
                    name: job, lastSuccess: date, isLibrarysOwn: isLibrarysOwn ? true : nil, recurs: recurs ? true : nil
                ))
        }

        private mutating func note(_ job: Job) {
            jobs.removeAll { $0.isSame(as: job) }
            jobs.append(job)
            if jobs.count > Self.jobCount, let once = jobs.firstIndex(where: { $0.recurs != true }) {
                jobs.remove(at: once)
            }
            jobs = Array(jobs.suffix(Self.jobCount))
        }

        func lastSuccess(of job: String, isLibrarysOwn: Bool) -> Date? {
            jobs.last { $0.isJob(job, isLibrarysOwn: isLibrarysOwn) }?.lastSuccess
        }

        /// What is there now, with what has come to these contents since they were `former`: another process may have written meanwhile.
        func added(to found: Contents, since former: Contents) -> Contents {
            var result = found
            for launch in launches where !former.launches.contains(launch) { result.note(launch) }
            for job in jobs where !former.jobs.contains(job) {
                let there = found.jobs.last { $0.isSame(as: job) }
                // What this process did takes the place of what it knew, whatever a clock said.
                let isKnown = there == former.jobs.last { $0.isSame(as: job) }
                if isKnown || (there?.lastSuccess ?? .distantPast) < job.lastSuccess { result.note(job) }
            }
            return result
        }
    }

    private let file: SideFile<Contents>

    init(path: String, fileSystem: any FileSystem) {
        file = SideFile(path: path, magic: "BDLAUNCH", fileSystem: fileSystem)
    }

    /// What is there; nothing when there is none, or it is not whole. Launches with figures that none has are left out.
    func read() -> Contents { found ?? Contents() }

    private var found: Contents? {
        var contents = file.read()
        contents?.launches.removeAll { !$0.isPlausible }
        return contents
    }

    /// Writes what has come to the contents since they were `former`. Of more than a file takes the oldest launches are left out.
    ///
    /// - Returns: what the file has now, of all processes; `nil` when it could not be written.
    func write(_ contents: Contents, since former: Contents) -> Contents? {
        var merged = contents.added(to: found ?? former, since: former)
        while true {
            if let bytes = file.bytes(of: merged) { return file.write(bytes: bytes) ? merged : nil }
            guard !merged.launches.isEmpty else { return nil }
            merged.launches.removeFirst()
        }
    }
}
