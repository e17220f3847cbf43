import CrashSimulation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Processes that write, compact, load, rescue and restore one store beside one that follows it, step by step: every order of their steps
/// that the locks allow, and in each the death of any of them before any of its steps.
///
/// After each step the follower looks. In the end, and behind a power cut then, all is there that was acknowledged, and nothing was shown
/// that is not. Each scenario has three parties at the most, so that all of its orders can be played.
struct SharedModelTests {
    /// What a follower has shown: of each commit how many entries there were.
    private final class Shown: Sendable {
        private let list = Mutex<[(commit: UInt64, keys: Set<UInt64>)]>([])

        var all: [(commit: UInt64, keys: Set<UInt64>)] { list.withLock { $0 } }

        func add(_ commit: PublishedCommit) {
            let keys = (try? SharedModelTests.keys(commit.version)) ?? []
            list.withLock { $0.append((commit.commitNumber, keys)) }
        }
    }

    private static func keys(_ version: Version) throws -> Set<UInt64> {
        var keys: Set<UInt64> = []
        try version.scan(numbers) { key, _ in
            keys.insert(key.loadBigEndian(at: 0))
            return true
        }
        return keys
    }

    /// The files of a store with one commit, and those that a restore of it adds when it is staged.
    private struct Start {
        var files: [String: [UInt8]] = [:]
        var staged: [String: [UInt8]] = [:]
    }

    private func start() async throws -> Start {
        let disk = MemoryFileSystem()
        let store = try Database.open(
            at: "A", trees: numberTrees, options: .patient(), fileSystem: disk)
        try await store.write { try $0.put([7], forKey: 1, in: numbers) }
        _ = try await store.backup(to: "B")
        try await store.close()
        func files() throws -> [String: [UInt8]] {
            var files: [String: [UInt8]] = [:]
            for name in try disk.names(inDirectory: "A") { files[name] = try disk.bytes(of: "A/" + name) }
            return files
        }
        var start = Start(files: try files())
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: disk))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: disk)
        start.staged = try files().filter { start.files[$0.key] == nil }
        return start
    }

    /// A store with one commit, and the parties that have it open.
    private struct Play {
        let disk: RecordingDisk
        let parties: [SharedParty]
        let follower: Follower
        let shown = Shown()
        let store: StoreIdentifier
        /// By those who have the first store open, and by those who have the restored one.
        var acknowledged: Set<UInt64> = [1]
        var acknowledgedBehindRestore: Set<UInt64> = [1]
        var objections: [String] = []

        init(_ start: Start, _ roles: [SharedParty.Role]) throws {
            disk = RecordingDisk(directory: "A", files: start.files)
            let medium = disk
            parties = try roles.enumerated().map { index, role in
                try SharedParty(role, key: UInt64(index) + 2, on: medium)
            }
            let opening = StoreOpening(
                files: StoreFiles(directory: "A"), fileSystem: disk, options: Options(access: .readOnly),
                declared: numberTrees)
            let opened = try opening.open()
            store = opened.state.generation.file.superblock.store
            follower = Follower(
                opening, opened, try #require(opened.tail), Publication(opened.state.version()),
                StatusBoard(StoreStatus()), shown.add, onReplaced: { _ in })
            guard roles.contains(.restorer) else { return }
            for (name, bytes) in start.staged {
                let file = try disk.openFile("A/" + name, .creating)
                try file.write(bytes, at: 0)
                try file.flush(.durable)
            }
            try disk.flushDirectory("A")
        }

        /// Who may go on: who does not want the lock while another has it.
        var choices: [Int] {
            let isHeld = parties.contains { $0.holdsLock }
            return parties.indices.filter { !parties[$0].isDone && !(parties[$0].wantsLock && isHeld) }
        }

        /// Whether the restored store counts.
        private var isRestored: Bool { disk.files.keys.contains { $0.hasPrefix("snapshot-0000000000010") } }

        mutating func step(_ party: Int) throws {
            if let key = try parties[party].run() {
                if parties[party].store == store {
                    acknowledged.insert(key)
                    if isRestored { objections.append("\(key) was acknowledged by one whose store was replaced") }
                } else {
                    acknowledgedBehindRestore.insert(key)
                }
            }
            follower.follow()
        }

        /// Who waited for one that died goes on.
        mutating func finish() throws { while let party = choices.first { try step(party) } }

        func check(_ trail: String) throws {
            for objection in objections { Issue.record("\(trail): \(objection)") }
            let medium = disk.medium()
            let image = medium.image(survivors: medium.pending.map { _ in false })
            for party in parties where !party.isDead { party.die() }
            let hasRestorer = parties.contains { $0.role == .restorer }
            let last = try Database.open(
                at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: disk)
            let seen = try SharedModelTests.keys(last.version)
            let isSeenRestored = last.version.generation.file.superblock.store != store
            for disk in [disk, RecordingDisk(directory: "A", image: image)] {
                let store = try Database.open(
                    at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
                let there = try SharedModelTests.keys(store.version)
                // A restore that nobody has carried out this opening does.
                let expected = hasRestorer ? acknowledgedBehindRestore : acknowledged
                #expect(expected.isSubset(of: there), "\(trail): \(expected) acknowledged, \(there) there")
                #expect(there.count == Int(store.version.commitNumber), "\(trail)")
            }
            for (commit, keys) in shown.all {
                #expect(keys.count == Int(commit), "\(trail): \(keys) shown as commit \(commit)")
                if !isSeenRestored { #expect(keys.isSubset(of: seen), "\(trail): \(keys) shown, \(seen) there") }
            }
            let commits = shown.all.map(\.commit)
            // A restored store, to which a follower moves once, has numbers of its own.
            let stepsBack = zip(commits, commits.dropFirst()).count { $0 >= $1 }
            #expect(stepsBack <= (hasRestorer ? 1 : 0), "\(trail): \(commits) shown")
        }
    }

    /// Every order of steps that the locks allow.
    private func orders(_ start: Start, _ roles: [SharedParty.Role]) throws -> [[Int]] {
        var (found, begun) = ([[Int]](), [[Int]()])
        while let order = begun.popLast() {
            var play = try Play(start, roles)
            for party in order { try play.step(party) }
            let choices = play.choices
            if choices.isEmpty { found.append(order) } else { begun += choices.map { order + [$0] } }
        }
        return found
    }

    static let scenarios: [[SharedParty.Role]] = [
        [.writer, .writer, .compactor], [.writer, .loader, .compactor], [.writer, .rescuer, .compactor],
        [.loader, .rescuer, .writer], [.writer, .restorer], [.loader, .restorer], [.compactor, .restorer],
    ]

    @Test(arguments: scenarios)
    func `in every order of steps, and whoever dies before any of them, nothing acknowledged is lost`(
        roles: [SharedParty.Role]
    ) async throws {
        let start = try await start()
        let orders = try orders(start, roles)
        var count = 0
        for order in orders {
            for death in order.indices.map(Optional.some) + [nil] {
                var play = try Play(start, roles)
                for (index, party) in order.enumerated() where !play.parties[party].isDone {
                    if index == death {
                        play.parties[party].die()
                    } else if play.choices.contains(party) {
                        try play.step(party)
                    }
                }
                try play.finish()
                try play.check("\(roles) \(order), death before \(death.map(String.init) ?? "none")")
                count += 1
            }
        }
        print("\(roles.map(\.rawValue)): \(orders.count) orders of steps, \(count) plays")
        #expect(orders.count > 1 && count > 10)
    }

    /// The steps of a restore are those of an opening, so it dies at its calls to the disk.
    @Test(arguments: [[.writer, .restorer], [.compactor, .restorer]] as [[SharedParty.Role]])
    func `whoever dies as it carries out a restore leaves the old store or the restored one to others`(
        roles: [SharedParty.Role]
    ) async throws {
        let start = try await start()
        var count = 0
        // The restore comes first, then in the middle of what the other does, then last.
        for stepCount in [0, 5, roles[0].steps.count] {
            var callCount = 0
            while true {
                var play = try Play(start, roles)
                for _ in 0..<stepCount where play.choices.contains(0) { try play.step(0) }
                while !play.choices.contains(1) { try play.step(0) }
                play.parties[1].disk.die(after: callCount)
                try play.step(1)
                let isDead = play.parties[1].isDead
                play.parties[1].disk.die(after: nil)
                try play.finish()
                try play.check("\(roles) behind \(stepCount) steps, death at call \(callCount)")
                count += 1
                guard isDead else { break }
                callCount += 1
            }
        }
        print("\(roles.map(\.rawValue)): \(count) plays")
        #expect(count > 60)
    }
}
