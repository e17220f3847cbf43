import ArgumentParser
import BookDB
import BookImport
import Synchronization

extension ImportFormat: ExpressibleByArgument {}

extension DateOrder: ExpressibleByArgument {}

extension TextEncoding: ExpressibleByArgument {
    public init?(argument: String) { self.init(named: argument) }
}

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings the books of a file into a library.",
        discussion: """
            bookdb import Library.bookdb goodreads_library_export.csv
            bookdb import Library.bookdb books.csv --dry-run
            bookdb import Library.bookdb liste.csv --map Titel=title --map Autor=authors
            bookdb import Library.bookdb liste.csv --map Nr=source-id --source "Aunt Jo"
            gzip -dc books.csv.gz | bookdb import Library.bookdb -
            bookdb import Copy.bookdb library.jsonl

            The library is made if there is none. A row that cannot be used is told and
            stops nothing. The same file again changes nothing. What a row says otherwise
            than the library is told, and the library keeps what it has; but a status
            only moves forward, and a row that was finished later wins.

            What bookdb export has written comes in as it left: books and an app's own
            records, under the same identifiers. Such a file begins with {; of standard
            input say so with --lines. Options other than that and --json are for tables.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: "The file to import; - reads standard input.")
    var file: String

    @Option(help: ArgumentHelp("What the file is; without, told by its columns.", valueName: "format"))
    var format: ImportFormat?

    @Option(help: ArgumentHelp("What a column holds; as often as needed.", valueName: "column=field"))
    var map: [String] = []

    @Option(help: ArgumentHelp("Whose numbers a source-id column has.", valueName: "name"))
    var source: String?

    @Option(
        help: ArgumentHelp(
            "utf-8, utf-16 or windows-1252; without, told by the bytes, as by a mark.", valueName: "name"))
    var encoding: TextEncoding?

    @Option(help: ArgumentHelp("The order of 04/05/2020: dmy or mdy; without, told by the column.", valueName: "order"))
    var dates: DateOrder?

    @Flag(name: [.customShort("n"), .long], help: "Of a table: say what would be done, and change nothing.")
    var dryRun = false

    @Flag(help: "Of a table: answer with a line of JSON for each batch that is safe on disk.")
    var jsonl = false

    @Flag(help: "The file is an export: a JSON object a line.")
    var lines = false

    @Option(help: ArgumentHelp("Write the rejected rows to a file, to correct and import again.", valueName: "file"))
    var rejects: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if common.json, jsonl { throw ValidationError("--json and --jsonl are two answers: give one of them.") }
        if jsonl, dryRun { throw ValidationError("--jsonl tells of commits, and --dry-run makes none.") }
    }

    /// Options that are of tables alone.
    private var tableOption: String? {
        if format != nil { return "--format" }
        if !map.isEmpty { return "--map" }
        if source != nil { return "--source" }
        if encoding != nil { return "--encoding" }
        if dates != nil { return "--dates" }
        if dryRun { return "--dry-run" }
        if jsonl { return "--jsonl" }
        return rejects == nil ? nil : "--rejects"
    }

    func run() async throws {
        let mapping = try map.map(FieldMapping.init(parsing:))
        if file != "-", SystemCalls.isAbsent(file) { throw ImportError.notFound(path: file) }
        if lines || (file != "-" && LineFile.beginsWithObject(file)) {
            if let tableOption {
                throw CommandFailure.wrongUsage(
                    "\(tableOption) is for tables of books, and \(file) is an export of a library.",
                    next: dryRun
                        ? "import it into a new library, and look at that: lines have no dry run"
                        : "bookdb import \(word: library) \(word: file)")
            }
            return try await LineImportCommand(library: library, file: file, common: common).run()
        }
        if file != "-", SystemCalls.byteCount(ofFile: file) == 0 {
            throw CommandFailure(
                status: .badInput, sentence: "\(file) is empty.",
                next: "export the books again; what bookdb export wrote of an empty library comes in with --lines")
        }
        // Made now: whoever asks for it is not to hear that it cannot be when all rows are in the library.
        let rejectsFile = try rejects.map { (path) in try NewFile(path) }
        let options = ImportOptions(
            format: format, mapping: mapping, source: source, encoding: encoding,
            dates: dates)
        let result: ImportResult
        do {
            result = try await imported(options)
        } catch {
            rejectsFile?.discard()
            throw error
        }
        // The report says what came in, even when the rejected rows cannot be written.
        let outcome = Result { try write(result, to: rejectsFile) }
        if common.json {
            try Output.print(ImportReport(result, library: library, file: file).document)
        } else if !jsonl {
            try Output.print(ImportReport(result, library: library, file: file).lines(style: common.style))
        }
        try outcome.get()
        if result.wasCancelled {
            sayInterrupted(result)
            throw SilentEnd(status: Interruption.status)
        }
        guard result.rows > 0 else {
            throw CommandFailure(
                status: .badInput, sentence: "\(file) names columns and has no row below them.",
                next: "export the books again, and check the file's size")
        }
        sayWhatNext(result)
        // What is no table of books came to nothing.
        if result.rejected == result.rows { throw SilentEnd(status: .badInput) }
    }

    private func imported(_ options: ImportOptions) async throws -> ImportResult {
        let isNew = SystemCalls.isAbsent(library)
        // A dry run into a library that is not there shall not begin it.
        let scratch = dryRun && isNew ? NewLibrary.temporaryPath() : nil
        defer { scratch.map(NewLibrary.discard) }
        let store =
            try scratch.map { try LibraryAccess.changingOrCreating($0) }
            ?? NewLibrary.openedForImport(library, isNew: isNew)
        let safeRows = Atomic(0)
        let progress = ProgressLine("importing")
        let (source, jsonl, dryRun) = (ImportSource(path: file), jsonl, dryRun)
        let importing = Task {
            let importer = BookImporter(store: store)
            return try await importer.run(source, options: options, dryRun: dryRun) { batch in
                safeRows.add(batch.rows.count, ordering: .relaxed)
                if jsonl { try Output.print(Self.event(batch, store)) }
                let rows = NumberText.count(batch.progress.rowsRead, "row")
                progress.update(fraction: batch.progress.fraction, rows)
            }
        }
        let interruption = Interruption { importing.cancel() }
        defer {
            interruption.end()
            progress.clear()
        }
        do {
            let result = try await importing.value
            progress.clear()
            if !dryRun { NewLibrary.removeIfUnused(library, store, isNew: isNew) }
            try await store.close()
            return result
        } catch {
            if !dryRun { NewLibrary.removeIfUnused(library, store, isNew: isNew) }
            try? await store.close()
            throw CommandFailure(error, safeRows: dryRun ? 0 : safeRows.load(ordering: .relaxed))
        }
    }

    /// Printed when the batch is safe on disk. `rows` are the rows of this batch that are in the library.
    private static func event(_ batch: ImportBatch, _ store: BookStore) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "committed")
            json.member("commit", batch.commit ?? batch.progress.lastCommit ?? store.snapshot.commitNumber)
            json.member("rows", batch.rows.count)
            json.member("rejected", batch.rejects.count)
            json.member("rowsRead", batch.progress.rowsRead)
        }
        return json.text
    }

    private func write(_ result: ImportResult, to file: NewFile?) throws {
        guard let file else { return }
        // An import that goes on tells of these rows again, and wants the name.
        guard !result.wasCancelled, let text = result.rejectsFile else { return file.discard() }
        try file.fill { output in try output.write(text) }
    }

    private func sayInterrupted(_ result: ImportResult) {
        let count = result.rows - result.rejected
        guard !dryRun, count > 0 else { return StandardError.say("Interrupted. Nothing of \(file) is in \(library).") }
        StandardError.say("Interrupted. \(NumberText.count(count, "row")) are in \(library), whole and safe.")
        StandardError.say("→ the same command goes on from there")
    }

    /// What the rows are read by.
    private var repeatedOptions: String {
        var options = ""
        if let format { options += " --format \(format.rawValue)" }
        for column in map { options += " " + ShellWord.option("--map", column) }
        if let source { options += " " + ShellWord.option("--source", source) }
        if let encoding { options += " --encoding \(encoding.rawValue)" }
        if let dates { options += " --dates \(dates.rawValue)" }
        if dryRun { options += " --dry-run" }
        return options
    }

    private func sayWhatNext(_ result: ImportResult) {
        if result.rejected > 0, rejects == nil, file != "-" {
            StandardError.say(
                "→ bookdb import \(word: library) \(word: file)\(repeatedOptions) --rejects FILE   writes the rejected rows, "
                    + "to correct them")
        } else if !dryRun, result.rejected < result.rows {
            StandardError.say("→ bookdb ls \(word: library)")
        }
    }
}
