/// Launches of an app with BookDB and with GRDB, and openings for writing beside LMDB: a process for each, the stores in turn, and another
/// one first in each round.
struct LaunchSuite {
    private let options: Options
    private let sizes: [Int]

    private static let rounds = 15

    init(_ options: Options) {
        self.options = options
        sizes = options.sizes.isEmpty ? [100_000] : options.sizes
    }

    /// Prints a table for each size.
    func run() async throws {
        for size in sizes {
            let options = try Options([options.folder, "\(size)", "--launch"])
            print(LaunchTable(options, launches: try await launches(options), openings: try openings(options)).text)
            try FileTree(path: options.runFolder).remove()
        }
    }

    private func launches(_ options: Options) async throws -> [LaunchState: Results] {
        let folder = options.runFolder
        try FileTree(path: folder).remove()
        try FileTree(path: folder).make()
        Progress.tell("making the library")
        _ = try await Source(options).prepare()
        try fill(options)
        var results: [LaunchState: Results] = [:]
        for state in LaunchState.allCases {
            var found = Results()
            for round in 0..<Self.rounds {
                for store in LaunchedStores.all.turned(round) {
                    Progress.tell(
                        "\(options.works) works, \(store.name), \(state.title), \(round + 1) of \(Self.rounds)")
                    // A launch leaves traces in the files, so each has its own.
                    try copy(store.key, state.home, options)
                    try found.add(store.key, Part.measured("\(store.key):\(state.rawValue)", options).measurements)
                }
            }
            results[state] = found
        }
        return results
    }

    /// All stores with the books of BookDB's, and those that are launched with changed titles as well.
    private func fill(_ options: Options) throws {
        for peer in LaunchTable.peers.dropFirst() {
            Progress.tell("\(options.works) works, \(peer.name), import")
            _ = try Part.measured("\(peer.key):\(Group.import.rawValue)", options)
            try FileTree(path: Context.home(options.runFolder, .imports, peer.key))
                .move(to: Context.home(options.runFolder, .stores, peer.key))
            _ = try Part.measured("\(peer.key):\(Group.settle.rawValue)", options)
        }
        for store in LaunchedStores.all {
            Progress.tell("\(options.works) works, \(store.name), changed titles")
            _ = try Part.measured("\(store.key):\(LaunchPart.change)", options)
        }
    }

    private func openings(_ options: Options) throws -> Results {
        var results = Results()
        for group in [Group.openWritingNew, .openWritingEvicted] {
            for round in 0..<Self.rounds {
                for peer in LaunchTable.peers.turned(round) {
                    Progress.tell(
                        "\(options.works) works, \(peer.name), \(group.rawValue), \(round + 1) of \(Self.rounds)")
                    try copy(peer.key, .stores, options)
                    try results.add(
                        peer.key, Part.measured("\(peer.key):\(group.rawValue)", options, round: round).measurements)
                }
            }
        }
        Progress.tell("")
        return results
    }

    private func copy(_ store: String, _ home: Home, _ options: Options) throws {
        try FileTree(path: Context.home(options.runFolder, home, store))
            .copy(to: Context.home(options.runFolder, .copies, store))
    }
}
