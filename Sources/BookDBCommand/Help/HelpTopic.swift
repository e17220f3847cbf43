import BookImport

/// Help that belongs to no single command.
enum HelpTopic: String, CaseIterable {
    case formats
    case exitCodes = "exit-codes"
    case json

    var text: String {
        switch self {
        case .formats: Self.formatsText
        case .exitCodes: Self.exitCodesText
        case .json: Self.jsonText
        }
    }

    private static var formatsText: String {
        var lines = ["FORMATS for import", "  Told by the columns of the file, or named with --format:"]
        for dialect in Dialect.all {
            let name = dialect.format.rawValue
            lines.append("    " + name + String(repeating: " ", count: max(1, 16 - name.count)) + dialect.name)
        }
        lines += [
            "", "  Any other table: say which column holds what, --map COLUMN=FIELD, such as",
            "    bookdb import Library.bookdb liste.csv --map Titel=title --map Autor=authors",
            "  The fields are",
        ]
        lines += Paragraph.lines(BookField.allCases.map(\.rawValue).joined(separator: ", "), indent: 4)
        lines += [
            "", "  An export of a library, jsonl, is told by its first line; on standard input, --lines says so.",
            "    bookdb import Library.bookdb library.jsonl",
        ]
        lines += ["", "FORMATS for export", "    jsonl           one JSON document a line, every record"]
        return lines.joined(separator: "\n")
    }

    private static let exitCodesText = """
        EXIT CODES
            0  done; the library is sound, or both are the same
            1  looked and found damage, or differences, or a launch that read too much; repaired, and
               something was or may be lost; answered as of an earlier commit, since the log is damaged
               behind it
           64  wrong usage
           65  the input is not what it says it is; nothing of it can be saved
           66  no such library, file or work
           70  a bug in bookdb: please report it
           73  will not overwrite what exists
           74  reading or writing failed
           75  the library is in use by another process: try again
           76  the library was written by a newer BookDB, or by one so old that it has to be opened for
               writing first
           77  not permitted
          129  interrupted, as its terminal was closed; 130, by a key; 143, by a signal to end.
               A command that writes says on standard error what it has left. A second signal
               ends it at once and without a word, as the first does one that only reads
        """

    private static let jsonText = """
        JSON
          --json prints exactly one document on standard output. Its first member is
          "schema", such as "bookdb.ls/1". Members are only ever added to a schema;
          a member that is renamed or means something else makes a new number.
          An app's record is a line of an export, which has no schema. log --follow
          prints a document for each commit.

          --jsonl, for import and log, prints one document a line, each with an "event".
          Of an import, a line with
            {"event":"committed","commit":…,"rows":…}
          is printed after the batch it tells of is safe on disk.

          Standard output is the answer; hints, progress and errors go to standard error.
        """
}
