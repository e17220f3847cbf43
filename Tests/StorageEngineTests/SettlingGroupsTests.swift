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

    private func open() throws -> Database {
        var options = Options(compaction: .manual)
        options.leastEntryCountBeside = 2
        return try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: turnstile.fileSystem)
    }

    // MARK: What is put and read

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
                        // Only what is there is removed for later.
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
        var database = try open()
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
            database = try open()
            try #require(try Self.contents(database.version) == expected)
        }
        try await database.close()
    }

    // MARK: What cannot be put

    /// What commits do that are made while a group is with the log which cannot be put.
    enum Meeting: CaseIterable { case leaving, reading, forgiving, changing, throwing }

    @Test(arguments: Meeting.allCases) func `a group that cannot be put is given back, with what was made behind it`(
        _ meeting: Meeting
    ) async throws {
        let lost = try await damagedStore()
        let database = try open()
        try await database.write { try $0.put([1], forKey: 1, in: Self.others) }
        for round in 1...3 {
            let order = Mutex<[Int]>([])
            let outcomes = try await turnstile.gather(20, andThen: 10, in: database) { number, transaction in
                let place = order.withLock { order in
                    order.append(number)
                    return order.count - 1
                }
                let key = UInt64(round * 1000 + 2000 + place)
                if place == 22 {
                    switch meeting {
                    case .leaving: break
                    case .reading: _ = try transaction.contains(.key(key), in: numbers)
                    case .forgiving: _ = try? transaction.contains(.key(key), in: numbers)
                    case .changing: try transaction.put([1], forKey: key, in: Self.others)
                    case .throwing:
                        try transaction.putLater([1], forKey: key, in: numbers)
                        throw Abandoned()
                    }
                }
                for tree in [numbers, Self.others] { try transaction.putLater([2], forKey: key, in: tree) }
                if place == 6 { try transaction.putLater([1], forKey: lost, in: numbers) }
            }
            let isMet = meeting != .leaving
            for (place, number) in order.withLock({ $0 }).enumerated() {
                // Whoever comes behind the one that finds it out builds on nothing that is gone.
                let isKept = place < 6 || (isMet && place > 22)
                #expect(((try? outcomes[number].get()) != nil) == isKept, "\(place)")
                let key = UInt64(round * 1000 + 2000 + place)
                for tree in [numbers, Self.others] {
                    #expect(try database.version.contains(.key(key), in: tree) == isKept, "\(place)")
                }
            }
            #expect(database.version.memoryFindings() == [])
            #expect(database.version.damagedTrees.isEmpty)
        }
        try await database.put(9000..<9001)
        let kept = try Self.readable(database.version)
        let end = database.version.commitNumber
        try await database.close()
        let reopened = try open()
        #expect(reopened.version.commitNumber == end)
        #expect(reopened.opening.damagedTrees.isEmpty)
        #expect(try Self.readable(reopened.version) == kept)
        try await reopened.close()
    }

    /// What was put beside the damaged page.
    private static func readable(_ version: Version) throws -> [UInt64] {
        try (3000..<10_000).filter { try version.contains(.key($0), in: numbers) }
    }

    /// Makes a store in which a page cannot be read, and gives a key that was on it.
    private func damagedStore() async throws -> UInt64 {
        let database = try open()
        try await database.put(0..<2000)
        try await database.compact()
        try await database.close()
        let path = "A/snapshot-0000000000000002"
        let bytes = try turnstile.fileSystem.bytes(of: path)
        for page in 1..<bytes.count / 4096 {
            var damaged = bytes
            damaged[page * 4096 + 100] ^= 0x40
            let files = try turnstile.fileSystem.copy()
            try files.replace(path, with: damaged)
            guard let database = try? Database.open(at: "A", trees: Self.trees, fileSystem: files) else { continue }
            func isThere(_ key: UInt64) -> Bool { (try? database.version.contains(.key(key), in: numbers)) == true }
            guard isThere(1999), let lost = (0..<1000).first(where: { !isThere($0) }) else { continue }
            try turnstile.fileSystem.replace(path, with: damaged)
            return lost
        }
        throw Abandoned()
    }
}
