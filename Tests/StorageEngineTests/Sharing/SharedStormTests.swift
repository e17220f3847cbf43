import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Several openings of one store that write, compact, load, close and open again at once, each transaction on what the others have made.
struct SharedStormTests {
    /// One who opens the store and adds one to a counter in it, over and over.
    private struct Party: Sendable {
        let directory: String
        let number: Int
        let seed: UInt64
        let told: Told

        func run(_ count: Int) async throws {
            var random = SeededGenerator(seed: seed &+ UInt64(number))
            var store = try await open()
            for _ in 0..<count {
                switch Int.random(in: 0..<40, using: &random) {
                case 0: try await compact(store)
                case 1:
                    try await store.close()
                    store = try await open()
                case 2: try await load(store)
                default: try await increment(store, random.oneIn(3) ? .memory : .flushed)
                }
            }
            try await store.close()
        }

        /// On a thread that may wait: the one who has the lock needs those of tasks.
        private func open() async throws -> Database {
            try await withCheckedThrowingContinuation { caller in
                DispatchQueue.global().async { caller.resume(with: Result { try openHere() }) }
            }
        }

        private func openHere() throws -> Database {
            try Database.open(
                at: directory, trees: numberTrees, options: .patient(),
                onPublish: { [told, number] in told.add($0, number) })
        }

        private func compact(_ store: Database) async throws {
            do {
                try await store.compact()
            } catch {
                guard case .inUse? = error as? StorageError else { throw error }
            }
        }

        /// A counter of its own for each, and one for all.
        private func increment(_ store: Database, _ durability: Durability) async throws {
            try await store.write(durability) { transaction in
                for key in [UInt64(0), UInt64(number + 1)] {
                    let old = try transaction.value(forKey: key, in: numbers) { $0.loadBigEndian(at: 0) } ?? 0
                    try transaction.put([UInt8].key(old + 1), forKey: key, in: numbers)
                }
            }
            told.noteIncrement(number)
        }

        private func load(_ store: Database) async throws {
            let key = 1000 + UInt64(number)
            try await store.load { load in
                // Large beside the store, so that it becomes a snapshot.
                let collector = load.makeCollector()
                for other in 0..<40 as Range<UInt64> {
                    try collector.put([UInt8](repeating: 7, count: 2000), forKey: .key(key * 1000 + other), in: numbers)
                }
            }
        }
    }

    private final class Told: Sendable {
        private let state = Mutex((increments: [Int: Int](), newest: [Int: UInt64](), faults: [String]()))

        var increments: [Int: Int] { state.withLock { $0.increments } }
        var faults: [String] { state.withLock { $0.faults } }

        func noteIncrement(_ party: Int) { state.withLock { $0.increments[party, default: 0] += 1 } }

        /// Commits come in order, and each shows as many increments of all as of each together.
        func add(_ commit: PublishedCommit, _ party: Int) {
            let fault = fault(in: commit.version)
            state.withLock { state in
                if let fault { state.faults.append(fault) }
                // An opening begins anew; within one, numbers ascend.
                state.newest[party] = commit.commitNumber
            }
        }

        private func fault(in version: Version) -> String? {
            func value(_ key: UInt64) -> UInt64 {
                ((try? version.value(forKey: key, in: numbers) { $0.loadBigEndian(at: 0) }) ?? nil) ?? 0
            }
            let (all, each) = (value(0), (1...4).reduce(0) { $0 + value($1) })
            return all == each ? nil : "commit \(version.commitNumber): \(all) in all, \(each) of each"
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `several who do everything at once lose nothing and see the same`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            let (path, told) = (directory + "/A", Told())
            try await withThrowingTaskGroup { group in
                for number in 0..<3 {
                    let party = Party(directory: path, number: number, seed: seed &* 1000, told: told)
                    group.addTask { try await party.run(150) }
                }
                try await group.waitForAll()
            }
            #expect(told.faults.isEmpty)
            let store = try Database.open(at: path, trees: numberTrees)
            for (party, count) in told.increments {
                #expect(
                    try store.version.value(forKey: UInt64(party + 1), in: numbers) { $0.loadBigEndian(at: 0) }
                        == UInt64(count))
            }
            #expect(store.opening.tornByteCount == 0 && store.opening.setAsideByteCount == 0)
            try await store.close()
            #expect(try Verifier.verify(at: path).isSound)
        }
    }
}
