import BookDB

/// What a launch on a library showed, and what could be done with the library then.
struct Findings: Sendable {
    let path: String
    let firstFrame: Frame
    /// When the first frame was shown.
    let healthAtFirstFrame: HealthWords
    let health: HealthWords
    /// What the list showed in the end.
    let lastFrame: Frame
    /// Why nothing of the library could be read; `nil` when something could.
    let failure: LibraryError?
    let reach: LibraryReach
    let times: LaunchTimes
    let jobs: [LaunchJob]
    /// The commits that the app heard of until all was there.
    let commits: [HeardCommit]
    let lastRestore: Restoration?

    /// What a commit brought to those who follow the library.
    struct HeardCommit: Sendable, Equatable {
        let number: UInt64
        /// Whether it is the whole library, and not changes to what was there before.
        let isWhole: Bool
        let changedWorkCount: Int
        /// `nil` where nothing can be read.
        let workCount: Int?
        /// Whether the log is still to be replayed: there is more to come.
        let isCatchingUp: Bool

        init(_ commit: Commit) {
            (number, isWhole, isCatchingUp) = (commit.number, commit.isWhole, commit.snapshot.isCatchingUp)
            changedWorkCount = commit.works.inserted.union(commit.works.updated).union(commit.works.deleted).count
            workCount = try? commit.snapshot.works.count
        }

        var words: String {
            guard let workCount else { return "nothing that can be read" }
            let brought =
                isWhole
                ? "the whole library, \(Figure.count(workCount, "work"))"
                : Figure.count(changedWorkCount, "changed work")
            return "a commit: \(brought)\(isCatchingUp ? ", the log is still to come" : "")"
        }
    }

    /// Launches an app on a copy of a library and closes it again.
    ///
    /// - Parameters:
    ///   - settings: a case can put another file system under the library.
    ///   - frameShown: called after the first frame.
    @MainActor static func launch(
        _ copy: LibraryCopy, in folder: TrackerFolder, _ settings: LibrarySettings = LibrarySettings(),
        frameShown: @Sendable () -> Void = {}
    ) async -> Findings {
        let store = BookStore(.file(copy.path), settings)
        let commits = store.commits
        let launch = TrackerLaunch(store, in: folder)
        let healthAtFirstFrame = HealthWords(store.health)
        frameShown()
        var failure: LibraryError?
        do throws(LibraryError) { try await launch.ready() } catch { failure = error }
        let (health, lastFrame) = (HealthWords(store.health), Frame(of: launch.works))
        let lastOfOpening = store.snapshot.commitNumber
        let reach = await LibraryReach(of: store)
        let (times, jobs, lastRestore) = (store.launch.times, store.launch.jobs, store.lastRestore)
        // Sequences of commits end when the library is closed; one that could not be opened has nothing to close.
        try? await store.close()
        var heard: [HeardCommit] = []
        for await commit in commits where commit.number <= lastOfOpening { heard.append(HeardCommit(commit)) }
        return Findings(
            path: copy.path, firstFrame: launch.firstFrame, healthAtFirstFrame: healthAtFirstFrame, health: health,
            lastFrame: lastFrame, failure: failure, reach: reach, times: times, jobs: jobs, commits: heard,
            lastRestore: lastRestore)
    }

    /// What the reader sees, as part of a page: rows of the case itself around those that every case has.
    func write(to page: inout Page, after first: [[String]] = [], before last: [[String]] = []) {
        func short(_ text: String) -> String { text.replacing(path, with: "Library.bookdb") }
        var rows = first
        rows.append(["first frame", firstFrame.words + ", health " + healthAtFirstFrame.name])
        rows += commits.enumerated().map { [$0 == 0 ? "then" : "and then", $1.words] }
        rows += [
            ["in the end", lastFrame.words],
            ["health", health.name + ": " + short(health.sentence)],
        ]
        for part in reach.parts {
            switch part.result {
            case .success(let words): rows.append([part.name, words])
            case .failure(let error): rows.append([part.name, "no: " + short(error.sentence)])
            }
        }
        for change in reach.changes {
            rows.append([change.name, change.refusal.map { "refused: " + short($0.sentence) } ?? "was made"])
        }
        if let step = health.nextStep { rows.append(["next step", short(step)]) }
        page.table(rows + last)
    }
}
