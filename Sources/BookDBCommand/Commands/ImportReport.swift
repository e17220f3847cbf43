import BookDB
import BookImport

/// What an import did, for people and for programs.
struct ImportReport {
    private let result: ImportResult
    private let library: String
    private let file: String

    /// As many rejected rows and warnings as fit a screen.
    private static let shownCount = 10

    init(_ result: ImportResult, library: String, file: String) {
        self.result = result
        self.library = library
        self.file = file
    }

    // MARK: For programs

    /// `bookdb.import/1`
    var document: String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.import/1")
            json.member("rows", result.rows)
            json.member("added", result.added)
            json.member("merged", result.merged)
            json.member("skipped", result.skipped)
            json.member("rejected", result.rejected)
            json.array("rejects") { json in
                for reject in result.rejects {
                    json.object { json in
                        json.member("line", reject.line)
                        json.member("reason", reject.reason)
                    }
                }
            }
            json.array("warnings") { json in
                for warning in result.warnings {
                    json.object { json in
                        json.member("line", warning.line)
                        json.member("message", warning.message)
                    }
                }
            }
            json.member("format", result.dialect.format.rawValue)
            json.member("formatGuessed", result.formatIsGuessed)
            json.member("editionsAdded", result.editionsAdded)
            json.member("authorsAdded", result.authorsAdded)
            json.member("dryRun", result.isDryRun)
            json.member("cancelled", result.wasCancelled)
            if let commit = result.lastCommit { json.member("commit", commit) } else { json.null("commit") }
            json.member("milliseconds", Int(result.duration / .milliseconds(1)))
        }
        return json.text
    }

    // MARK: For people

    func lines(style: Style) -> [String] {
        var lines = [style.bold(file) + "    " + source]
        var table = TextTable([.init(), .init(alignment: .right), .init(leastWidth: 20)])
        for (verb, count, remark) in rows where count > 0 || verb == rows[0].verb {
            table.add([verb, Figures.count(count, "row"), remark])
        }
        lines += table.lines(indent: 2)
        lines += listed(result.rejects.map { ($0.line, $0.reason) })
        if !result.warnings.isEmpty {
            lines.append("  remarks on rows that \(result.isDryRun ? "would be" : "were") imported")
            lines += listed(result.warnings.map { ($0.line, $0.message) })
        }
        if result.isDryRun {
            lines.append("Nothing was changed.")
        } else {
            lines.append("\(library)  \(Figures.count(result.rows, "row")) in \(Figures.duration(result.duration))")
        }
        return lines
    }

    private var source: String {
        let columns = "\(result.headers.count) columns"
        let guess = result.formatIsGuessed ? " (told by its columns)" : ""
        return "\(result.dialect.name)\(guess) · \(columns) · \(Figures.bytes(result.bytesRead))"
    }

    private var rows: [(verb: String, count: Int, remark: String)] {
        let would = result.isDryRun
        let editions = Figures.count(result.editionsAdded, "new edition")
        let authors = Figures.count(result.authorsAdded, "new author")
        return [
            (would ? "would add" : "added", result.added, "\(editions), \(authors)"),
            (would ? "would merge" : "merged", result.merged, evidence),
            (would ? "would skip" : "skipped", result.skipped, "already here, nothing new"),
            (would ? "would reject" : "rejected", result.rejected, ""),
        ]
    }

    /// By what the rows of works already here were recognised; these are the merged and the skipped ones.
    private var evidence: String {
        let evidence = result.evidence
        let kinds = [
            ("same identifier", evidence.sourceIdentifier), ("same ISBN", evidence.isbn),
            ("title and author", evidence.titleAndAuthor),
        ]
        guard result.skipped == 0 else { return "new about works already here" }
        return kinds.filter { $0.1 > 0 }.map { "\($0.0) \(Figures.count($0.1))" }.joined(separator: " · ")
    }

    private func listed(_ remarks: [(line: Int, text: String)]) -> [String] {
        let shown = remarks.prefix(Self.shownCount)
        let width = shown.map { "\($0.line)".count }.max() ?? 0
        var lines = shown.flatMap { remark in
            let number = "\(remark.line)"
            let label = "        line \(number)" + String(repeating: " ", count: width - number.count + 2)
            var text = Paragraph.lines(remark.text, indent: label.count)
            if !text.isEmpty { text[0] = label + text[0].dropFirst(label.count) }
            return text
        }
        if remarks.count > shown.count {
            lines.append("        and \(Figures.count(remarks.count - shown.count)) more; --json lists all")
        }
        return lines
    }
}
