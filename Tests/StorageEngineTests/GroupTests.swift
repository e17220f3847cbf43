import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Commits that gather behind a flush: they share the next one, and the memory nodes they make.
struct GroupTests {
    private struct Abandoned: Error {}

    private let turnstile = Turnstile()

    private func open() async throws -> Database {
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: turnstile.fileSystem)
        // Its flush is found to be slow.
        try await database.put(0..<1)
        return database
    }

    private func contents(_ version: Version) throws -> [UInt64: [UInt8]] {
        var contents: [UInt64: [UInt8]] = [:]
        try version.scan(numbers) { key, value in
            contents[key.loadBigEndian(at: 0)] = value.copyBytes()
            return true
        }
        return contents
    }

    @Test func `commits that arrive during a flush share the next one`() async throws {
        let database = try await open()
        let before = turnstile.fileSystem.counts.durableFlushes
        let outcomes = try await turnstile.gather(200, in: database) { number, transaction in
            try transaction.put([1], forKey: UInt64(number), in: numbers)
        }
        for outcome in outcomes { try outcome.get() }
        #expect(database.version.commitNumber == 201)
        #expect(turnstile.fileSystem.counts.durableFlushes - before == 2)
        try await database.close()
    }

    @Test func `who waits for what is sealed does not wait for what others write meanwhile`() async throws {
        let disk = FaultyFileSystem()
        let gate = FlushGate(disk)
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
        try await database.put(0..<1)
        let writer = try #require(database.writer)
        func seal(_ number: Int) async -> Task<Void, any Error> {
            let write = Task { try await database.put(number..<number + 1) }
            while await writer.queue.sealed <= UInt64(number) { await pause() }
            return write
        }
        gate.shut()
        let first = await seal(1)
        await gate.reached()
        let second = await seal(2)
        let isSettled = Flag()
        let settling = Task {
            await database.settle()
            isSettled.set(true)
        }
        while await writer.drainWaiters.isEmpty { await pause() }
        // The flush of the first ends, and that of the second is held up.
        gate.shut()
        gate.open()
        try await first.value
        let third = await seal(3)
        #expect(!isSettled.isSet)
        gate.shut()
        gate.open()
        try await second.value
        await pause { isSettled.isSet }
        #expect(isSettled.isSet)
        gate.open()
        try await third.value
        await settling.value
        try await database.close()
    }

    @Test func `commits that gather share the copies of what they change`() async throws {
        func allocations(_ write: (Database) async throws -> Void) async throws -> Int {
            let database = try await open()
            try await database.put(0..<20_000)
            try await database.compact()
            try await write(database)
            defer { withExtendedLifetime(database) {} }
            let count = database.version.allocations.count
            try await database.close()
            return count
        }
        let alone = try await allocations { database in
            for number in 0..<100 { try await database.put(number * 150..<number * 150 + 1, value: "new") }
        }
        let gathered = try await allocations { database in
            _ = try await turnstile.gather(100, in: database) { number, transaction in
                try transaction.put(Array("new".utf8), forKey: UInt64(number * 150), in: numbers)
            }
        }
        // A path of two or three nodes each; and one leaf each, below branches that all share.
        #expect(alone >= 200, "\(alone)")
        #expect(gathered <= 120, "\(gathered)")
    }

    @Test func `what commits that gather leave for later makes each leaf once`() async throws {
        let database = try await open()
        try await database.put(0..<20_000)
        try await database.compact()
        let before = database.version.allocations.count
        // Each transaction changes the same six leaves.
        let outcomes = try await turnstile.gather(100, in: database) { number, transaction in
            for leaf in 0..<6 {
                try transaction.putLater(Array("new".utf8), forKey: UInt64(leaf * 3000 + number), in: numbers)
            }
        }
        for outcome in outcomes { try outcome.get() }
        let kept = try contents(database.version)
        for leaf in 0..<6 {
            for number in 0..<100 { #expect(kept[UInt64(leaf * 3000 + number)] == Array("new".utf8)) }
        }
        // The first of them is flushed alone: a path to each leaf. The rest together make no more, and what is split.
        let count = database.version.allocations.count - before
        #expect(count <= 50, "\(count)")
        try await database.close()
    }

    /// - Parameter groupCount: how many are in a group whose trees are changed beside the log, before the others come.
    @Test(arguments: [0, 3]) func `a transaction that throws behind many that wait has few of them made again`(
        groupCount: Int
    ) async throws {
        var options = Options(compaction: .manual)
        options.mostCommitsOfRun = 10
        options.leastEntryCountBeside = 1
        let database = try Database.open(
            at: "A", trees: numberTrees, options: options, fileSystem: turnstile.fileSystem)
        try await database.put(0..<20_000)
        try await database.compact()
        let before = database.version.allocations.count
        let (first, later) = groupCount == 0 ? (400, 0) : (groupCount, 400 - groupCount)
        let outcomes = try await turnstile.gather(first, andThen: later, in: database) { number, transaction in
            guard number >= groupCount else {
                return try transaction.putLater(Array("new".utf8), forKey: UInt64(number * 50), in: numbers)
            }
            try transaction.put(Array("new".utf8), forKey: UInt64(number * 50), in: numbers)
            if number % 10 == 9 { throw Abandoned() }
        }
        #expect(outcomes.count { (try? $0.get()) != nil } == 360)
        #expect(try contents(database.version).count { $1 == Array("new".utf8) } == 360)
        // Some ten commits of two nodes for each of the forty that throw, where all that wait would be some two hundred.
        let count = database.version.allocations.count - before
        #expect(count <= 2000, "\(count)")
        try await database.close()
    }

    @Test func `a transaction that throws leaves those that wait with it as they were`() async throws {
        let database = try await open()
        let outcomes = try await turnstile.gather(40, in: database) { number, transaction in
            // All change the same leaf, and those that throw what others wrote.
            try transaction.put([UInt8(number)], forKey: UInt64(number), in: numbers)
            guard number % 3 == 0 else { return }
            for other in 0..<40 { try transaction.put([0xFF], forKey: UInt64(other), in: numbers) }
            try transaction.removeAll(in: numbers)
            throw Abandoned()
        }
        for (number, outcome) in outcomes.enumerated() {
            #expect((try? outcome.get()) != nil || number % 3 == 0)
        }
        let kept = try contents(database.version)
        for number in 1..<40 { #expect(kept[UInt64(number)] == (number % 3 == 0 ? nil : [UInt8(number)])) }
        #expect(database.version.invariantFindings().isEmpty)
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: turnstile.fileSystem)
        #expect(try contents(reopened.version) == kept)
        try await reopened.close()
    }

    @Test func `a commit decided on one that cannot be kept is refused with it, though it would fit by itself`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        let (isArmed, hasWritten, hasDecided) = (Flag(), Flag(), Flag())
        fileSystem.fail { call, path in
            guard path.contains("/log-") else { return nil }
            if call == .flush { usleep(1000) }
            guard call == .reserve, isArmed.isSet, hasWritten.isSet else { return nil }
            while !hasDecided.isSet { usleep(1000) }
            return .diskFull(path: path)
        }
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<1)
        var random = SeededGenerator(seed: 4)
        // Noise, more than the log has reserved.
        let value = (0..<3 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
        isArmed.set(true)
        let first = Task {
            try await database.write { transaction in
                try transaction.put(value, forKey: 1, in: numbers)
                hasWritten.set(true)
            }
        }
        while !hasWritten.isSet { await pause() }
        let second = Task {
            try await database.write { transaction in
                let isThere = try transaction.reader.contains(.key(1), in: numbers)
                try transaction.put(Array("decided \(isThere)".utf8), forKey: 2, in: numbers)
                hasDecided.set(true)
            }
        }
        await #expect(throws: StorageError.self) { try await first.value }
        await #expect(throws: StorageError.self) { try await second.value }
        fileSystem.fail(nil)
        try await database.put(5..<6)
        #expect(try contents(database.version).keys.sorted() == [0, 5])
        try await database.close()
    }

    @Test func `commits that wait when a flush fails are all in the new files, with what they left for later`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        let (isArmed, hasAll, hasFailed) = (Flag(), Flag(), Flag())
        let begun = CallCounter()
        fileSystem.fail { call, path in
            guard call == .flush, path.contains("/log-") else { return nil }
            // Long enough that the writer leaves its flushes to their queue.
            usleep(1000)
            guard isArmed.isSet, !hasFailed.isSet else { return nil }
            while !hasAll.isSet { usleep(1000) }
            hasFailed.set(true)
            return .inputOutput(operation: "fdatasync", path: path, code: 5)
        }
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<1)
        isArmed.set(true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await database.write { transaction in
                        _ = begun.count()
                        try transaction.putLater([UInt8(number)], forKey: UInt64(number), in: numbers)
                    }
                }
            }
            while begun.value < 20 { await pause() }
            hasAll.set(true)
            try await group.waitForAll()
        }
        #expect(hasFailed.isSet)
        let kept = try contents(database.version)
        for number in 1...20 { #expect(kept[UInt64(number)] == [UInt8(number)]) }
        #expect(database.version.invariantFindings().isEmpty)
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try contents(reopened.version) == kept)
        try await reopened.close()
    }

    @Test func `a version held from before is not changed by commits that change nodes together`() async throws {
        let database = try await open()
        try await database.put(0..<500)
        let held = database.version
        let before = try contents(held)
        _ = try await turnstile.gather(100, in: database) { number, transaction in
            for key in stride(from: number, to: 500, by: 7) { try transaction.remove(UInt64(key), in: numbers) }
        }
        #expect(try contents(held) == before)
        #expect(try contents(database.version) != before)
        try await database.close()
    }

    @Test(arguments: 1...3) func `writers that gather, throw and are compacted leave what each of them wrote`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        let database = try await open()
        var expected = try contents(database.version)
        for round in 0..<12 {
            let plans = (0..<24).map { writer in
                Plan(
                    keys: (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                        UInt64(writer) << 16 | UInt64.random(in: 0..<60, using: &generator)
                    },
                    value: [UInt8](repeating: UInt8(round), count: Int.random(in: 0...200, using: &generator)),
                    removes: generator.oneIn(4), isForLater: generator.oneIn(2), asks: generator.oneIn(5),
                    throws: generator.oneIn(5))
            }
            async let compaction: Void = round % 3 == 2 ? { _ = try await database.compact() }() : ()
            let outcomes = try await turnstile.gather(plans.count, in: database) { writer, transaction in
                let plan = plans[writer]
                for key in plan.keys {
                    if plan.removes {
                        try transaction.remove(key, in: numbers)
                    } else if plan.isForLater {
                        try transaction.putLater(plan.value, forKey: key, in: numbers)
                    } else {
                        try transaction.put(plan.value, forKey: key, in: numbers)
                    }
                }
                if plan.asks {
                    for key in plan.keys {
                        let value = try transaction.value(forKey: key, in: numbers) { $0.copyBytes() }
                        #expect(value == (plan.removes ? nil : plan.value))
                    }
                }
                if plan.throws { throw Abandoned() }
            }
            try await compaction
            for (plan, outcome) in zip(plans, outcomes) {
                guard !plan.throws else { continue }
                try outcome.get()
                for key in plan.keys { expected[key] = plan.removes ? nil : plan.value }
            }
            try #require(try contents(database.version) == expected)
            try #require(database.version.invariantFindings().isEmpty)
        }
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: turnstile.fileSystem)
        #expect(try contents(reopened.version) == expected)
        try await reopened.close()
    }

    private struct Plan {
        let keys: [UInt64]
        let value: [UInt8]
        let removes: Bool
        let isForLater: Bool
        let asks: Bool
        let `throws`: Bool
    }
}
