/// One change at a time, and many writers at once; every commit is flushed to the device.
enum WriteGroup {
    private static let repetitions = 100
    private static let warmUpCount = 5
    private static let writerCount = 64
    private static let writesEach = 20

    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let peer = try context.open(type, .copies, .write)
        let plan = context.plan
        let first = context.round * 2000
        let books = (first..<first + 2000).map(plan.newBook)
        // The first of a process also makes files.
        for book in books.suffix(warmUpCount) { try await peer.insert(book) }
        let inserts = try await Timing.of(repetitions) { number in
            try await peer.insert(books[number])
            return true
        }
        let changes = (first..<first + repetitions).map(plan.renaming)
        let renames = try await Timing.of(repetitions) { number in
            try await peer.rename([changes[number]], durably: true)
            return true
        }
        let lists = (0..<writerCount).map { writer in
            Array(books[(repetitions + writer * writesEach)...].prefix(writesEach))
        }
        let duration = try await ContinuousClock().measure { try await peer.insertConcurrently(lists) }
        let perSecond = writerCount * writesEach * 1_000_000_000 / max(1, duration.nanoseconds)
        return [
            Measurement(workload: .insert, samples: inserts.samples),
            Measurement(workload: .rename, samples: renames.samples),
            Measurement(workload: .concurrentInserts, samples: [perSecond]),
        ]
    }
}
