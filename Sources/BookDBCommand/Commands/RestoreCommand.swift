import ArgumentParser
import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a library of a backup, as of any commit in it.",
        discussion: """
            bookdb restore /disk/Backup Library.bookdb --dry-run
            bookdb restore /disk/Backup Library.bookdb
            bookdb restore /disk/Backup Library.bookdb --time "2 hours ago"

            The library is written beside the one that is there, verified, and put in its
            place. A library that an app shares is replaced at once, and the app moves to
            it; one that an app keeps for itself when it is opened the next time.
            A library that exists is replaced only with --confirm and its name. If
            anything fails, it stays as it is.
            A dry run verifies what it would restore, and says how far back it could go.
            To backups the restored library is another one: back it up into a new
            directory. The one that was used before refuses it.
            """
    )

    @Argument(help: "The directory or file of the backup.")
    var backup: String

    @Argument(help: "The library to make, or to replace.")
    var library: String

    @Option(help: ArgumentHelp("Restore this commit; the newest otherwise.", valueName: "number"))
    var commit: UInt64?

    @Option(
        help: ArgumentHelp("Restore the newest commit made by then; a time of the clock is in UTC.", valueName: "time"))
    var time: String?

    @Option(help: ArgumentHelp("The file name of the library that is to be replaced.", valueName: "name"))
    var confirm: String?

    @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and change nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if commit != nil, time != nil { throw ValidationError("Give --commit or --time, not both.") }
        if let time, case .commit = try LogStart(time, now: Date()) {
            throw ValidationError("'\(time)' is no time. Write --commit \(time) for a commit.")
        }
    }

    func run() async throws {
        guard !SystemCalls.isAbsent(backup) else {
            throw CommandFailure(
                status: .notFound, sentence: "There is no backup at \(backup).",
                next: "check the path; bookdb backup \(word: library) \(word: backup) makes one")
        }
        if dryRun { return try plan() }
        let isThere = try !BookStore.canBegin(at: library)
        if isThere, confirm != name {
            throw CommandFailure(
                status: .exists, sentence: "\(library) exists; it was not replaced.",
                next: "name another path, or add --confirm \(word: name) to replace it")
        }
        let progress = ProgressLine("restoring")
        let (backup, library, point) = (backup, library, try point())
        let staged = try await Interruption.cancelling {
            try await BookStore.stageRestore(from: backup, to: point, at: library, replacing: isThere) {
                progress.update(fraction: $0)
            }
        } leaving: {
            progress.clear()
            return isThere ? "\(library) is as it was." : "There is no library at \(library), as before."
        }
        progress.clear()
        let isInPlace = try await open(staged)
        let commit = NumberText.count(Int(clamping: staged.commitNumber))
        if common.json {
            try printDocument(staged.commitNumber, staged.commitDate, inPlace: isInPlace, nil)
        } else if isInPlace {
            try Output.print("\(library) is commit \(commit) of \(backup), made \(TimeText.second(staged.commitDate))")
            StandardError.say("→ bookdb inspect \(word: library)")
            StandardError.say("→ bookdb backup \(word: library) NEW   in a new directory: \(backup) takes none of it")
        } else {
            try Output.print(
                "Commit \(commit) of \(backup) is staged. \(library) is in use, and stays as it is until its next opening."
            )
            StandardError.say("→ close the app that has it open, and open it again")
            StandardError.say("→ then back it up into a new directory: \(backup) takes none of it")
        }
    }

    private var name: String {
        String(library.split(separator: "/").last ?? "")
    }

    private func point() throws -> RestorePoint {
        if let commit { return .commit(commit) }
        guard let time, case .moment(let date) = try LogStart(time, now: Date()) else { return .newest }
        return .date(date)
    }

    /// An opening carries the restore out. `false` where another process has the library: its next opening will. What fails otherwise leaves nothing
    /// staged that a later opening would carry out unasked.
    private func open(_ staged: Restoration) async throws -> Bool {
        let store: BookStore
        do {
            store = try LibraryAccess.changing(library)
        } catch let failure as CommandFailure where failure.status == .inUse {
            return false
        } catch {
            guard !BookStore.unstage(staged, at: library) else { throw error }
            var failure = CommandFailure(error)
            failure.sentence += " The restore could not be taken back: it was carried out, or may be later."
            throw failure
        }
        let failure = store.restoreFailure
        try await store.close()
        if let failure { throw failure }
        return true
    }

    private func plan() throws {
        let progress = ProgressLine("verifying")
        let plan = try BookStore.planRestore(from: backup, to: point()) { progress.update(fraction: $0) }
        progress.clear()
        let reaches = plan.backup.reaches.map { ($0.commits, $0.times) }
        let date = ReachText.date(plan.commitTime)
        if common.json { return try printDocument(plan.commitNumber, date, inPlace: false, reaches) }
        let isThere = try !BookStore.canBegin(at: library)
        try Output.print(
            [
                "Would \(isThere ? "replace" : "make") \(library) with commit "
                    + "\(NumberText.count(Int(clamping: plan.commitNumber))), made \(TimeText.second(date))",
                "  \(NumberText.bytes(plan.byteCount)) of the backup were read, and are sound. It can restore",
            ] + ReachText.lines(reaches) + ["Nothing was changed."])
    }

    private func printDocument(
        _ commit: UInt64, _ date: Date, inPlace: Bool, _ reaches: [ReachText.Reach]?
    ) throws {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.restore/1")
            json.member("backup", backup)
            json.member("library", library)
            json.member("dryRun", dryRun)
            json.member("commit", commit)
            json.member("time", TimeText.text(date))
            json.member("inPlace", inPlace)
            if let reaches { ReachText.write(reaches, to: &json) }
        }
        try Output.print(json.text)
    }
}
