import BookDB

/// A repair as people read it.
struct RepairSheet {
    private let report: RepairReport
    private let output: String?
    private let style: Style

    /// As many lost records and places as fit a screen; `--lost` and `--json` have all.
    private static let shownItems = 8
    private static let shownPlaces = 4

    /// - Parameter output: `nil` for a dry run.
    init(_ report: RepairReport, output: String?, _ style: Style) {
        self.report = report
        self.output = output
        self.style = style
    }

    var lines: [String] {
        var lines = [output.map { "Saved in \($0)" } ?? "Would save"]
        lines += table.lines(indent: 2, heading: style.faint)
        for commits in report.missingCommits {
            let words =
                commits.lowerBound == commits.upperBound
                ? "Commit \(NumberText.count(Int(clamping: commits.lowerBound))) cannot be read"
                : "Commits \(NumberText.count(Int(clamping: commits.lowerBound))) to \(NumberText.count(Int(clamping: commits.upperBound))) cannot be read"
            lines.append("  \(words): what they changed is as it was before.")
        }
        if let end = report.lostEnd { lines += Paragraph.lines(words(end)) }
        lines += itemLines("LOST", report.lost) + itemLines("MADE ANEW, without", report.madeAnew)
        for place in report.damage.prefix(Self.shownPlaces) { lines += place.lines(style) }
        if report.damage.count > Self.shownPlaces {
            let others = report.damage.count - Self.shownPlaces
            lines.append("        and \(NumberText.count(others, "more place", "more places")); --json has all")
        }
        lines.append(conclusion)
        return lines
    }

    private func words(_ end: DamagedPlace) -> String {
        let commit = report.lastCommit.map { "after commit \(NumberText.count(Int(clamping: $0)))" } ?? "last"
        let name = end.file.split(separator: "/").last ?? ""
        return "What was committed \(commit) is lost, and nothing says how much that is. \(name): \(end.finding)."
    }

    private var table: TextTable {
        var table = TextTable([
            .init(), .init(title: "saved", alignment: .right), .init(title: "made anew", alignment: .right),
            .init(title: "lost", alignment: .right), .init(),
        ])
        let books = BookStore.lostKinds.map { ($0.plural, report[$0]) }
        let others = report.kinds.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        for (name, tally) in books + others {
            var remarks: [String] = []
            if tally.unnamed > 0 { remarks.append("of \(NumberText.count(tally.unnamed)) nothing is known") }
            if tally.mayLackMore { remarks.append("perhaps more: nothing says how many there were") }
            table.add([
                name, NumberText.count(tally.saved), NumberText.count(tally.madeAnew),
                NumberText.count(tally.lost),
                remarks.joined(separator: "; "),
            ])
        }
        return table
    }

    /// As many lines as the table counts, but for those that nothing names.
    private func itemLines(_ title: String, _ items: [LostItem]) -> [String] {
        guard !items.isEmpty else { return [] }
        var table = TextTable([.init(), .init(), .init(leastWidth: 20), .init(leastWidth: 20)])
        for item in items.prefix(Self.shownItems) {
            table.add([item.kind.rawValue, item.id, item.title.map { "“\($0)”" } ?? "", item.loss])
        }
        var lines = [style.bold(title)] + table.lines(indent: 2)
        if items.count > Self.shownItems {
            lines.append("  and \(NumberText.count(items.count - Self.shownItems)) more; --lost FILE lists all")
        }
        return lines
    }

    private var conclusion: String {
        let state = report.isComplete ? "Every record" : "What could be read"
        return output == nil
            ? "\(state) would be saved. Nothing was written."
            : "\(state) was saved, and the new library was found sound. The damaged one was not touched."
    }
}

extension LostItem.Kind {
    fileprivate var plural: String { self == .entry ? "entries" : rawValue + "s" }
}

/// A repair as one JSON document.
struct RepairDocument {
    let text: String

    init(_ report: RepairReport, _ library: String, output: String?) {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.repair/1")
            json.member("library", library)
            json.optional("output", output)
            json.member("dryRun", output == nil)
            json.member("complete", report.isComplete)
            json.object("records") { json in
                for kind in BookStore.lostKinds { Self.write(report[kind], named: kind.plural, to: &json) }
            }
            json.object("kinds") { json in
                for (kind, tally) in report.kinds.sorted(by: { $0.key < $1.key }) {
                    Self.write(tally, named: kind, to: &json)
                }
            }
            json.array("missingCommits") { json in
                for commits in report.missingCommits {
                    json.object { json in
                        json.member("from", commits.lowerBound)
                        json.member("to", commits.upperBound)
                    }
                }
            }
            if let end = report.lostEnd {
                json.object("lostEnd") { json in
                    json.optional("after", report.lastCommit)
                    json.member("file", end.file)
                    json.member("finding", end.finding)
                }
            } else {
                json.null("lostEnd")
            }
            json.array("lost") { json in report.lost.forEach { json.element(json: $0.jsonLine()) } }
            json.array("madeAnew") { json in report.madeAnew.forEach { json.element(json: $0.jsonLine()) } }
            json.array("damage") { json in report.damage.forEach { $0.write(to: &json) } }
        }
        text = json.text
    }

    private static func write(_ tally: RepairReport.Tally, named name: String, to json: inout JSONWriter) {
        json.object(name) { json in
            json.member("saved", tally.saved)
            json.member("madeAnew", tally.madeAnew)
            json.member("lost", tally.lost)
            json.member("unnamed", tally.unnamed)
            json.member("mayLackMore", tally.mayLackMore)
        }
    }
}
