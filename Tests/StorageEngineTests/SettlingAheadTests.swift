import TestSupport
import Testing

@testable import StorageEngine

/// What a long transaction leaves for later is put into its trees while the transaction goes on, and nobody can tell.
struct SettlingAheadTests {
    private struct Abandoned: Error {}

    private static let trees = (1...4).map { TreeDeclaration(TreeNumber(UInt32($0)), "tree \($0)") }

    private static func open(
        _ files: any FileSystem, _ help: HelpfulWork.Help, trees: [TreeDeclaration] = trees, entryLimit: Int = .max
    ) throws -> Database {
        var options = Options(compaction: .manual)
        options.work = HelpfulWork(help)
        options.byteCountAhead = 300
        options.nodeEntryLimit = entryLimit
        return try Database.open(at: "A", trees: trees, options: options, fileSystem: files)
    }

    /// Those of the damaged stores that can be opened, with a tree 3 beside what they hold.
    private static func withEachPageDamaged(
        _ help: HelpfulWork.Help, _ body: (Database, _ page: Int) async throws -> Void
    ) async throws {
        try await DamageTests.withEachPageDamaged { files, page in
            let others = [TreeDeclaration(TreeNumber(3), "others")]
            guard let database = try? open(files, help, trees: others) else { return }
            try await body(database, page)
            try await database.close()
        }
    }

    /// What is in the trees.
    private struct Model: Equatable {
        var trees = SettlingAheadTests.trees.map { _ in [UInt64: [UInt8]]() }

        init() {}

        init(_ version: Version) throws {
            for (index, tree) in SettlingAheadTests.trees.enumerated() {
                try version.scan(tree.number) { key, value in
                    trees[index][key.trailingInteger] = value.copyBytes()
                    return true
                }
            }
        }
    }

    private struct Deed: Sendable {
        enum Kind: CaseIterable { case putLater, removeLater, put, remove, empty, read, scan, count }

        let kind: Kind
        let tree: Int
        let key: UInt64
        let value: [UInt8]

        init(using random: inout SeededGenerator) {
            // Most leave something for later: where every other asks for a tree, none is on its way for long.
            kind =
                random.oneIn(3)
                ? (random.oneIn(12) ? .empty : Kind.allCases.filter { $0 != .empty }.randomElement(using: &random)!)
                : random.oneIn(5) ? .removeLater : .putLater
            tree = Int.random(in: 0..<4, using: &random)
            key = UInt64.random(in: 0..<300, using: &random)
            let count = random.oneIn(60) ? 70_000 : random.oneIn(9) ? 5000 : Int.random(in: 0...60, using: &random)
            value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count)
        }

        /// Does it in the transaction and in the model, and compares what is read.
        func make(in transaction: inout Transaction, _ model: inout Model) throws {
            let number = SettlingAheadTests.trees[tree].number
            switch kind {
            case .putLater:
                try transaction.putLater(value, forKey: key, in: number)
                model.trees[tree][key] = value
            case .removeLater:
                // It is for keys that are there.
                guard model.trees[tree].removeValue(forKey: key) != nil else { return }
                try transaction.removeLater(.key(key), in: number)
            case .put:
                try transaction.put(value, forKey: key, in: number)
                model.trees[tree][key] = value
            case .remove:
                let wasThere = try transaction.remove(key, in: number)
                #expect(wasThere == (model.trees[tree].removeValue(forKey: key) != nil))
            case .empty:
                try transaction.removeAll(in: number)
                model.trees[tree] = [:]
            case .read: #expect(try transaction.bytes(forKey: key, in: number) == model.trees[tree][key])
            case .count: #expect(try transaction.count(in: number) == model.trees[tree].count)
            case .scan:
                var keys: [UInt64] = []
                try transaction.scan(number) { key, _ in
                    keys.append(key.trailingInteger)
                    return keys.count < 20
                }
                #expect(keys == Array(model.trees[tree].keys.sorted().prefix(20)))
            }
        }
    }

    @Test(arguments: [4, Int.max], HelpfulWork.Help.allCases)
    func `random long transactions read what they have written, and leave it or nothing`(
        entryLimit: Int, help: HelpfulWork.Help
    ) async throws {
        var random = SeededGenerator.forTest(fallback: UInt64(HelpfulWork.Help.allCases.firstIndex(of: help)!))
        let files = MemoryFileSystem()
        var database = try Self.open(files, help, entryLimit: entryLimit)
        var model = Model()
        for round in 0..<24 {
            let held = database.version
            let before = model
            let deeds = (0..<Int.random(in: 1...250, using: &random)).map { _ in Deed(using: &random) }
            let (isAbandoned, isInMemory) = (random.oneIn(4), random.oneIn(4))
            let known = model
            do {
                model = try await database.write(isInMemory ? .memory : .flushed) { transaction in
                    var model = known
                    for deed in deeds { try deed.make(in: &transaction, &model) }
                    if isAbandoned { throw Abandoned() }
                    return model
                }
                #expect(!isAbandoned)
            } catch is Abandoned {
                #expect(isAbandoned)
            }
            try #require(try Model(database.version) == model, "round \(round)")
            try #require(try Model(held) == before, "round \(round)")
            try #require(database.version.invariantFindings() == [])
            try #require(database.version.memoryFindings() == [])
            if round % 8 == 4 { try await database.compact() }
            guard round % 8 == 7 else { continue }
            try await database.close()
            database = try Self.open(files, help, entryLimit: entryLimit)
            try #require(try Model(database.version) == model, "round \(round)")
        }
        try await database.close()
    }

    @Test(arguments: HelpfulWork.Help.allCases)
    func `a long transaction that meets a page that cannot be read is refused, and the next one goes on`(
        help: HelpfulWork.Help
    ) async throws {
        var refusedCount = 0
        try await Self.withEachPageDamaged(help) { database, page in
            let end = database.version.commitNumber
            do {
                // Entries far apart, so that some meet the page ahead and others at the end.
                try await database.write { transaction in
                    for key in stride(from: UInt64(0), to: 3000, by: 40) {
                        try transaction.putLater([9], forKey: key, in: TreeNumber(1))
                        try transaction.putLater([9], forKey: key, in: TreeNumber(3))
                        // Whoever forgives what a read meets commits nothing all the same.
                        if key == 2000 { _ = try? transaction.contains(.key(5), in: TreeNumber(1)) }
                    }
                }
                // No entry is on the page.
                return
            } catch {
                refusedCount += 1
                #expect((error as? StorageError)?.damage != nil, "page \(page): \(error)")
            }
            #expect(database.version.commitNumber == end)
            #expect(database.version.damagedTrees.isEmpty)
            #expect(try database.version.count(in: TreeNumber(3)) == 0)
            #expect(database.version.memoryFindings() == [])
            try await database.write { try $0.putLater([1], forKey: 1, in: TreeNumber(3)) }
            #expect(try database.version.count(in: TreeNumber(3)) == 1)
        }
        #expect(refusedCount > 3)
    }

    private final class Impossible: PendingChanges {
        func concern(_ tree: TreeNumber) -> Bool { true }

        func make(in transaction: TransactionReader) throws(StorageError) { throw .limitExceeded("It cannot be made.") }
    }

    @Test(arguments: HelpfulWork.Help.allCases)
    func `who reads although something cannot be made has what was left for later before it`(
        help: HelpfulWork.Help
    ) async throws {
        let database = try Self.open(MemoryFileSystem(), help)
        await #expect(throws: StorageError.self) {
            try await database.write { transaction in
                for key in UInt64(0)..<2000 {
                    try transaction.putLater([1], forKey: key, in: TreeNumber(UInt32(1 + key % 2)))
                }
                transaction.reader.pending = Impossible()
                for _ in 0..<3 {
                    #expect(try transaction.count(in: TreeNumber(1)) == 1000)
                    #expect(try transaction.bytes(forKey: 1999, in: TreeNumber(2)) == [1])
                }
            }
        }
        #expect(try database.version.count(in: TreeNumber(1)) == 0)
        #expect(database.version.memoryFindings() == [])
        try await database.close()
    }

    @Test(arguments: HelpfulWork.Help.allCases)
    func `a long transaction empties a tree that cannot be read, by the second call at the latest`(
        help: HelpfulWork.Help
    ) async throws {
        var refusedCount = 0
        try await Self.withEachPageDamaged(help) { database, page in
            for isLast in [false, true] {
                do {
                    try await database.write { transaction in
                        for key in stride(from: UInt64(0), to: 3000, by: 40) {
                            try transaction.putLater([9], forKey: key, in: TreeNumber(1))
                        }
                        try transaction.removeAll(in: TreeNumber(1))
                        try transaction.putLater([7], forKey: 7, in: TreeNumber(1))
                    }
                    break
                } catch {
                    refusedCount += 1
                    #expect(!isLast, "page \(page): \(error)")
                }
            }
            let count = try database.version.count(in: TreeNumber(1))
            #expect(count == 1)
            #expect(database.version.memoryFindings() == [])
        }
        #expect(help != .atOnce || refusedCount > 3)
    }

    @Test func `a transaction that goes on beside a group of others waits for neither more nor less`() async throws {
        let turnstile = Turnstile()
        var options = Options(compaction: .manual)
        options.leastEntryCountBeside = 2
        options.byteCountAhead = 100
        let database = try Database.open(
            at: "A", trees: Self.trees, options: options, fileSystem: turnstile.fileSystem)
        for round in UInt64(0)..<8 {
            let outcomes = try await turnstile.gather(6, andThen: 6, in: database) { writer, transaction in
                for number in UInt64(0)..<40 {
                    let key = round << 32 | UInt64(writer) << 16 | number
                    try transaction.putLater([UInt8(writer)], forKey: key, in: TreeNumber(UInt32(1 + number % 4)))
                }
                if writer % 5 == 3 { throw Abandoned() }
            }
            let kept = (0..<12).filter { $0 % 5 != 3 }
            for writer in kept { try outcomes[writer].get() }
            for tree in Self.trees {
                #expect(try database.version.count(in: tree.number) == 10 * kept.count * Int(round + 1))
            }
            #expect(database.version.invariantFindings() == [])
            #expect(database.version.memoryFindings() == [])
        }
        try await database.close()
    }
}
