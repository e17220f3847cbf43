import BookDB
import Foundation

/// Everything that is measured of some stores at one size: a process for each part, the stores in turn, and another one first in
/// each round.
struct Suite {
    private let options: Options
    private let peers: [any Peer.Type]
    private let folder: String
    private var rounds: Rounds
    private var results = Results()

    /// - Parameter peers: BookDB is the first of them; what it answers, the others must.
    init(_ options: Options, _ peers: [any Peer.Type] = Peers.all) throws {
        self.options = options
        self.peers = peers
        folder = options.runFolder
        rounds = Rounds(works: options.works)
        try FileTree(path: folder).make()
    }

    /// Prints the table, and writes the files that are asked for.
    mutating func run() async throws {
        let plan = try await measure()
        let report = Report(plan: plan, library: options.library, results: results, folder: folder)
        print(MarkdownTable(report).text)
        if let json = options.json { try report.write(to: json) }
        if let svg = options.svg { try Data(Chart(report).svg.utf8).write(to: URL(filePath: svg)) }
    }

    mutating func measured() async throws -> Results {
        _ = try await measure()
        return results
    }

    private mutating func measure() async throws -> Plan {
        Progress.tell("making the library")
        let plan = try await Source(options).prepare()
        rounds = Rounds(works: plan.workCount)
        try measureImports()
        try measure(.settle, rounds: 1)
        try measure(.open, rounds: 3)
        try measure(.openNew, rounds: rounds.opens)
        try measure(.openEvicted, rounds: rounds.opens)
        try measure(.read, rounds: rounds.reads)
        try measure(.scroll, rounds: 3)
        for peer in peers { try copy(peer) }
        try measure(.openWriting, rounds: 3)
        try measure(.openWritingNew, rounds: rounds.opens)
        try measure(.openWritingEvicted, rounds: rounds.opens)
        try measure(.uncached, rounds: rounds.uncached)
        try measure(.write, rounds: rounds.writes)
        try measure(.compact, rounds: rounds.compactions)
        try measure(.busy, rounds: rounds.busy, onFreshCopies: true)
        try measure(.sessions, rounds: rounds.sessions)
        try measureRecovery()
        for home in [Home.imports, .copies, .sessions, .crashed] {
            try FileTree(path: "\(folder)/\(home.rawValue)").remove()
        }
        Progress.tell("")
        return plan
    }

    private mutating func measure(_ group: Group, rounds: Int, onFreshCopies: Bool = false) throws {
        for round in 0..<rounds {
            for peer in peers.turned(round) {
                Progress.tell("\(options.works) works, \(peer.name), \(group.rawValue), \(round + 1) of \(rounds)")
                if onFreshCopies { try copy(peer) }
                try measure(peer.key, group, round)
            }
            if Floor.groups.contains(group) { try measure(Floor.key, group, round) }
        }
    }

    private mutating func measure(_ store: String, _ group: Group, _ round: Int) throws {
        let line = try Part.measured("\(store):\(group.rawValue)", options, round: round)
        try results.add(store, line.measurements)
    }

    /// The first import of each peer is what is read later; BookDB has the library that all come from.
    private mutating func measureImports() throws {
        for round in 0..<rounds.imports {
            for peer in peers.turned(round) {
                Progress.tell("\(options.works) works, \(peer.name), import, \(round + 1) of \(rounds.imports)")
                try measure(peer.key, .import, round)
                let made = FileTree(path: Context.home(folder, .imports, peer.key))
                let kept = FileTree(path: Context.home(folder, .stores, peer.key))
                if kept.exists { try made.remove() } else { try made.move(to: kept.path) }
            }
        }
    }

    private func copy(_ peer: any Peer.Type) throws {
        try FileTree(path: Context.home(folder, .stores, peer.key))
            .copy(to: Context.home(folder, .copies, peer.key))
    }

    /// BookDB says how many changes its log holds; the others make as many.
    private mutating func measureRecovery() throws {
        var operations: Int?
        for peer in peers {
            Progress.tell("\(options.works) works, \(peer.name), crash")
            try copy(peer)
            let line = try Part.measured("\(peer.key):crash", options, operations: operations)
            operations = operations ?? line.operations
        }
        results.loggedChangeCount = operations ?? 0
        try measure(.recover, rounds: rounds.recoveries)
    }
}
