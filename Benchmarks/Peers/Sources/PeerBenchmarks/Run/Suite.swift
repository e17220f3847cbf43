import BookDB
import Foundation

/// The whole comparison: a process for each part, the stores in turn, and another one first in each round.
struct Suite {
    private let options: Options
    private let rounds: Rounds
    private let folder: String

    init(_ options: Options) throws {
        self.options = options
        folder = options.runFolder
        try FileTree(path: folder).make()
        let plan = try? Plan.load(folder)
        rounds = Rounds(works: plan?.workCount ?? options.works)
    }

    func run() async throws {
        let plan = try await Source(options).prepare()
        var results = Results()
        try measureImports(&results)
        try measure(.settle, rounds: 1, &results)
        for _ in 0..<rounds.reads {
            try results.add(Floor.key, Part.measured(Floor.key + ":all", options).measurements)
        }
        try measure(.open, rounds: 3, &results)
        try measure(.openNew, rounds: rounds.opens, &results)
        try measure(.openEvicted, rounds: rounds.opens, &results)
        try measure(.read, rounds: rounds.reads, &results)
        try measure(.scroll, rounds: 3, &results)
        try copyStores()
        try measure(.write, rounds: rounds.writes, &results)
        try measure(.compact, rounds: rounds.compactions, &results)
        try measure(.busy, rounds: rounds.busy, &results, onCopies: true)
        try measureRecovery(&results)
        try FileTree(path: folder + "/copies").remove()
        try FileTree(path: folder + "/crashed").remove()
        let report = Report(plan: plan, library: options.library, results: results, folder: folder)
        print(MarkdownTable(report).text)
        if let json = options.json { try report.write(to: json) }
        if let svg = options.svg { try Data(Chart(report).svg.utf8).write(to: URL(filePath: svg)) }
    }

    private func measure(
        _ group: Group, rounds: Int, _ results: inout Results, onCopies: Bool = false
    ) throws {
        for round in 0..<rounds {
            for peer in Self.turn(round) {
                tell("\(peer.name), \(group.rawValue), \(round + 1) of \(rounds)")
                if onCopies { try copy(peer) }
                try results.add(
                    peer.key, Part.measured("\(peer.key):\(group.rawValue)", options, round: round).measurements)
            }
        }
    }

    /// Another store is the first of each round.
    private static func turn(_ round: Int) -> [any Peer.Type] {
        let first = round % Peers.all.count
        return Array(Peers.all[first...] + Peers.all[..<first])
    }

    /// The first import of each peer is what is read later; BookDB has the library that all come from.
    private func measureImports(_ results: inout Results) throws {
        for round in 0..<rounds.imports {
            for peer in Self.turn(round) {
                tell("\(peer.name), import, \(round + 1) of \(rounds.imports)")
                try results.add(peer.key, Part.measured("\(peer.key):import", options, round: round).measurements)
                let made = FileTree(path: Context.home(folder, .imports, peer.key))
                let kept = FileTree(path: Context.home(folder, .stores, peer.key))
                if kept.exists { try made.remove() } else { try made.move(to: kept.path) }
            }
        }
    }

    private func copyStores() throws { for peer in Peers.all { try copy(peer) } }

    private func copy(_ peer: any Peer.Type) throws {
        try FileTree(path: Context.home(folder, .stores, peer.key))
            .copy(to: Context.home(folder, .copies, peer.key))
    }

    /// BookDB says how many changes its log holds; the others make as many.
    private func measureRecovery(_ results: inout Results) throws {
        var operations: Int?
        for peer in Peers.all {
            tell("\(peer.name), crash")
            try copy(peer)
            let line = try Part.measured("\(peer.key):crash", options, operations: operations)
            operations = operations ?? line.operations
        }
        results.loggedChangeCount = operations ?? 0
        try measure(.recover, rounds: rounds.recoveries, &results)
    }

    private func tell(_ text: String) {
        FileHandle.standardError.write(Data("\u{1B}[2K\r\(text)".utf8))
    }
}
