import ArgumentParser
import BookDB

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites the library without dead bytes.",
        discussion: """
            bookdb compact Library.bookdb --dry-run
            bookdb compact Library.bookdb

            The log is folded into a new snapshot, which replaces the old one when it
            is complete. Nothing is lost if this is interrupted.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and change nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        if dryRun {
            try printEstimate()
        } else {
            try await compact()
        }
    }

    private func compact() async throws {
        let store = try LibraryAccess.changing(library)
        let progress = ProgressLine("compacting")
        let report = try await Interruption.cancelling {
            try await store.compact { progress.update(fraction: $0) }
        } leaving: {
            progress.clear()
            try? await store.close()
            return "\(library) is as it was."
        }
        progress.clear()
        try await store.close()
        let duration = Duration.nanoseconds(report.nanoseconds)
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.compact/1")
                json.member("library", library)
                json.member("dryRun", false)
                json.member("bytesBefore", report.byteCountBefore)
                json.member("bytesAfter", report.snapshotByteCount)
                json.member("generation", report.generation)
                json.member("commit", report.commitNumber)
                json.member("milliseconds", report.nanoseconds / 1_000_000)
            }
            try Output.print(json.text)
        } else {
            let change = change(report.byteCountBefore, report.snapshotByteCount)
            try Output.print("\(library)  \(change) in \(NumberText.duration(duration)) · the log is empty")
            StandardError.say("→ bookdb inspect \(word: library)")
        }
    }

    /// The size of a new snapshot is known when it is written; what goes into it is known now.
    private func printEstimate() throws {
        let inspection = try BookStore.inspect(at: library)
        // A log that ends at damage is folded into nothing.
        if let damage = inspection.opening.damage { throw LibraryError.damaged(damage.description) }
        let before = inspection.snapshotByteCount + inspection.logByteCount
        let commits = inspection.opening.replayedCommits
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.compact/1")
                json.member("library", library)
                json.member("dryRun", true)
                json.member("bytesBefore", before)
                json.null("bytesAfter")
                json.member("logBytes", inspection.logByteCount)
                json.member("commits", commits)
            }
            try Output.print(json.text)
            return
        }
        var table = TextTable([.init(), .init(alignment: .right), .init()])
        table.add(["snapshot", NumberText.bytes(inspection.snapshotByteCount), "would be written anew"])
        let folded = commits == 0 ? "nothing to fold" : "\(NumberText.count(commits, "commit")) would be folded into it"
        table.add(["log", NumberText.bytes(inspection.logByteCount), folded])
        try Output.print(
            ["Would rewrite \(library), \(NumberText.bytes(before))"] + table.lines(indent: 2) + [
                "Nothing was changed."
            ])
    }

    /// `375.0 MiB → 333.1 MiB (−11 %)`. A small library grows: its log is compressed, its pages are read in place.
    private func change(_ before: Int, _ after: Int) -> String {
        let sizes = "\(NumberText.bytes(before)) → \(NumberText.bytes(after))"
        return after > before ? sizes : "\(sizes) (−\(NumberText.percent(before - after, of: before)))"
    }
}
