import BookDB

/// What `bookdb import` does with an export: the lines come in under their own identifiers.
struct LineImportCommand {
    let library: String
    let file: String
    let common: CommonOptions

    func run() async throws {
        let isNew = SystemCalls.isAbsent(library)
        let store = try NewLibrary.openedForImport(library, isNew: isNew)
        let start = ContinuousClock.now
        let progress = ProgressLine("importing")
        let importing = Task { [file] in
            let lines = try LineFile(file)
            let report = try await store.importLines(
                utf8: lines,
                report: { report in
                    progress.update(fraction: nil, NumberText.count(report.lineCount, "line"))
                })
            if let failure = lines.failure { throw failure }
            if lines.wasCancelled { throw LibraryError.cancelled }
            return report
        }
        let interruption = Interruption { importing.cancel() }
        defer {
            interruption.end()
            progress.clear()
        }
        let report: LineImport
        do {
            report = try await importing.value
            progress.clear()
            NewLibrary.removeIfUnused(library, store, isNew: isNew)
            try await store.close()
            let duration = ContinuousClock.now - start
            try Output.print(common.json ? [document(report, duration)] : lines(report, duration, common.style))
            if report.inserted > 0 { StandardError.say("→ bookdb inspect \(word: library)") }
        } catch LibraryError.cancelled {
            NewLibrary.removeIfUnused(library, store, isNew: isNew)
            try? await store.close()
            if SystemCalls.isAbsent(library) {
                StandardError.say("Interrupted. Nothing of \(shownFile) is in \(library).")
            } else {
                StandardError.say("Interrupted. What was taken in is in \(library), whole and safe.")
                StandardError.say("→ the same command goes on from there")
            }
            throw SilentEnd(status: Interruption.status)
        } catch {
            NewLibrary.removeIfUnused(library, store, isNew: isNew)
            try? await store.close()
            throw error
        }
        // What is no export of a library came to nothing.
        guard report.refused == 0 || report.inserted + report.known > 0 else { throw SilentEnd(status: .badInput) }
    }

    private var shownFile: String { file == "-" ? "standard input" : DisplayWidth.printable(file) }

    /// `bookdb.import-lines/1`
    private func document(_ report: LineImport, _ duration: Duration) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.import-lines/1")
            json.member("lines", report.lineCount)
            json.member("added", report.inserted)
            json.member("known", report.known)
            json.member("refused", report.refused)
            json.optional("firstNewLine", report.firstNewLine)
            json.array("refusals") { json in
                for refusal in report.refusals {
                    json.object { json in
                        json.member("line", refusal.line)
                        json.member("reason", refusal.reason)
                    }
                }
            }
            json.member("milliseconds", Int(duration / .milliseconds(1)))
        }
        return json.text
    }

    /// What was refused comes first, then what came in.
    private func lines(_ report: LineImport, _ duration: Duration, _ style: Style) -> [String] {
        var lines = [style.bold(shownFile) + "    an export of a library"]
        var table = TextTable([.init(), .init(alignment: .right), .init(leastWidth: 20)])
        if report.refused > 0 { table.add(["refused", NumberText.count(report.refused, "line"), ""]) }
        // Where an import that was broken off went on.
        let first = report.known > 0 ? report.firstNewLine : nil
        let start = first.map { "from line \(NumberText.count($0)) on" } ?? ""
        table.add(["added", NumberText.count(report.inserted, "line"), start])
        if report.known > 0 {
            table.add(["skipped", NumberText.count(report.known, "line"), "here already, as they are"])
        }
        lines += table.lines(indent: 2)
        lines += RemarkList.lines(report.refusals.map { ($0.line, $0.reason) }, of: report.refused)
        lines.append("\(library)  \(NumberText.count(report.lineCount, "line")) in \(NumberText.duration(duration))")
        return lines
    }
}
