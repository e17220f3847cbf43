/// The rows of a report for people.
struct MarkdownTable {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        let stores = Peers.all.map { (key: $0.key, name: $0.name) } + [(key: Floor.key, name: "floor")]
        let names = stores.map(\.name).joined(separator: " | ")
        var lines = [
            "\(report.works) works\(report.library.map { " of \($0)" } ?? ", invented"); \(report.machine.text).",
            "",
            "| | \(names) | BookDB ÷ best peer |",
            "|---|" + String(repeating: "---:|", count: stores.count + 1),
        ]
        for row in report.rows {
            let cells = stores.map { row.stores[$0.key]?.text(row.workload) ?? "" }
            lines.append(
                "| \(row.title) | \(cells.joined(separator: " | ")) | \(row.ratio.map(Self.ratio) ?? "") |")
        }
        return (lines + ["", notes]).joined(separator: "\n")
    }

    private static func ratio(_ ratio: Double) -> String {
        ratio < 0.1 ? "\((ratio * 10_000).rounded() / 10_000)" : "\((ratio * 100).rounded() / 100)"
    }

    private var notes: String {
        """
        Medians, with the 99th percentile behind (“≤”: the longest of fewer than a hundred). The last column is what BookDB needs for \
        what the best peer needs 1: less is better, also where more a second is. Rows that show works were compared and are the same in \
        every store. “Floor” is what the machine needs for the least: 600 bytes appended and flushed; fifty rows copied out of one \
        buffer; \(report.storeByteCount) bytes written and flushed. The log that is opened holds \(report.loggedChangeCount) changed \
        titles.
        """
    }
}
