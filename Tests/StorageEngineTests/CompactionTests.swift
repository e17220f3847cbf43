import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

@Suite struct CompactionTests {
    @Test func `commits made while a compaction runs are kept`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<20_000, .memory)
        async let compaction = database.compact()
        for number in 0..<300 {
            try await database.put(30_000 + number..<30_001 + number, number % 3 == 0 ? .flushed : .memory)
            try await database.write(.ordered) { try $0.remove(UInt64(number), in: numbers) }
        }
        _ = try await compaction
        #expect(try database.version.count(in: numbers) == 20_000)
        #expect(database.version.invariantFindings() == [])
        try await database.compact()
        #expect(database.version.invariantFindings() == [])
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 20_000)
        #expect(try reopened.version.contains(.init(repeating: 0, count: 8), in: numbers) == false)
        try await reopened.close()
    }

    @Test func `a compaction takes in what was committed before it was asked for, also behind one that runs`()
        async throws
    {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<20_000, .memory)
        let first = Task { try await database.compact() }
        for number in 0..<40 {
            await Task.yield()
            try await database.put(30_000 + number..<30_001 + number, .memory)
        }
        let commit = database.version.commitNumber
        let report = try await database.compact()
        #expect(report.commitNumber >= commit)
        #expect(try await first.value.commitNumber <= report.commitNumber)
        // Nothing was committed since, so nothing is written anew.
        let again = Task { try await database.compact() }
        let joined = try await database.compact()
        #expect(try await again.value.commitNumber == joined.commitNumber)
        try await database.close()
    }

    @Test func `pages are taken over as they are, and a snapshot stays dense however often it is compacted`()
        async throws
    {
        var random = SeededGenerator.forTest(fallback: 8)
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.put(0..<8_000)
        try await database.compact()
        for _ in 0..<12 {
            let places = (0..<10).map { _ in UInt64.random(in: 0..<9_000, using: &random) }
            try await database.write { transaction in
                for place in places {
                    for number in place..<place + 20 { try transaction.remove(number, in: numbers) }
                    try transaction.put([UInt8](repeating: 1, count: 90), forKey: place, in: numbers)
                }
            }
            let count = try database.version.count(in: numbers)
            try await database.compact()
            #expect(try database.version.count(in: numbers) == count)
            #expect(database.version.invariantFindings() == [])
            let record = try #require(
                database.version.generation.file.superblock.trees.first { $0.declaration.number == numbers })
            let pages = Int(record.leafPages + record.branchPages)
            #expect(Int(record.usedByteCount) > pages * NodeLayout.pageByteCount * 7 / 10)
        }
    }

    /// It filled the disk before it failed, and commits found no room meanwhile.
    @Test func `a compaction that the disk has no room for is refused before it writes anything`() async throws {
        let fileSystem = SettableFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<20_000)
        try await database.compact()
        try await database.put(20_000..<20_010)
        let size = UInt64(database.version.generation.file.superblock.fileByteCount)
        let names = try fileSystem.names(inDirectory: "A")
        for _ in 0..<2 {
            fileSystem.set(free: size / 2)
            let error = await #expect(throws: StorageError.self) { try await database.compact() }
            guard case .tooLittleSpace("A", let needed, free: size / 2) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(needed > size / 2 && needed <= size)
            #expect(database.status.compactionFailure == error)
            #expect(try fileSystem.names(inDirectory: "A") == names)
        }
        try await database.put(20_010..<20_020)
        // What was deleted needs no room: a compaction is how it comes back.
        try await database.write { transaction in
            for number in 0..<15_000 as Range<UInt64> { try transaction.remove(number, in: numbers) }
        }
        #expect(try await database.compact().snapshotByteCount < Int(size / 2))
        #expect(database.status.compactionFailure == nil)
        #expect(try database.version.count(in: numbers) == 5_020)
        try await database.close()
    }

    @Test func `a cancelled compaction leaves the store as it was`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<50_000, .memory)
        let task = Task { try await database.compact() }
        task.cancel()
        await #expect(throws: StorageError.cancelled) { try await task.value }
        try await database.put(0..<10)
        #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.contains("tmp") })
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 50_000)
        try await reopened.close()
    }

    @Test func `who waits for a compaction or a restore of others and is cancelled does not wait on`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<1000)
        _ = try await database.backup(to: "B")
        let writer = try #require(database.writer)
        func expectCancelled(_ name: String, _ work: @escaping @Sendable () async throws -> Void) async {
            let task = Task { try await work() }
            // The compaction is held up, so it comes to wait.
            for _ in 0..<20 { await pause() }
            task.cancel()
            await #expect(throws: StorageError.cancelled, "\(name)") { try await task.value }
        }
        var gate = fileSystem.gate(.write, "snapshot-")
        let compaction = Task { try await database.compact() }
        await gate.reached()
        await expectCancelled("a compaction") { try await database.compact() }
        await expectCancelled("a load") { try await database.load { _ in } }
        #expect(await writer.compaction != nil, "nobody who waits for it takes it along")
        gate.open()
        _ = try await compaction.value
        gate = fileSystem.gate(.write, "snapshot-")
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        let restore = Task { try await database.restore(plan) }
        await gate.reached()
        await expectCancelled("a restore") { try await database.restore(plan) }
        gate.open()
        _ = try await restore.value
        try await database.put(1000..<1001)
        try await database.load { load in
            try load.makeCollector().put([1], forKey: .key(5000), in: numbers)
        }
        try await database.compact()
        #expect(try database.version.count(in: numbers) == 1002)
        try await database.close()
    }

    @Test func `a compaction is given up when its store was let go, and none begins then`() async throws {
        let disk = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
        try await database.put(0..<300)
        let gate = disk.gate(.write, "snapshot-")
        let compaction = Task { try await database.compact() }
        await gate.reached()
        database.letGo()
        gate.open()
        await #expect(throws: StorageError.cancelled) { try await compaction.value }
        await #expect(throws: StorageError.closed(path: "A")) { try await database.compact() }
        #expect(database.version.generation.number == 1)
    }

    @Test func `a compaction that its caller has left is not joined: the next begins after it`() async throws {
        let disk = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
        try await database.put(0..<300)
        let gate = disk.gate(.write, "snapshot-")
        let left = Task { try await database.compact() }
        await gate.reached()
        left.cancel()
        let writer = try #require(database.writer)
        while await writer.compaction?.isCancelled != true { await pause() }
        let next = Task { try await database.compact() }
        for _ in 0..<20 { await pause() }
        gate.open()
        await #expect(throws: StorageError.cancelled) { try await left.value }
        #expect(try await next.value.commitNumber == 1)
        try await database.close()
    }

    @Test func `whichever call to the disk fails, a compaction leaves no file behind, and the store goes on`()
        async throws
    {
        var (number, isOver) = (0, false)
        var failed = 0
        while !isOver {
            let fileSystem = FaultyFileSystem()
            let database = try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
            try await database.put(0..<300)
            let calls = CallCounter()
            let which = Mutex<FaultyFileSystem.Call?>(nil)
            fileSystem.fail { [number] call, path in
                guard calls.count() == number + 1 else { return nil }
                which.withLock { $0 = call }
                return .diskFull(path: path)
            }
            do {
                try await database.compact()
                isOver = which.withLock { $0 } == nil
            } catch {
                failed += 1
            }
            fileSystem.fail(nil)
            // A rescue that the failure began has files of its own.
            await database.settle()
            let names = try fileSystem.names(inDirectory: "A")
            if which.withLock({ $0 }) != .remove {
                #expect(
                    !names.contains { $0.contains(".tmp") },
                    "call \(number), \(String(describing: which.withLock { $0 })): \(names)")
            }
            try await database.put(300..<310)
            try await database.close()
            let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            #expect(try reopened.version.count(in: numbers) == 310, "call \(number)")
            try await reopened.close()
            number += 1
        }
        #expect(failed > 8)
    }

    @Test func `a reader keeps the generation it maps and no other file`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/A.bookdb"
            let database = try Database.open(at: path, trees: numberTrees)
            try await database.put(0..<3000)
            try await database.compact()
            let reader = database.version
            for round in 0..<5 {
                try await database.put(0..<3000, value: "round \(round)")
                try await database.compact()
            }
            #expect(try PosixFileSystem().files("snapshot", in: path).count == 1)
            #expect(try PosixFileSystem().files("log", in: path).count == 1)
            let value = try reader.value(forKey: 9, in: numbers) { $0.string(at: 0, count: $0.byteCount) }
            #expect(value == "value 9")
            try await database.close()
        }
    }

    @Test func `the log is folded in by rule, and not at closing`() async throws {
        let fileSystem = MemoryFileSystem()
        // By hand first: how far a compaction in the background has come by the closing is nobody's promise.
        var database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        var generator = SeededGenerator(seed: 3)
        func write(_ count: Int, to database: Database) async throws {
            for _ in 0..<count {
                let value = (0..<(1 << 20)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                try await database.write(.memory) { try $0.put(value, forKey: 1, in: numbers) }
            }
        }
        try await write(9, to: database)
        try await database.close()
        #expect(try StoreInspection(at: "A", fileSystem: fileSystem).generation == 1)
        database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        // An opening that finds a long log has it folded in.
        while database.version.generation.number == 1 { await pause() }
        try await write(2, to: database)
        try await database.close()
        let inspection = try StoreInspection(at: "A", fileSystem: fileSystem)
        #expect(inspection.generation == 2)
        #expect(inspection.logByteCount > 2 << 20 && inspection.logByteCount < 8 << 20)
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound)
    }

    @Test func `equal histories compact to equal bytes, and equal contents to equal pages`() async throws {
        var files: [[UInt8]] = []
        for order in [Array(0..<2000), Array(0..<2000), Array((0..<2000).reversed())] {
            let fileSystem = MemoryFileSystem()
            let options = Options(storeIdentifier: Array("equal histories.".utf8))
            let database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
            try await database.write { transaction in
                for number in order { try transaction.put([UInt8(number % 251)], forKey: UInt64(number), in: numbers) }
            }
            try await database.compact()
            try await database.close()
            files.append(try fileSystem.bytes(of: try #require(fileSystem.files("snapshot", in: "A").first)))
        }
        #expect(files[0] == files[1])
        // The superblocks name the end of the log, which differs.
        let pages = files.map { $0.dropFirst(4096).dropLast(4096) }
        #expect(pages[0] == pages[2])
    }
}
