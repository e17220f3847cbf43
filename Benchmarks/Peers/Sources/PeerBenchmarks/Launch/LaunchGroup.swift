/// The launch of an app with a list of books: it opens, shows fifty rows, counts the statuses, and searches.
enum LaunchGroup {
    /// As many works get another title before some launches.
    static let changeCount = 26_500
    private static let commitCount = 100

    /// Changes titles of as many works, a hundred in each commit, and copies the files while the store is open. The newest change is
    /// durable.
    static func change<Store: LaunchedStore>(_ type: Store.Type, _ context: Context) async throws {
        try context.home(.stores, type).copy(to: context.home(.copies, type).path)
        let store = try Store.launch(path: context.home(.copies, type).path + "/store")
        try await store.ready()
        let rows = try ids(store, min(changeCount, context.plan.workCount))
        var number = 0
        while number < rows.count {
            let changes = rows[number..<min(rows.count, number + commitCount)].enumerated().map { index, row in
                renaming(row, number + index, context.plan)
            }
            number += changes.count
            try await store.rename(changes, durably: number == rows.count)
        }
        try context.home(.copies, type).copy(to: context.home(.crashed, type).path)
    }

    private static func ids(_ store: some Peer, _ count: Int) throws -> [ListRow] {
        var rows: [ListRow] = []
        while rows.count < count { rows += try store.page(offset: rows.count) }
        return Array(rows.prefix(count))
    }

    /// The work goes somewhere else in the list.
    private static func renaming(_ row: ListRow, _ number: Int, _ plan: Plan) -> Renaming {
        let numbered = RenamingNumbers.launch + number
        let filed = plan.newTitles[number * 7919 % plan.newTitles.count]
        let title = "\(filed.title) \(numbered)"
        return Renaming(
            id: row.id, title: title, place: filed.place(numbered: numbered),
            key: filed.key + withUnsafeBytes(of: UInt32(numbered).bigEndian) { Array($0) },
            text: SearchText.fold([title, row.authors]))
    }

    /// One launch: the first of its process.
    static func launch<Store: LaunchedStore>(
        _ type: Store.Type, _ state: LaunchState, _ context: Context
    ) async throws -> [Measurement] {
        let home = context.home(.copies, type)
        if state.isEvicted { try home.evict() }
        let start = ContinuousClock.now
        var last = start
        func lap() -> Int {
            let now = ContinuousClock.now
            defer { last = now }
            return last.duration(to: now).nanoseconds
        }
        let store = try Store.launch(path: home.path + "/store")
        let call = lap()
        let rows = try await store.firstRows()
        let first = lap()
        let counts = try store.statusCounts()
        let counting = lap()
        let found = try store.search(Plan.counted)
        let search = lap()
        let whole = start.duration(to: last).nanoseconds
        guard rows.count == 50, found.count == 50 else {
            throw Failure("\(type.name) starts with \(rows.count) rows and finds \(found.count)")
        }
        try await store.ready()
        let ready = lap()
        // While changes are read BookDB has rows of before them.
        let shown = try store.page(offset: 0)
        return [
            Measurement(workload: .launchCall, samples: [call]),
            Measurement(workload: .launchRows, samples: [first], digest: Digest.of(shown)),
            Measurement(workload: .launchCounts, samples: [counting], digest: Digest.of(counts)),
            Measurement(workload: .launchSearch, samples: [search]),
            Measurement(workload: .launchWhole, samples: [whole]),
            Measurement(workload: .launchReady, samples: [whole + ready]),
        ]
    }
}
