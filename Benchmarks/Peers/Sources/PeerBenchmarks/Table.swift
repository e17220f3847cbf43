/// Workloads by store, and what BookDB answered to each.
struct Table {
    private var workloads: [String] = []
    private var stores: [String] = []
    private var medians: [String: [String: Int]] = [:]
    private var digests: [String: [Int64]] = [:]
    private var notes: [String] = []
    var counts: [Int] = []

    mutating func set(_ workload: String, _ store: String, _ nanoseconds: Int) {
        if !workloads.contains(workload) { workloads.append(workload) }
        if !stores.contains(store) { stores.append(store) }
        medians[workload, default: [:]][store] = nanoseconds
    }

    mutating func note(_ text: String) { notes.append(text) }

    mutating func digest(_ workload: String, _ rows: [ListRow]) { digests[workload] = rows.map(\.id) }

    func compare(_ workload: String, _ store: String, _ rows: [ListRow]) throws {
        guard digests[workload] == rows.map(\.id) else {
            throw PeerBenchmarks.Mismatch(message: "\(store) answers “\(workload)” otherwise than BookDB")
        }
    }

    var markdown: String {
        var lines = ["| workload | " + stores.joined(separator: " | ") + " | BookDB ÷ best peer |"]
        lines.append("|---|" + String(repeating: "---:|", count: stores.count + 1))
        for workload in workloads {
            let row = medians[workload] ?? [:]
            let cells = stores.map { row[$0]?.time ?? "" }
            let best = row.filter { $0.key != BookDBPeer.name && $0.key != "floor" }.values.min()
            var ratio = ""
            if let best, let own = row[BookDBPeer.name] { ratio = "\(Double(own * 100 / max(1, best)) / 100)" }
            lines.append("| \(workload) | " + cells.joined(separator: " | ") + " | \(ratio) |")
        }
        return (lines + [""] + notes).joined(separator: "\n")
    }
}
