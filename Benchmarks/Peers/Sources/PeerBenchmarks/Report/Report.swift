import Foundation

/// The figures of a run.
struct Report: Encodable {
    struct Row: Encodable {
        let workload: Workload
        let title: String
        let unit: MeasuredUnit
        let stores: [String: Figure]
        let digest: String?
        /// BookDB's cost in terms of the best peer's: below 1, BookDB needs less.
        let ratio: Double?
    }

    let works: Int
    let library: String?
    let date: String
    let machine: Machine
    let storeByteCount: Int
    let loggedChangeCount: Int
    let sessionCount: Int
    let rows: [Row]

    init(plan: Plan, library: String?, results: Results, folder: String) {
        works = plan.workCount
        self.library = library.map { URL(filePath: $0).lastPathComponent }
        date = Date().formatted(.iso8601)
        machine = Machine(folder: folder)
        storeByteCount = plan.storeByteCount
        loggedChangeCount = results.loggedChangeCount
        sessionCount = plan.sessionCount
        rows = Workload.allCases.compactMap { workload in
            guard let samples = results.samples[workload] else { return nil }
            let stores = samples.compactMapValues { Figure($0) }
            return Row(
                workload: workload, title: workload.title, unit: workload.unit, stores: stores,
                digest: results.digests[workload].map { String($0, radix: 16) },
                ratio: Self.ratio(stores, workload))
        }
    }

    private static func ratio(_ stores: [String: Figure], _ workload: Workload) -> Double? {
        let unit = workload.unit
        let peers = Peers.all.dropFirst().compactMap { stores[$0.key]?.median }
        guard let own = stores[BookDBPeer.key]?.median,
            let best = unit.moreIsBetter ? peers.max() : peers.min(), best > 0, own > 0
        else { return nil }
        return unit.moreIsBetter ? Double(best) / Double(own) : Double(own) / Double(best)
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
