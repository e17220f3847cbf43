/// A ledger in BookDB and in SQLite at some sizes: a process for each part, the stores in turn, and the other one first in each round.
struct LedgerSuite {
    private let options: Options
    private let sizes: [Int]

    private static let insertRounds = 5
    private static let readRounds = 5
    private static let writeRounds = 5

    init(_ options: Options) {
        self.options = options
        sizes = options.sizes.isEmpty ? [19_000] : options.sizes
    }

    /// Prints a table for each size.
    func run() throws {
        for size in sizes {
            let options = try Options([options.folder, "\(size)", "--ledger"])
            print(LedgerTable(options, try measured(options)).text)
        }
    }

    private func measured(_ options: Options) throws -> Results {
        let folder = FileTree(path: options.runFolder)
        try folder.remove()
        try folder.make()
        var results = Results()
        try measure(.insert, rounds: Self.insertRounds, options, &results)
        try measure(.settle, rounds: 1, options, &results)
        try measure(.read, rounds: Self.readRounds, options, &results)
        try measure(.write, rounds: Self.writeRounds, options, &results)
        try folder.remove()
        Progress.tell("")
        return results
    }

    private func measure(
        _ group: LedgerGroup, rounds: Int, _ options: Options, _ results: inout Results
    ) throws {
        for round in 0..<rounds {
            for store in LedgerStores.all.turned(round) {
                Progress.tell(
                    "\(options.works) transfers, \(store.name), \(group.rawValue), \(round + 1) of \(rounds)")
                if group == .write { try copy(store.key, options.runFolder) }
                try measure(group, store.key, options, &results)
                if group == .insert { try keepFirst(store.key, options.runFolder) }
            }
            if group == .write { try measure(group, Floor.key, options, &results) }
        }
    }

    private func measure(
        _ group: LedgerGroup, _ store: String, _ options: Options, _ results: inout Results
    ) throws {
        try results.add(store, Part.measured("\(store):\(group.rawValue)", options).measurements)
    }

    /// The first ledger of each store is what is read later.
    private func keepFirst(_ store: String, _ folder: String) throws {
        let made = FileTree(path: Context.home(folder, .imports, store))
        let kept = FileTree(path: Context.home(folder, .stores, store))
        if kept.exists {
            try made.remove()
        } else {
            try FileTree(path: "\(folder)/\(Home.stores.rawValue)").make()
            try made.move(to: kept.path)
        }
    }

    private func copy(_ store: String, _ folder: String) throws {
        try FileTree(path: Context.home(folder, .stores, store)).copy(to: Context.home(folder, .copies, store))
    }
}
