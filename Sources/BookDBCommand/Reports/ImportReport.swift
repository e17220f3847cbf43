import BookDB
import BookImport

/// What an import did, for people and for programs.
struct ImportReport {
    private let result: ImportResult
    private let library: String
    private let file: String

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
            json.member("identical", result.identical)
            json.member("differing", result.differing)
            json.member("conflicting", result.conflicting)
            json.member("rejected", result.rejected)
            json.array("columns") { json in
                for column in result.columns {
                    json.object { json in
                        json.member("header", column.header)
                        json.optional("field", column.field?.rawValue)
                        json.member("leftOut", column.leftOutCount)
                    }
                }
            }
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
            json.array("differences") { json in
                for difference in result.differences {
                    json.object { json in
                        json.member("line", difference.line)
                        json.member("title", difference.title)
                        json.member("field", difference.field.rawValue)
                        json.member("kept", difference.kept)
                        json.member("given", difference.given)
                    }
                }
            }
            json.member("encoding", result.encoding.rawValue)
            json.member("format", result.dialect.format.rawValue)
            json.member("formatGuessed", result.formatIsGuessed)
            json.member("editionsAdded", result.editionsAdded)
            json.member("authorsAdded", result.authorsAdded)
            json.member("dryRun", result.isDryRun)
            json.member("cancelled", result.wasCancelled)
            json.optional("commit", result.lastCommit)
            json.member("milliseconds", Int(result.duration / .milliseconds(1)))
        }
        return json.text
    }

    // MARK: For people

    /// What was lost comes first, then what the library kept, then what came in.
    func lines(style: Style) -> [String] {
        var lines = [style.bold(DisplayWidth.printable(file)) + "    " + source]
        lines += columns
        lines += table([(verb("reject", "rejected"), result.rejected, "")], isAlways: false)
        lines += RemarkList.lines(result.rejects.map { ($0.line, $0.reason) }, of: result.rejected)
        if !result.warnings.isEmpty {
            lines.append("  remarks on rows that \(result.isDryRun ? "would be" : "were") imported")
            lines += RemarkList.lines(result.warnings.map { ($0.line, $0.message) }, of: result.warningCount)
        }
        if !result.differences.isEmpty {
            lines.append("  the library keeps what it has where the file says otherwise")
            lines += RemarkList.lines(result.differences.map { ($0.line, Self.text($0)) }, of: result.differenceCount)
        }
        lines += table(gains, isAlways: true)
        if result.isDryRun {
            lines.append("Nothing was changed.")
        } else {
            lines.append(
                "\(library)  \(NumberText.count(result.rows, "row")) in \(NumberText.duration(result.duration))")
        }
        return lines
    }

    private var source: String {
        let guess = result.formatIsGuessed ? " (told by its columns)" : ""
        return "\(result.dialect.name)\(guess) · \(result.encoding.rawValue) · \(NumberText.bytes(result.bytesRead))"
    }

    /// `title ← Titre, authors ← Auteur`, and what was left out.
    private var columns: [String] {
        let used = result.columns.compactMap { column in
            column.field.map { "\($0.rawValue) ← \(DisplayWidth.printable(column.header))" }
        }
        let leftOut = result.columns.filter { $0.leftOutCount > 0 }
        var lines = Paragraph.lines(used.joined(separator: ", "))
        if !leftOut.isEmpty {
            let names = leftOut.map { column in
                let name = column.header.isEmpty ? "a column without a name" : DisplayWidth.printable(column.header)
                return "\(name) (\(NumberText.count(column.leftOutCount, "value")))"
            }
            lines += Paragraph.lines("left out: " + names.joined(separator: ", "))
        }
        if !result.hasAuthors {
            lines += Paragraph.lines(
                "No column says who wrote the books: nothing but an ISBN or an identifier tells whether a book is here already. "
                    + "→ --map COLUMN=authors")
        }
        return lines
    }

    private func verb(_ wish: String, _ fact: String) -> String { result.isDryRun ? "would \(wish)" : fact }

    private var gains: [(verb: String, count: Int, remark: String)] {
        let editions = NumberText.count(result.editionsAdded, "new edition")
        let authors = NumberText.count(result.authorsAdded, "new author")
        return [
            (verb("add", "added"), result.added, "\(editions), \(authors)"),
            (verb("merge", "merged"), result.merged, evidence),
            (verb("keep", "kept"), result.differing, "here already, with something else in it"),
            (verb("skip", "skipped"), result.identical, "here already, nothing new"),
        ]
    }

    private func table(_ rows: [(verb: String, count: Int, remark: String)], isAlways: Bool) -> [String] {
        var table = TextTable([.init(), .init(alignment: .right), .init(leastWidth: 20)])
        for (verb, count, remark) in rows where count > 0 || isAlways && verb == rows[0].verb {
            table.add([verb, NumberText.count(count, "row"), remark])
        }
        return table.lines(indent: 2)
    }

    /// By what the rows of works already here were recognised; these are the merged, the kept and the skipped ones.
    private var evidence: String {
        let evidence = result.evidence
        let kinds = [
            ("same identifier", evidence.sourceIdentifier), ("same ISBN", evidence.isbn),
            ("title and author", evidence.titleAndAuthor),
        ]
        guard result.identical + result.differing == 0 else { return "new about works already here" }
        return kinds.filter { $0.1 > 0 }.map { "\($0.0) \(NumberText.count($0.1))" }.joined(separator: " · ")
    }

    private static func text(_ difference: ImportResult.Difference) -> String {
        let given = difference.given.isEmpty ? "not in the file" : "in the file: \(difference.given)"
        return "“\(difference.title)” \(difference.field.rawValue): \(difference.kept), \(given)"
    }
}
