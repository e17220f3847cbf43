import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// The trees of a group are changed while the log writes it and the next commits are made, and nobody can tell.
struct SettlingGroupsTests {
    private struct Abandoned: Error {}

    private static let others = TreeNumber(2)
    private static let trees = numberTrees + [TreeDeclaration(others, "others")]

    private let turnstile = Turnstile()

    private func open(mostCommitsOfRun: Int = 128) throws -> Database {
        var options = Options(compaction: .manual)
        options.leastEntryCountBeside = 2
        options.byteCountAhead = 500
        options.mostCommitsOfRun = mostCommitsOfRun
        return try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: turnstile.fileSystem)
    }

    private struct Plan: Sendable {
        enum Deed: CaseIterable { case putLater, removeLater, put, remove, empty }

        let deed: Deed
        let keys: [UInt64]
        let value: [UInt8]
        let asks: Bool
        let isAbandoned: Bool

        init(_ writer: Int, using random: inout SeededGenerator) {
            // Most leave all for later: one that does not ends what is done beside.
            let isOdd = random.oneIn(8)
            deed = isOdd ? Deed.allCases.randomElement(using: &random)! : random.oneIn(4) ? .removeLater : .putLater
            keys = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                UInt64(writer % 12) << 16 | UInt64.random(in: 0..<60, using: &random)
            }
            let count = random.oneIn(20) ? 70_000 : random.oneIn(6) ? 5000 : Int.random(in: 0...200, using: &random)
            value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count)
            asks = random.oneIn(12)
            isAbandoned = random.oneIn(8)
        }

        func make(in transaction: inout Transaction) throws {
            for tree in [numbers, SettlingGroupsTests.others] {
                if deed == .empty, tree == SettlingGroupsTests.others { try transaction.removeAll(in: tree) }
                for key in keys {
                    switch deed {
                    case .putLater: try transaction.putLater(value, forKey: key, in: tree)
                    case .removeLater:
                        // `removeLater` is for keys that are there.
                        try transaction.putLater([0], forKey: key, in: tree)
                        try transaction.removeLater(.key(key), in: tree)
                    case .put, .empty: try transaction.put(value, forKey: key, in: tree)
                    case .remove: try transaction.remove(key, in: tree)
                    }
                }
                guard asks else { continue }
                for key in keys {
                    let found = try transaction.value(forKey: key, in: tree) { $0.copyBytes() }
                    #expect(found == (isRemoval ? nil : value))
                }
            }
            if isAbandoned { throw Abandoned() }
        }

        private var isRemoval: Bool { deed == .removeLater || deed == .remove }

        func note(in model: inout [TreeNumber: [UInt64: [UInt8]]]) {
            for tree in [numbers, SettlingGroupsTests.others] {
                if deed == .empty, tree == SettlingGroupsTests.others { model[tree] = [:] }
                for key in keys { model[tree, default: [:]][key] = isRemoval ? nil : value }
            }
        }
    }

    private static func contents(_ version: Version) throws -> [TreeNumber: [UInt64: [UInt8]]] {
        var contents: [TreeNumber: [UInt64: [UInt8]]] = [:]
        for tree in [numbers, others] {
            contents[tree] = [:]
            try version.scan(tree) { key, value in
                contents[tree]?[key.trailingInteger] = value.copyBytes()
                return true
            }
        }
        return contents
    }

    @Test(arguments: 1...4) func `commits made while trees of others are changed leave what each of them wrote`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let mostCommitsOfRun = [128, 5][Int(seed % 2)]
        var database = try open(mostCommitsOfRun: mostCommitsOfRun)
        try await database.put(0..<500)
        var expected = try Self.contents(database.version)
        for round in 0..<10 {
            let plans = (0..<24).map { Plan($0, using: &random) }
            let (current, held) = (database, database.version)
            let before = expected
            let order = Mutex<[Int]>([])
            async let compaction: Void = round % 3 == 2 ? { _ = try await current.compact() }() : ()
            let outcomes = try await turnstile.gather(12, andThen: 12, in: current) { writer, transaction in
                order.withLock { $0.append(writer) }
                try plans[writer].make(in: &transaction)
            }
            try await compaction
            for writer in order.withLock({ $0 }) {
                guard !plans[writer].isAbandoned else { continue }
                try outcomes[writer].get()
                plans[writer].note(in: &expected)
            }
            try #require(try Self.contents(database.version) == expected)
            try #require(try Self.contents(held) == before)
            try #require(database.version.invariantFindings() == [])
            try #require(database.version.memoryFindings() == [])
            guard round % 4 == 3 else { continue }
            try await database.close()
            database = try open(mostCommitsOfRun: mostCommitsOfRun)
            try #require(try Self.contents(database.version) == expected)
        }
        try await database.close()
    }
}
