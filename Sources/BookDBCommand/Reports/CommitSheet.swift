import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Commits of a log for people and for programs.
enum CommitSheet {
    /// A line for each.
    static func table(_ commits: [LoggedCommit], now: Date, style: Style) -> [String] {
        var table = TextTable([
            .init(title: "COMMIT", alignment: .right), .init(title: "WHEN"),
            .init(title: "RECORDS", leastWidth: 16), .init(title: "IN THE LOG", alignment: .right),
        ])
        for commit in commits {
            table.add([
                NumberText.count(Int(clamping: commit.number)), TimeText.ago(commit.date, now: now), words(commit),
                NumberText.bytes(commit.byteCount),
            ])
        }
        return table.lines(heading: style.bold)
    }

    /// Of a commit, as many records as fit a screen; `--json` and `--jsonl` have all.
    private static let shownChanges = 20

    /// A commit with the records that it changed.
    static func lines(_ commit: LoggedCommit, time: String, style: Style) -> [String] {
        let number = NumberText.count(Int(clamping: commit.number))
        let title = title(commit).map { "  \($0)" } ?? ""
        let head = style.bold("commit \(number)") + "  \(time)  \(NumberText.bytes(commit.byteCount))\(title)"
        guard !commit.changes.isEmpty else { return [head, "  \(records(commit))"] }
        var table = TextTable([.init(), .init(), .init(), .init(leastWidth: 12)])
        for change in commit.changes.prefix(shownChanges) {
            table.add([change.what.rawValue, change.kind, change.id, change.text])
        }
        let hiddenCount = commit.changes.count - shownChanges
        let rest = hiddenCount > 0 ? ["  and \(NumberText.count(hiddenCount)) more; --jsonl has all"] : []
        return [head] + table.lines(indent: 2) + rest
    }

    /// A commit as it is followed: the width of no other is known.
    static func line(_ commit: LoggedCommit) -> String {
        let number = NumberText.count(Int(clamping: commit.number))
        let padding = String(repeating: " ", count: max(0, 8 - number.count))
        let line = "\(padding)\(number)  \(TimeText.second(commit.date))  \(words(commit))"
        return DisplayWidth.fitted(line, to: TextTable.maximumWidth)
    }

    /// What a commit is called, and which it takes back: `undoes 18,399 “Delete work”`.
    private static func title(_ commit: LoggedCommit) -> String? {
        let undone = commit.undoneCommit.map { "undoes \(NumberText.count(Int(clamping: $0)))" }
        let name = commit.name.map { "“\(DisplayWidth.fitted($0, to: 60))”" }
        let parts = [undone, name].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// `2 works, 1 edition inserted · 1 author updated`, and what the commit is called.
    static func words(_ commit: LoggedCommit) -> String {
        ([records(commit)] + [title(commit)].compactMap { $0 }).joined(separator: "  ")
    }

    private static func records(_ commit: LoggedCommit) -> String {
        let counts = commit.counts
        let groups = LoggedCommit.What.allCases.compactMap { what -> String? in
            let kinds = counts.filter { $0.what == what }.map { count in
                NumberText.count(count.count, count.kind, count.plural)
            }
            return kinds.isEmpty ? nil : kinds.joined(separator: ", ") + " \(what.rawValue)"
        }
        return groups.isEmpty ? "no records" : groups.joined(separator: " · ")
    }

    /// How the log ends, where that is worth a word.
    static func lines(_ end: LibraryLog.End, style: Style) -> [String] {
        switch end {
        case .clean: return []
        case .torn(let file, let byteOffset, let byteCount):
            return Paragraph.lines(
                "The log ends with \(NumberText.count(byteCount, "byte")) of a write that is not finished, from byte "
                    + "\(NumberText.count(byteOffset)) of \(name(file)) on. No commit needs them.", indent: 0)
        case .damaged(let file, let byteOffset, let finding):
            var lines = Paragraph.lines("byte \(NumberText.count(byteOffset)) of \(name(file))", indent: 8)
            lines += Paragraph.lines(finding, indent: 8)
            lines[0] = style.red("DAMAGE") + "  " + lines[0].dropFirst(8)
            return lines
        }
    }

    private static func name(_ file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    // MARK: For programs

    static func write(_ commit: LoggedCommit, withChanges: Bool, to json: inout JSONWriter) {
        json.member("commit", commit.number)
        json.member("time", TimeText.text(commit.date))
        json.member("bytes", commit.byteCount)
        json.optional("name", commit.name)
        if let undone = commit.undoneCommit { json.member("undoes", undone) }
        json.array("records") { json in
            for count in commit.counts {
                json.object { json in
                    json.member("kind", count.kind)
                    json.member("what", count.what.rawValue)
                    json.member("count", count.count)
                }
            }
        }
        guard withChanges else { return }
        json.array("changes") { json in
            for change in commit.changes {
                json.object { json in
                    json.member("kind", change.kind)
                    json.member("id", change.id)
                    json.member("what", change.what.rawValue)
                    json.member("text", change.text)
                }
            }
        }
    }

    /// What precedes the log, and how it ends.
    static func write(_ log: LibraryLog, to json: inout JSONWriter) {
        json.object("snapshot") { json in
            json.member("commit", log.snapshotCommit)
            json.optional("time", log.snapshotDate.map(TimeText.text))
        }
        json.object("end") { json in
            switch log.end {
            case .clean: json.member("state", "clean")
            case .torn(let file, let byteOffset, let byteCount):
                json.member("state", "torn")
                json.member("file", file)
                json.member("offset", byteOffset)
                json.member("length", byteCount)
            case .damaged(let file, let byteOffset, let finding):
                json.member("state", "damaged")
                json.member("file", file)
                json.member("offset", byteOffset)
                json.member("finding", finding)
            }
        }
    }
}
