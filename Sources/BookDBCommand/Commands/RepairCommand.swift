import ArgumentParser
import BookDB

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Saves what can be saved of a damaged library into a new one.",
        discussion: """
            bookdb repair Library.bookdb --dry-run
            bookdb repair Library.bookdb --output Saved.bookdb --lost lost.jsonl

            The damaged library is only read. Every record that can be proved is saved
            under its own identifier; lists and indexes are made from the records.
            --lost lists what was lost and what was made anew from lists and indexes, one
            JSON document a line, with all that is still known of it. Close apps that
            write to the library first. Only you may read the new library.
            Until it is whole it is Saved.bookdb.unfinished; one that a killed repair has
            left is removed by the next repair to the same place.
            Ends with 0 when every record was saved, with 1 when something was lost or
            nothing says how much there was, and with 65 when there is nothing to save.
            """
    )

    @Argument(help: "The damaged library.")
    var library: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The library to make, which must not exist.", valueName: "library"))
    var output: String?

    @Option(help: ArgumentHelp("A file to list what was lost in, which must not exist.", valueName: "file"))
    var lost: String?

    @Flag(name: [.customShort("n"), .long], help: "Say what would be saved, and write nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if dryRun, lost != nil { throw ValidationError("A dry run writes nothing: leave out --lost.") }
        if !dryRun, output == nil {
            throw ValidationError("Name the library to make with --output, or look first with --dry-run.")
        }
    }

    func run() async throws {
        // Taken first: whoever asks for the list is not to wait for a repair and then be refused it.
        let list = try lost.map { try NewFile($0, from: library) }
        let report: RepairReport
        do {
            report = try await repaired()
        } catch {
            list?.discard()
            throw error
        }
        // What was saved is told also where the list cannot be written.
        let outcome = Result { try list?.fill { output in try write(report, to: &output) } }
        if common.json {
            try Output.print(RepairDocument(report, library, output: dryRun ? nil : output).text)
        } else {
            try Output.print(RepairSheet(report, output: dryRun ? nil : output, common.style).lines)
            StandardError.say("→ \(next(report))")
        }
        try outcome.get()
        guard report.isComplete else { throw SilentEnd(status: .found) }
    }

    private func repaired() async throws -> RepairReport {
        let progress = ProgressLine(dryRun ? "looking" : "repairing")
        let ticking = progress.ticking()
        defer { ticking.cancel() }
        let (library, output) = (library, dryRun ? nil : output)
        let report = try await Interruption.cancelling {
            guard let output else { return try await BookStore.previewRepair(at: library) }
            return try await BookStore.repair(at: library, to: output)
        } leaving: {
            ticking.cancel()
            await ticking.value
            progress.clear()
            return "\(library) is as it was, and nothing was saved of it."
        }
        ticking.cancel()
        await ticking.value
        progress.clear()
        return report
    }

    private func write(_ report: RepairReport, to file: inout Output) throws {
        for commits in report.missingCommits {
            var json = JSONWriter()
            json.object { json in
                json.member("kind", "commits")
                json.member("from", commits.lowerBound)
                json.member("to", commits.upperBound)
            }
            try file.write(line: json.text)
        }
        if let end = report.lostEnd {
            var json = JSONWriter()
            json.object { json in
                json.member("kind", "commits")
                json.optional("from", report.lastCommit.map { $0 == .max ? $0 : $0 + 1 })
                json.null("to")
                json.member("finding", end.finding)
            }
            try file.write(line: json.text)
        }
        for item in report.items { try file.write(line: item.jsonLine()) }
    }

    private func next(_ report: RepairReport) -> String {
        if dryRun { return NextStep.repair(library) + (report.isComplete ? "" : " --lost lost.jsonl") }
        return "bookdb ls \(word: output ?? "")"
            + (report.isComplete || lost == nil ? "" : "; what was lost is in \(lost ?? "")")
    }
}
