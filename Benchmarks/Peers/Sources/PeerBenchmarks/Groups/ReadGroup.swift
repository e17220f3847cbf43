/// Lists, searches, counts and whole works, warm.
enum ReadGroup {
    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let peer = try context.open(type, .stores, .read)
        let plan = context.plan
        var all = try await lists(peer, plan)
        all.append(
            try await Measurement.timed(.statusCounts, Digest.of) { try peer.statusCounts() })
        for (workload, needle) in zip(Workload.searches, Plan.needles) {
            all.append(try await Measurement.timed(workload, Digest.of) { try peer.search(needle) })
        }
        for (workload, needle) in zip(Workload.rankedSearches, Plan.rankedNeedles)
        where try peer.rankedSearch(needle) != nil {
            // Each store ranks in its own way; the number of rows is what they share.
            let count = { (rows: [ListRow]?) in Digest.of([rows?.count ?? 0]) }
            all.append(try await Measurement.timed(workload, count) { try peer.rankedSearch(needle) })
        }
        all.append(
            try await Measurement.timed(.searchCount) {
                Digest.of([$0])
            } _: {
                try await peer.searchCount(Plan.counted)
            })
        all.append(try await fullWorks(peer, plan))
        return all
    }

    private static func lists(_ peer: some Peer, _ plan: Plan) async throws -> [Measurement] {
        [
            try await Measurement.timed(.firstPage, Digest.of) { try peer.page(offset: 0) },
            try await Measurement.timed(.middlePage, Digest.of) { try peer.page(offset: plan.workCount / 2) },
            try await Measurement.timed(.cursorPage, Digest.of) { try peer.page(after: plan.middle) },
            try await Measurement.timed(.prefixPage, Digest.of) {
                try peer.page(prefix: plan.prefix, key: plan.prefixKey)
            },
            try await Measurement.timed(.statusPage, Digest.of) { try peer.page(status: Plan.status, offset: 0) },
            try await Measurement.timed(.statusMiddle, Digest.of) {
                try peer.page(status: Plan.status, offset: plan.statusCount / 2)
            },
        ]
    }

    private static func fullWorks(_ peer: some Peer, _ plan: Plan) async throws -> Measurement {
        let all = try plan.anchors.compactMap { try peer.fullWork($0.id) }
        let timing = try await Timing.of(300) { number in
            blackHole(try peer.fullWork(plan.anchors[number * 7919 % plan.anchors.count].id))
            return true
        }
        return Measurement(workload: .fullWork, samples: timing.samples, digest: Digest.of(all))
    }
}
