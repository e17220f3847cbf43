/// One change at a time, and many writers at once, in a store whose files are cached; every commit is flushed to the device.
enum WriteGroup {
    private static let repetitions = 100
    private static let warmUpCount = 5
    private static let writerCount = 64
    private static let writesEach = 20

    /// So many of a round's new books are inserted, from the first on, and the last few.
    static let bookCount = repetitions + writerCount * writesEach

    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        try context.home(.copies, type).cache()
        let peer = try context.open(type, .copies, .write)
        let plan = context.plan
        let books = try NewBooks.ofRound(context.round, in: context.folder)
        let countBefore = try peer.statusCounts().reduce(0, +)
        // The first of a process also makes files.
        for book in books.suffix(warmUpCount) { try await peer.insert(book) }
        let inserts = try await Timing.of(repetitions) { number in
            try await peer.insert(books[number])
            return true
        }
        let firstRenaming = RenamingNumbers.write(round: context.round)
        let changes = (firstRenaming..<firstRenaming + repetitions).map(plan.renaming)
        let renames = try await Timing.of(repetitions) { number in
            try await peer.rename([changes[number]], durably: true)
            return true
        }
        // Later rounds have changed more.
        let changed = context.round == 0 ? Digest.of(try plan.anchors.compactMap { try peer.fullWork($0.id) }) : nil
        let lists = (0..<writerCount).map { writer in
            Array(books[(repetitions + writer * writesEach)...].prefix(writesEach))
        }
        let duration = try await ContinuousClock().measure { try await peer.insertConcurrently(lists) }
        let added = try peer.statusCounts().reduce(0, +) - countBefore
        guard added == warmUpCount + repetitions + writerCount * writesEach else {
            throw Failure("\(type.name) has \(added) works more than before it was given new ones")
        }
        let perSecond = writerCount * writesEach * 1_000_000_000 / max(1, duration.nanoseconds)
        return [
            Measurement(workload: .insert, samples: inserts.samples),
            Measurement(workload: .rename, samples: renames.samples, digest: changed),
            Measurement(workload: .concurrentInserts, samples: [perSecond]),
        ]
    }
}
