/// What a run found of launches, for people.
struct LaunchTable {
    private let count: Int
    private let machine: Machine
    private let launches: [LaunchState: Results]
    private let openings: Results

    /// The stores that are opened, BookDB first.
    static let peers: [any Peer.Type] = [BookDBPeer.self, GRDBPeer.self, LMDBPeer.self]

    init(_ options: Options, launches: [LaunchState: Results], openings: Results) {
        count = options.works
        machine = Machine(folder: options.folder)
        self.launches = launches
        self.openings = openings
    }

    var text: String {
        var lines = ["\(count) works; \(machine.text)."]
        for state in LaunchState.allCases {
            guard let results = launches[state] else { continue }
            lines += ["", "A launch: \(state.title)", ""] + table(results, LaunchedStores.all)
        }
        lines += ["", "Opened for writing after a clean close", ""] + table(openings, Self.peers)
        return (lines + ["", notes]).joined(separator: "\n")
    }

    private func table(_ results: Results, _ stores: [any Peer.Type]) -> [String] {
        let others = stores.dropFirst()
        var lines = [
            "| | \((stores.map { $0.name } + others.map { "BookDB ÷ \($0.name)" }).joined(separator: " | ")) |",
            "|---|" + String(repeating: "---:|", count: stores.count + others.count),
        ]
        for workload in Workload.allCases {
            guard let samples = results.samples[workload] else { continue }
            let figures = samples.compactMapValues { Figure($0) }
            let cells = stores.map { figures[$0.key]?.text(workload) ?? "" }
            let ratios = others.map { ratio(figures[BookDBPeer.key], figures[$0.key]) }
            lines.append("| \(workload.title) | \((cells + ratios).joined(separator: " | ")) |")
        }
        return lines
    }

    private func ratio(_ own: Figure?, _ other: Figure?) -> String {
        guard let own, let other, other.median > 0 else { return "" }
        return MarkdownTable.ratio(Double(own.median) / Double(other.median))
    }

    private var notes: String {
        """
        Medians of one launch a process, the longest after them. GRDB opens a pool and asks a migrator whether there is anything to do, which the \
        caller waits for; BookDB opens in the background and is waited for 0.7 ms at the most. Rows are counted from the end of that call. While \
        BookDB reads its log it shows, counts and searches what its snapshot holds; “all there” is when the changes are, too. Then the \
        rows of both are the same, and so are the counts.
        """
    }
}
