/// A store of which nothing is cached, as after its device was started: what is read and written first, each time somewhere else.
enum UncachedGroup {
    private static let readCount = 10
    private static let writeCount = 20

    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let plan = context.plan
        let books = try NewBooks.ofRound(context.round, in: context.folder)
            .dropFirst(WriteGroup.bookCount).prefix(writeCount)
        try context.home(.copies, type).evict()
        let peer = try context.open(type, .copies, .write)
        func anchor(_ number: Int) -> Anchor {
            plan.anchors[(context.round * 2 * readCount + number) * 7919 % plan.anchors.count]
        }
        let start = ContinuousClock.now
        let found = try peer.search(Plan.needles[1])
        let search = start.duration(to: .now)
        var (pages, works): ([ListRow], [FullWork]) = ([], [])
        let paging = try await Timing.of(readCount) { number in
            pages += try peer.page(after: anchor(number))
            return true
        }
        let reading = try await Timing.of(readCount) { number in
            if let work = try peer.fullWork(anchor(readCount + number).id) { works.append(work) }
            return true
        }
        let inserting = try await Timing.of(writeCount) { number in
            try await peer.insert(books[books.startIndex + number])
            return true
        }
        let first = RenamingNumbers.uncached(round: context.round)
        let changes = (first..<first + writeCount).map(plan.renaming)
        let renaming = try await Timing.of(writeCount) { number in
            try await peer.rename([changes[number]], durably: true)
            return true
        }
        // Later rounds find what those before them have written, and read elsewhere.
        func digest(_ value: @autoclosure () -> UInt64) -> UInt64? { context.round == 0 ? value() : nil }
        return [
            Measurement(
                workload: .uncachedSearch, samples: [search.nanoseconds], digest: digest(Digest.of(found))),
            Measurement(workload: .uncachedPage, samples: paging.samples, digest: digest(Digest.of(pages))),
            Measurement(workload: .uncachedWork, samples: reading.samples, digest: digest(Digest.of(works))),
            Measurement(workload: .uncachedInsert, samples: inserting.samples),
            Measurement(workload: .uncachedRename, samples: renaming.samples),
        ]
    }
}
