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

    static func ratio(_ ratio: Double) -> String {
        ratio < 0.1 ? "\((ratio * 10_000).rounded() / 10_000)" : "\((ratio * 100).rounded() / 100)"
    }

    private var notes: String {
        """
        Medians, with the 99th percentile behind (“≤”: the longest of fewer than a hundred). The last column is what BookDB needs for \
        what the best peer needs 1: less is better, also where more a second is. Answers were compared by all their fields and are the \
        same in every store; of a search, the works that hold the needle as it is typed in title, authors or other names; of the best \
        fifty, how many they are, since each store ranks in its own way.

        Every store flushes what is durable: SQLite and GRDB with WAL and synchronous = FULL, LMDB and RocksDB with a sync of each \
        commit, BookDB as it does anyway. BookDB and RocksDB check checksums; SQLite and LMDB have none. A new process is that of the \
        measurement; a file that is not cached was dropped with posix_fadvise, the disk behind may keep it; closing is not part of an \
        opening. The works that are inserted are different ones with authors, editions and entries, and file all over the list; a \
        changed title files elsewhere. An app's records, \(report.sessionCount) of them, have a store without books.

        An import begins with an empty store, in commits of ten thousand or, into BookDB, as one load, and is flushed at its end; the \
        peers are given the works in title order and with their places in it, and flush nothing before the end, RocksDB without its log; \
        BookDB is given them as they arrived. Its memory is looked at every ten milliseconds; that of scrolling is private and dirty. Before the crash \
        \(report.loggedChangeCount) titles were changed, a hundred in a commit, and each store checkpointed, flushed or compacted when it would; \
        the files of the running store were copied and opened to write.

        “Floor” is what the machine needs for the least: fifty rows copied out of one buffer; 600 bytes written over those of a file and \
        flushed with fdatasync; \(report.storeByteCount) bytes, those of BookDB's compacted library, written and flushed.
        """
    }
}
