/// Records that an app declares itself, in a store with no books.
enum SessionGroup {
    private static let repetitions = 100

    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        try context.home(.sessions, type).remove()
        let peer = try context.open(type, .sessions, .write)
        let (plan, count) = (context.plan, context.plan.sessionCount)
        try await peer.insert((0..<count).map { SessionRecord(number: $0, plan) })
        try await peer.compact()
        let page = try peer.sessions(offset: count / 2)
        let pages = try await Timing.of { blackHole(try peer.sessions(offset: count / 2)) }
        let sum = try peer.pageSum(days: SessionRecord.summedDays)
        let sums = try await Timing.of { blackHole(try peer.pageSum(days: SessionRecord.summedDays)) }
        let found = try peer.sessions(pages: SessionRecord.soughtPages)
        let filters = try await Timing.of { blackHole(try peer.sessions(pages: SessionRecord.soughtPages)) }
        let inserts = try await Timing.of(repetitions) { number in
            try await peer.insert([SessionRecord(number: count + number, plan)])
            return true
        }
        let sumAfter = try peer.pageSum(days: SessionRecord.summedDays)
        return [
            Measurement(workload: .sessionInsert, samples: inserts.samples, digest: Digest.of([sumAfter])),
            Measurement(workload: .sessionPage, samples: pages.samples, digest: Digest.of(page)),
            Measurement(workload: .sessionSum, samples: sums.samples, digest: Digest.of([sum])),
            Measurement(workload: .sessionFilter, samples: filters.samples, digest: Digest.of(found)),
        ]
    }
}
