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
        }

        var launches: [LaunchTimes] = []
        var jobs: [Job] = []

        static let launchCount = 20
        /// Those done longest ago go first.
        static let jobCount = 200
        /// Of those that a launch did the first are kept, so that the file stays small.
        static let jobCountOfLaunch = 50

        mutating func note(_ launch: LaunchTimes) {
            // One that was noted before it was complete.
            launches.removeAll { $0.date == launch.date }
            launches = Array((launches + [launch]).suffix(Self.launchCount))
        }

        mutating func noteSuccess(of job: String, _ date: Date) {
            jobs.removeAll { $0.name == job }
            jobs = Array((jobs + [Job(name: job, lastSuccess: date)]).suffix(Self.jobCount))
        }
    }

    private let file: SideFile<Contents>

    init(path: String, fileSystem: any FileSystem) {
        file = SideFile(path: path, magic: "BDLAUNCH", fileSystem: fileSystem)
    }

    /// What is there; nothing when there is none, or it is not whole.
    func read() -> Contents { file.read() ?? Contents() }

    func write(_ contents: Contents) { file.write(contents) }
}
