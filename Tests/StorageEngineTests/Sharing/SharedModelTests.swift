import CrashSimulation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Two writers, a compactor and a follower of one store, step by step: every order of their steps that the locks allow, and in each the
/// death of any of them before any of its steps.
///
/// The steps are those of `Writer+Sharing` and `Compaction`, on the engine's own log, lock, head and opening, without its actors. After each
/// step the follower looks. In the end, and behind a power cut then, all is there that was acknowledged, and nothing was shown that is not.
struct SharedModelTests {
    /// One process.
    private final class Party {
        let steps: [Step]
        private(set) var nextStep = 0
        private(set) var isDead = false
        private(set) var holdsLock = false
        private var lock: WriteLock
        private var state: WriteState
        private let log: LogWriter
        private let head: LogHeadFile
        private let opening: StoreOpening
        private let key: UInt64
        private var version: Version?
        private var boundary: LogWriter.Boundary?
        private var generation: UInt64 = 0
        private var isOvertaken = false
        /// Held by who compacts, all the time.
        private var compacting: (any FileLock)?

        enum Step { case take, catchUp, write, flush, say, letGo, rotate, build, name, nameIsFlushed, moveOver, tidy }

        static let writing = [Step.take, .catchUp, .write, .flush, .say, .letGo]
        static let compacting = [
            Step.take, .catchUp, .rotate, .letGo, .build, .take, .catchUp, .name, .nameIsFlushed, .moveOver, .tidy,
            .say,
            .letGo,
        ]

        /// - Parameter key: what it writes.
        init(_ steps: [Step], key: UInt64, on disk: RecordingDisk) throws {
            self.steps = steps
            self.key = key
            let files = StoreFiles(directory: "A").ofSharer
            opening = StoreOpening(
                files: files, fileSystem: disk, options: Options(access: .shared, compaction: .manual),
                declared: numberTrees)
            let opened = try opening.open()
            (state, log, lock) = (opened.state, try #require(opened.log), try #require(opened.lock))
            head = LogHeadFile(files, disk, writes: true)
            head.write(log.head(generation: state.generation.number))
            lock.letGo()
        }

        var isDone: Bool { isDead || nextStep == steps.count }
        var wantsLock: Bool { !isDone && steps[nextStep] == .take }

        func die() {
            isDead = true
            holdsLock = false
            lock.unlock()
            compacting?.unlock()
        }

        /// - Returns: what it has acknowledged with the step.
        func run() throws -> UInt64? {
            let step = steps[nextStep]
            nextStep += 1
            switch step {
            case .take:
                #expect(try lock.take())
                holdsLock = true
            case .letGo:
                lock.letGo()
                holdsLock = false
            case .catchUp: try catchUp()
            case .write:
                var operations = OperationEncoder()
                operations.put(tree: numbers, key: [UInt8].key(key).span.bytes, facets: 0, value: [7].span.bytes)
                _ = try state.apply(operations.bytes)
                try log.append([LogWriter.Commit(number: state.commitNumber, payload: operations.bytes)])
            case .flush:
                try log.flush()
                return key
            case .say: head.write(log.head(generation: state.generation.number))
            case .rotate:
                compacting = try opening.fileSystem.lock(opening.files.compacting)
                version = state.version()
                boundary = try log.rotate()
            case .build: try build()
            case .name:
                isOvertaken = state.generation !== version?.generation
                if !isOvertaken { try opening.files.name(generation, hasCompanion: false, opening.fileSystem) }
            case .nameIsFlushed: try opening.fileSystem.flushDirectory("A")
            case .moveOver: if !isOvertaken { try openAgain() }
            case .tidy: opening.files.removeSuperseded(by: state.generation.file.superblock, opening.fileSystem)
            }
            return nil
        }

        private func catchUp() throws {
            let news = try log.catchUp()
            for commit in news.commits { try state.adopt(commit, nil) }
            if news.isElsewhere || head.read().map({ $0.generation > state.generation.number }) == true {
                try openAgain()
            }
        }

        private func openAgain() throws {
            let opened = try opening.openAgain(lock)
            log.takeOver(try #require(opened.log))
            state = opened.state
        }

        private func build() throws {
            let (version, boundary) = (try #require(version), try #require(boundary))
            generation = try opening.files.nextGeneration(after: version.generation.number, opening.fileSystem)
            try SnapshotBuild(
                version: version, generation: generation, logSequence: boundary.sequence,
                logChecksum: boundary.checksum, files: opening.files, fileSystem: opening.fileSystem
            ) { _ in }.write()
        }
    }

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

    /// A store with one commit, and the parties that have it open.
    private struct Play {
        let disk: RecordingDisk
        let parties: [Party]
        let follower: Follower
        let shown = Shown()
        var acknowledged: Set<UInt64> = [1]

        init(_ start: [String: [UInt8]]) throws {
            disk = RecordingDisk(directory: "A", files: start)
            parties = [
                try Party(Party.writing, key: 2, on: disk), try Party(Party.writing, key: 3, on: disk),
                try Party(Party.compacting, key: 4, on: disk),
            ]
            let opening = StoreOpening(
                files: StoreFiles(directory: "A"), fileSystem: disk, options: Options(access: .readOnly),
                declared: numberTrees)
            let opened = try opening.open()
            follower = Follower(
                opening, opened, try #require(opened.tail), Publication(opened.state.version()), shown.add,
                onReplaced: { _ in })
        }

        /// Who may go on: who does not want the lock while another has it.
        var choices: [Int] {
            let isHeld = parties.contains { $0.holdsLock }
            return parties.indices.filter { !parties[$0].isDone && !(parties[$0].wantsLock && isHeld) }
        }

        mutating func step(_ party: Int) throws {
            if let key = try parties[party].run() { acknowledged.insert(key) }
            follower.follow()
        }

        func check(_ trail: String) throws {
            let medium = disk.medium()
            let image = medium.image(survivors: medium.pending.map { _ in false })
            for party in parties where !party.isDead { party.die() }
            for disk in [disk, RecordingDisk(directory: "A", image: image)] {
                let store = try Database.open(
                    at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
                let there = try SharedModelTests.keys(store.version)
                #expect(acknowledged.isSubset(of: there), "\(trail): \(acknowledged) acknowledged, \(there) there")
                #expect(there.count == Int(store.version.commitNumber), "\(trail)")
            }
            let last = try Database.open(
                at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: disk)
            let there = try SharedModelTests.keys(last.version)
            for (commit, keys) in shown.all {
                #expect(
                    keys.isSubset(of: there) && keys.count == Int(commit), "\(trail): \(keys) shown, \(there) there")
            }
            #expect(shown.all.map(\.commit) == shown.all.map(\.commit).sorted(), "\(trail)")
        }
    }

    /// The files of a store with one commit.
    private func start() async throws -> [String: [UInt8]] {
        let disk = RecordingDisk(directory: "A", files: [:])
        let store = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .shared, compaction: .manual), fileSystem: disk)
        try await store.write { try $0.put([7], forKey: 1, in: numbers) }
        try await store.close()
        var files: [String: [UInt8]] = [:]
        for name in try disk.names(inDirectory: "A") { files[name] = try disk.bytes(of: "A/" + name) }
        return files
    }

    /// Every order of steps that the locks allow.
    private func orders(_ files: [String: [UInt8]]) throws -> [[Int]] {
        var (found, begun) = ([[Int]](), [[Int]()])
        while let order = begun.popLast() {
            var play = try Play(files)
            for party in order { try play.step(party) }
            let choices = play.choices
            if choices.isEmpty { found.append(order) } else { begun += choices.map { order + [$0] } }
        }
        return found
    }

    @Test func `in every order of steps, and whoever dies before any of them, nothing acknowledged is lost`()
        async throws
    {
        let files = try await start()
        let orders = try orders(files)
        #expect(orders.count > 50)
        var count = 0
        for order in orders {
            for death in order.indices.map(Optional.some) + [nil] {
                var play = try Play(files)
                for (index, party) in order.enumerated() where !play.parties[party].isDead {
                    if index == death {
                        play.parties[party].die()
                    } else if play.choices.contains(party) {
                        try play.step(party)
                    }
                }
                // Who waited for the one that died goes on.
                while let party = play.choices.first { try play.step(party) }
                try play.check("\(order), death before \(death.map(String.init) ?? "none")")
                count += 1
            }
        }
        print("\(orders.count) orders of steps, \(count) plays")
    }
}
