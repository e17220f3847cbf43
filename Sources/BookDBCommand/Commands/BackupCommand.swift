import ArgumentParser
import BookDB

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a library, also while an app writes to it.",
        discussion: """
            bookdb backup Library.bookdb /disk/Backup
            bookdb backup Library.bookdb Library.backup --single-file

            The copy is the library as of one commit, and is verified as it is written.
            The same directory again: only what is new is copied, and every commit that
            was backed up can be restored; of a library that an app has open, the last ones
            once another backup has found them in its log. Interrupted, the backup before
            stays whole.
            `bookdb restore BACKUP LIBRARY -n` says how far back it reaches.
            A library that was restored needs a new directory. The one that was used
            before refuses it.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: "A directory for this library's backups, or with --single-file a file that does not exist.")
    var destination: String

    @Flag(help: "Make one file, which cannot be added to.")
    var singleFile = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let progress = ProgressLine("backing up")
        let (library, destination, form) = (library, destination, singleFile ? BackupForm.file : .directory)
        let report = try await Interruption.cancelling {
            try await BookStore.backup(at: library, to: destination, as: form) { progress.update(fraction: $0) }
        } leaving: {
            progress.clear()
            return "\(library) was not backed up; what \(destination) had before is whole."
        }
        progress.clear()
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.backup/1")
                json.member("library", library)
                json.member("backup", destination)
                json.member("commit", report.commitNumber)
                json.member("added", report.isIncrement)
                json.member("bytesCopied", report.copiedByteCount)
                json.member("bytes", report.byteCount)
                ReachText.write(report.reaches.map { ($0.commits, $0.times) }, to: &json)
                json.member("milliseconds", report.nanoseconds / 1_000_000)
            }
            try Output.print(json.text)
            return
        }
        let duration = NumberText.duration(.nanoseconds(report.nanoseconds))
        let size =
            report.isIncrement
            ? "\(NumberText.bytes(report.copiedByteCount)) added to \(NumberText.bytes(report.byteCount - report.copiedByteCount))"
            : NumberText.bytes(report.byteCount)
        // What was there before is not read again: that is what a dry run of a restore does.
        let proof = report.isIncrement ? "what was added verified" : "verified"
        try Output.print(
            "\(library) → \(destination)  commit \(NumberText.count(Int(clamping: report.commitNumber))), \(size), "
                + "\(proof), in \(duration)")
        StandardError.say("→ bookdb restore \(word: destination) NEW.bookdb --dry-run")
    }
}
