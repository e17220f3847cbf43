/// What a run found of a ledger, for people: the tables of SQLite, then the figures.
struct LedgerTable {
    private let count: Int
    private let machine: Machine
    private let results: Results

    init(_ options: Options, _ results: Results) {
        count = options.works
        machine = Machine(folder: options.folder)
        self.results = results
    }

    var text: String {
        let stores = LedgerStores.all.map { (key: $0.key, name: $0.name) } + [(key: Floor.key, name: "floor")]
        var lines = [
            "\(count) transfers of \(LedgerPlan.accountCount) accounts; \(machine.text).", "", "What SQLite keeps:", "",
            "```sql", SQLiteLedgerSchema.sql, "```", "",
            "| | \(stores.map(\.name).joined(separator: " | ")) | BookDB ÷ SQLite |",
            "|---|" + String(repeating: "---:|", count: stores.count + 1),
        ]
        for workload in Workload.allCases {
            guard let samples = results.samples[workload] else { continue }
            let figures = samples.compactMapValues { Figure($0) }
            let cells = stores.map { figures[$0.key]?.text(workload) ?? "" }
            lines.append("| \(workload.title) | \(cells.joined(separator: " | ")) | \(ratio(figures)) |")
        }
        return (lines + ["", notes]).joined(separator: "\n")
    }

    private func ratio(_ figures: [String: Figure]) -> String {
        guard let own = figures[BookDBLedger.key]?.median, let other = figures[SQLiteLedger.key]?.median, other > 0
        else { return "" }
        return MarkdownTable.ratio(Double(own) / Double(other))
    }

    private var notes: String {
        """
        Medians, with the 99th percentile after them (“≤”: the longest of fewer than a hundred). The last column is what BookDB needs \
        for what SQLite needs 1. All answers of both were compared by all their fields, and are the same; of a search, how many notes \
        have both words. After each write the balance, the months and the newest fifty were.

        Both flush what is durable: SQLite with WAL and synchronous = FULL. Before they are read both are compacted, and SQLite \
        has analysed its tables. Both read one snapshot, which is a transaction in SQLite, by lists and statements that were made \
        before, but for what is as of now. The statement is that of one account, a fifth of all transfers. SQLite keeps balances by \
        its triggers; a running sum is the balance without what is newer, and where a sum is reached is found by adding up rows until \
        it is. For fifty by identifier SQLite is given the identifier, BookDB an offset. A thousand are inserted after 200 edits; \
        the app counts the months that SQLite keeps. “Floor” is 600 bytes written over those of a file and flushed with fdatasync.
        """
    }
}
