import ArgumentParser
import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "The commits that the log still holds, newest first.",
        discussion: """
            bookdb log Library.bookdb
            bookdb log Library.bookdb --changes --limit 1
            bookdb log Library.bookdb --since "2 hours ago"
            bookdb log Library.bookdb --since 18400 --json
            bookdb log Library.bookdb --follow

            Works while an app has the library open, and on one whose log is damaged:
            what precedes the damage is shown, and the command ends with 1. Commits that
            a compaction has moved into the snapshot are no longer in the log.

            A record is inserted, updated or deleted; written, where nothing says whether
            it was there before. Lists and indexes follow from records and are not shown.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Option(
        help: ArgumentHelp(
            "Only the commits after a commit, or from a moment on: 18400, 2026-11-24, 2026-11-24T18:30, \"2 hours ago\".",
            valueName: "when"))
    var since: String?

    @Option(parsing: .unconditional, help: "How many commits to show.")
    var limit = LogCommand.defaultLimit

    @Flag(help: "The records that each commit changed, and what they are now.")
    var changes = false

    @Flag(help: "Oldest first, and then each commit as it comes, until Ctrl-C.")
    var follow = false

    @Flag(help: "Answer with a line of JSON for each commit.")
    var jsonl = false

    static let defaultLimit = 50

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1 on, not \(limit).") }
        if common.json, jsonl { throw ValidationError("--json and --jsonl are two answers: give one of them.") }
        if let since { _ = try LogStart(since, now: Date()) }
    }

    private var isStream: Bool { jsonl || (common.json && follow) }

    func run() async throws {
        if follow { return try await followed() }
        var log = try BookStore.log(at: library)
        let range = try range(of: log)
        let commits = try log.commits(range.clamped(to: 0..<log.heads.count), withTexts: changes)
        let newestFirst = Array(commits.reversed())
        if isStream {
            try Output.print(newestFirst.map(line) + [endLine(log)])
        } else if common.json {
            try Output.print(document(newestFirst, log))
        } else {
            try printTable(newestFirst, log)
        }
        try endWhenDamaged(log)
    }

    /// Which of the commits to show.
    private func range(of log: LibraryLog) throws -> Range<Int> {
        let count = log.heads.count
        var first = 0
        if let since {
            let start = try LogStart(since, now: Date())
            first = log.heads.firstIndex(where: start.includes) ?? count
        }
        return max(first, count - limit)..<count
    }

    private func endWhenDamaged(_ log: LibraryLog) throws {
        guard case .damaged = log.end else { return }
        StandardError.say("→ \(NextStep.repair(library))   saves what can be saved")
        throw SilentEnd(status: .found)
    }

    // MARK: For people

    private func printTable(_ commits: [LoggedCommit], _ log: LibraryLog) throws {
        let style = common.style
        let now = Date()
        if !commits.isEmpty {
            let lines =
                changes
                ? commits.flatMap {
                    CommitSheet.lines($0, time: TimeText.ago($0.date, now: now), style: style)
                }
                : CommitSheet.table(commits, now: now, style: style)
            try Output.print(lines)
        }
        try Output.print(CommitSheet.lines(log.end, style: style))
        StandardError.say(summary(commits, log, now))
    }

    /// How much of the log was shown, and what precedes it.
    private func summary(_ commits: [LoggedCommit], _ log: LibraryLog, _ now: Date) -> String {
        let held = log.heads.count
        var words =
            commits.count == held
            ? held == 0 ? "The log holds no commits" : "\(NumberText.count(held, "commit"))"
            : "\(NumberText.count(commits.count)) of \(NumberText.count(held, "commit")) in the log"
        if let date = log.snapshotDate, log.snapshotCommit > 0 {
            let commit = NumberText.count(Int(clamping: log.snapshotCommit))
            words += "; older commits are in the snapshot of commit \(commit), made \(TimeText.ago(date, now: now))."
        } else if log.snapshotDate == nil {
            words += "; older commits are in a snapshot that cannot be read."
        } else {
            words += held == 0 ? ": nothing was written yet." : "; the log goes back to the library's first."
        }
        return words
    }

    // MARK: For programs

    /// `bookdb.log/1`
    private func document(_ commits: [LoggedCommit], _ log: LibraryLog) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.log/1")
            json.member("library", library)
            json.member("total", log.heads.count)
            json.array("commits") { json in
                for commit in commits {
                    json.object { CommitSheet.write(commit, withChanges: changes, to: &$0) }
                }
            }
            CommitSheet.write(log, to: &json)
        }
        return json.text
    }

    private func line(_ commit: LoggedCommit) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "commit")
            CommitSheet.write(commit, withChanges: changes, to: &json)
        }
        return json.text
    }

    private func endLine(_ log: LibraryLog) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "end")
            CommitSheet.write(log, to: &json)
        }
        return json.text
    }

    // MARK: Following

    private static let pause = Duration.milliseconds(250)

    private func followed() async throws {
        let following = Task { [self] in
            var log = try BookStore.log(at: library)
            for commit in try log.commits(range(of: log), withTexts: changes) { try show(commit) }
            if case .damaged = log.end {
                try isStream
                    ? Output.print(endLine(log)) : Output.print(CommitSheet.lines(log.end, style: common.style))
                return try endWhenDamaged(log)
            }
            while true {
                for news in try log.follow(withTexts: changes) { try show(news) }
                try await Task.sleep(for: Self.pause)
            }
        }
        let interruption = Interruption { following.cancel() }
        defer { interruption.end() }
        do {
            try await following.value
        } catch is CancellationError {
            StandardError.say("Interrupted.")
            throw SilentEnd(status: Interruption.status)
        }
    }

    private func show(_ news: LibraryLog.News) throws {
        switch news {
        case .commit(let commit): try show(commit)
        case .passedOver(let numbers): try show(passedOver: numbers)
        case .replaced: try showReplaced()
        }
    }

    private func show(_ commit: LoggedCommit) throws {
        if isStream {
            try Output.print(line(commit))
        } else if changes {
            try Output.print(CommitSheet.lines(commit, time: TimeText.second(commit.date), style: common.style))
        } else {
            try Output.print(CommitSheet.line(commit))
        }
    }

    private func showReplaced() throws {
        guard !isStream else {
            var json = JSONWriter()
            json.object { $0.member("event", "restored") }
            return try Output.print(json.text)
        }
        try Output.print("          the library was restored; what follows are commits behind that.")
    }

    private func show(passedOver numbers: ClosedRange<UInt64>) throws {
        guard !isStream else {
            var json = JSONWriter()
            json.object { json in
                json.member("event", "passedOver")
                json.member("first", numbers.lowerBound)
                json.member("last", numbers.upperBound)
            }
            return try Output.print(json.text)
        }
        let (first, last) = (Int(clamping: numbers.lowerBound), Int(clamping: numbers.upperBound))
        let words =
            first == last
            ? "commit \(NumberText.count(first)) is in the snapshot, and in no log."
            : "commits \(NumberText.count(first)) to \(NumberText.count(last)) are in the snapshot, and in no log."
        try Output.print("          " + words)
    }
}
