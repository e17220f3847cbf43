import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

@Suite struct LoadTests {
    private static let tree = TreeDeclaration(
        TreeNumber(1), "counted", facetCount: 3, columns: [.fingerprint, .hashSum])
    private static let texts = TreeDeclaration(TreeNumber(2), "texts", placement: .cold)

    private func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(
            at: "A", trees: [Self.tree, Self.texts], options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// - Parameter isAnew: whether of what the tree had before nothing is to stay.
    @Test(arguments: [false, true])
    func `a load of random entries gives what putting them gives, however little memory it has`(
        isAnew: Bool
    ) async throws {
        var random = SeededGenerator.forTest(fallback: 51)
        for memoryByteCount in [500, 5_000, 1 << 20] {
            for addedCount in [3, 400, 3_000] {
                let fileSystem = MemoryFileSystem()
                let database = try open(fileSystem)
                var model = TreeModel()
                let items = (0..<600 + addedCount).map { _ in Self.item(using: &random) }
                for item in items.prefix(600) { model.put(item) }
                try await database.write { transaction in
                    for item in items.prefix(600) {
                        try transaction.put(
                            item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: Self.tree.number)
                    }
                }
                if Bool.random(using: &random) { try await database.compact() }
                if isAnew { model = TreeModel() }
                // Each key once.
                let added = Dictionary(items.dropFirst(600).map { ($0.key, $0) }) { first, _ in first }
                for item in added.values { model.put(item) }
                try await database.load(memoryByteCount: memoryByteCount) { load in
                    if isAnew { load.replace(Self.tree.number) }
                    let collectors = (0..<3).map { _ in load.makeCollector() }
                    for (index, item) in added.values.enumerated() {
                        try collectors[index % 3].put(
                            item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: Self.tree.number)
                    }
                }
                #expect(database.version.invariantFindings() == [])
                try model.check(database.version, Self.tree, using: &random)
                let commit = database.version.commitNumber
                #expect(commit == 2)
                try await database.write { try $0.put([1], forKey: [1], in: Self.texts.number) }
                try await database.close()
                #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.contains("tmp") })
                let reopened = try open(fileSystem)
                #expect(reopened.version.commitNumber == commit + 1)
                try model.check(reopened.version, Self.tree, using: &random)
                try await reopened.close()
                #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
            }
        }
    }

    @Test func `a tree may be emptied by a load, and the others stay`() async throws {
        for count in [3, 5_000] {
            let fileSystem = MemoryFileSystem()
            let database = try open(fileSystem)
            try await database.write { transaction in
                for number in 0..<count { try transaction.put([1], forKey: UInt64(number), in: Self.tree.number) }
                try transaction.put([1], forKey: [1], in: Self.texts.number)
            }
            try await database.compact()
            let held = database.version
            try await database.load { $0.replace(Self.tree.number) }
            #expect(try database.version.count(in: Self.tree.number) == 0)
            #expect(try database.version.count(in: Self.texts.number) == 1)
            #expect(try held.count(in: Self.tree.number) == count)
            #expect(database.version.commitNumber == 2)
            try await database.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
            let reopened = try open(fileSystem)
            #expect(try reopened.version.count(in: Self.tree.number) == 0)
            try await reopened.close()
        }
    }

    private static func item(using random: inout SeededGenerator) -> TreeModel.Item {
        // Some keys share a long beginning, some are short; many are met twice.
        let start = [UInt8](repeating: 7, count: Int.random(in: 0...12, using: &random))
        let key =
            start + (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 0...20, using: &random) }
        let value = [UInt8](repeating: .random(in: 0...9, using: &random), count: .random(in: 0...40, using: &random))
        return TreeModel.Item(key: key, value: value, facets: .random(in: 0..<8, using: &random))
    }

    @Test func `texts of a load lie compressed in the snapshot, and large values beside it`() async throws {
        let database = try open(MemoryFileSystem())
        let text = [UInt8](repeating: 65, count: 100_000)
        try await database.load { load in
            let collector = load.makeCollector()
            for key in 0..<50 as Range<UInt8> { try collector.put(text, forKey: [key], in: Self.texts.number) }
            try collector.put(text, forKey: [9], facets: FacetSet(Facet(2)), in: Self.tree.number)
        }
        #expect(database.version.generation.file.superblock.fileByteCount < 300_000)
        #expect(try database.version.value(forKey: [49], in: Self.texts.number) { $0.byteCount } == text.count)
        #expect(try database.version.value(forKey: [9], in: Self.tree.number) { $0.byteCount } == text.count)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
    }

    @Test
    func `transactions and compactions that come during a load wait for its end, and readers see the old version`()
        async throws
    {
        let database = try open(MemoryFileSystem())
        try await database.write { try $0.put([], forKey: [0], in: Self.tree.number) }
        let gate = Gate()
        let load = Task {
            try await database.load { load in
                gate.pass()
                let collector = load.makeCollector()
                for key in 1...200 as ClosedRange<UInt8> {
                    try collector.put(Array(repeating: key, count: 200), forKey: [key], in: Self.tree.number)
                }
            }
        }
        await gate.reached()
        #expect(try database.version.count(in: Self.tree.number) == 1)
        let write = Task {
            try await database.write { transaction in
                try transaction.put([], forKey: [255], in: Self.tree.number)
                return try transaction.count(in: Self.tree.number)
            }
        }
        let compaction = Task { try await database.compact() }
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        try await load.value
        #expect(try await write.value == 202)
        _ = try await compaction.value
        #expect(try database.version.count(in: Self.tree.number) == 202)
        #expect(database.version.commitNumber == 3)
        try await database.close()
    }

    @Test func `whoever waits for a load and is cancelled waits no longer`() async throws {
        let database = try open(MemoryFileSystem())
        let gate = Gate()
        let load = Task {
            try await database.load { load in
                gate.pass()
                try load.makeCollector().put([], forKey: [1], in: Self.tree.number)
            }
        }
        await gate.reached()
        let calls = [
            Task { try await database.write { try $0.put([], forKey: [2], in: Self.tree.number) } },
            Task { _ = try await database.compact() },
            Task { try await database.load { _ in } },
        ]
        // So that most runs find them waiting; one that was cancelled before must not begin to.
        for _ in 0..<100 { await Task.yield() }
        for call in calls {
            call.cancel()
            let outcome = await call.result
            #expect(throws: StorageError.cancelled) { try outcome.get() }
        }
        gate.open()
        try await load.value
        #expect(try database.version.count(in: Self.tree.number) == 1)
        try await database.close()
    }

    @Test func `when loads are given up the one that runs ends, and those that wait do not begin`() async throws {
        let database = try open(MemoryFileSystem())
        let gate = Gate()
        let running = Task {
            try await database.load { load in
                gate.pass()
                try load.makeCollector().put([], forKey: [1], in: Self.tree.number)
            }
        }
        await gate.reached()
        let waiting = Task {
            try await database.load { try $0.makeCollector().put([], forKey: [2], in: Self.tree.number) }
        }
        for _ in 0..<20 { await pause() }
        await database.prepareToClose()
        gate.open()
        for load in [running, waiting] {
            let outcome = await load.result
            #expect(throws: StorageError.cancelled) { try outcome.get() }
        }
        // What is no load goes on until the store closes.
        try await database.write { try $0.put([], forKey: [3], in: Self.tree.number) }
        #expect(try database.version.count(in: Self.tree.number) == 1)
        try await database.close()
    }

    @Test func `who waits for a load that becomes a commit is not overtaken during its flush`() async throws {
        let disk = FaultyFileSystem()
        let flush = FlushGate(disk)
        let database = try open(disk)
        try await database.write { transaction in
            for number in 0..<2_000 as Range<UInt64> { try transaction.put([7], forKey: number, in: Self.tree.number) }
        }
        try await database.compact()
        let gate = Gate()
        let hasWritten = [Flag(), Flag()]
        let isOvertaken = Flag()
        let load = Task {
            try await database.load { load in
                gate.pass()
                try load.makeCollector().put([1], forKey: [9], in: Self.tree.number)
            }
        }
        await gate.reached()
        let first = Task {
            try await database.write { transaction in
                if hasWritten[1].isSet { isOvertaken.set(true) }
                hasWritten[0].set(true)
                try transaction.put([1], forKey: [1], in: Self.tree.number)
            }
        }
        for _ in 0..<20 { await pause() }
        flush.shut()
        gate.open()
        await flush.reached()
        let second = Task {
            try await database.write { transaction in
                hasWritten[1].set(true)
                try transaction.put([1], forKey: [2], in: Self.tree.number)
            }
        }
        while !hasWritten[1].isSet { await pause() }
        flush.open()
        try await load.value
        try await first.value
        try await second.value
        #expect(hasWritten[0].isSet && !isOvertaken.isSet)
        try await database.close()
    }

    @Test func `a load whose task is cancelled adds nothing, and says so in the store's words`() async throws {
        let database = try open(MemoryFileSystem())
        let gate = Gate()
        let load = Task {
            try await database.load { load in
                gate.pass()
                try load.makeCollector().put([], forKey: [1], in: Self.tree.number)
            }
        }
        await gate.reached()
        load.cancel()
        gate.open()
        let outcome = await load.result
        #expect(throws: StorageError.cancelled) { try outcome.get() }
        #expect(try database.version.count(in: Self.tree.number) == 0)
        try await database.close()
    }

    @Test func `a load whose body throws adds nothing, and the store goes on`() async throws {
        struct Whim: Error {}
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem)
        await #expect(throws: Whim.self) {
            try await database.load(memoryByteCount: 100) { load in
                let collector = load.makeCollector()
                for key in 0..<99 as Range<UInt8> { try collector.put([key], forKey: [key], in: Self.tree.number) }
                throw Whim()
            }
        }
        #expect(try database.version.count(in: Self.tree.number) == 0)
        #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.contains("tmp") })
        try await database.load { try $0.makeCollector().put([], forKey: [1], in: Self.tree.number) }
        #expect(try database.version.count(in: Self.tree.number) == 1)
        try await database.close()
        await #expect(throws: StorageError.self) { try await database.load { _ in } }
    }

    @Test func `a load that begins while another is flushed has the store to itself`() async throws {
        // Of the entries of the second load, which becomes a commit or a snapshot. One after the other: a flush that is held up holds a thread.
        for count in [1, 4_000] { try await loadBehindAFlush(count) }
    }

    private func loadBehindAFlush(_ entries: Int) async throws {
        let disk = FaultyFileSystem()
        let gate = FlushGate(disk)
        let database = try open(disk)
        try await database.write { transaction in
            for number in 0..<2_000 as Range<UInt64> {
                try transaction.put([7], forKey: Array("base".utf8) + .key(number), in: Self.tree.number)
            }
        }
        try await database.compact()
        let sum = Array("sum".utf8)
        @Sendable func value(in version: Version) throws -> UInt8 {
            try version.bytes(forKey: sum, in: Self.tree.number)?.first ?? 0
        }
        let (hasBegun, mayEnd, hasWritten) = (Flag(), Flag(), Flag())
        let first = Task {
            try await database.load { load in
                hasBegun.set(true)
                while !mayEnd.isSet { Thread.sleep(forTimeInterval: 0.001) }
                try load.makeCollector().put([1], forKey: [1], in: Self.tree.number)
            }
        }
        while !hasBegun.isSet { await pause() }
        let write = Task {
            try await database.write { transaction in
                let value = try transaction.bytes(forKey: sum, in: Self.tree.number)?.first ?? 0
                try transaction.put([value + 1], forKey: sum, in: Self.tree.number)
            }
            hasWritten.set(true)
        }
        for _ in 0..<20 { await pause() }
        gate.shut()
        mayEnd.set(true)
        await gate.reached()
        let second = Task {
            try await database.load { load in
                let value = try value(in: load.version)
                // Long enough for a write that is let in.
                for _ in 0..<200 where !hasWritten.isSet { Thread.sleep(forTimeInterval: 0.001) }
                let collector = load.makeCollector()
                for number in 0..<UInt64(entries) {
                    try collector.put([1], forKey: Array("more".utf8) + .key(number), in: Self.tree.number)
                }
                try collector.put([value + 10], forKey: sum, in: Self.tree.number)
            }
        }
        for _ in 0..<20 { await pause() }
        gate.open()
        try await first.value
        try await second.value
        try await write.value
        #expect(try value(in: database.version) == 11)
        #expect(try database.version.count(in: Self.tree.number) == 2_002 + entries)
        try await database.close()
        let reopened = try open(disk)
        #expect(try value(in: reopened.version) == 11)
        #expect(try reopened.version.count(in: Self.tree.number) == 2_002 + entries)
        try await reopened.close()
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
    }

    @Test func `what a tree cannot hold is refused at once`() async throws {
        let database = try open(MemoryFileSystem())
        try await database.load { load in
            let collector = load.makeCollector()
            #expect(throws: StorageError.self) { try collector.put([], forKey: [], in: Self.tree.number) }
            #expect(throws: StorageError.self) { try collector.put([], forKey: [1], in: TreeNumber(9)) }
            #expect(throws: StorageError.self) {
                try collector.put([], forKey: [1], facets: FacetSet(Facet(5)), in: Self.tree.number)
            }
        }
        #expect(database.version.commitNumber == 0)
        try await database.close()
    }

    @Test func `whichever call to the disk fails during a load, the store has all of it or nothing`() async throws {
        func load(_ database: Database) async throws {
            try await database.load(memoryByteCount: 2_000) { load in
                let collector = load.makeCollector()
                for key in 0..<200 as Range<UInt8> {
                    try collector.put(Array(repeating: key, count: 60), forKey: [key], in: Self.tree.number)
                }
            }
        }
        let unharmed = FaultyFileSystem()
        let calls = Mutex(0)
        let database = try open(unharmed)
        unharmed.fail { _, _ in
            calls.withLock { $0 += 1 }
            return nil
        }
        try await load(database)
        let callCount = calls.withLock { $0 }
        #expect(callCount > 15)
        for failing in 1...callCount {
            let fileSystem = FaultyFileSystem()
            let database = try open(fileSystem)
            try await database.write { try $0.put([], forKey: [250], in: Self.tree.number) }
            let made = Mutex(0)
            fileSystem.fail { _, _ in
                made.withLock { count in
                    count += 1
                    return count == failing ? StorageError.inputOutput(operation: "call", path: "A", code: 5) : nil
                }
            }
            let isLoaded = (try? await load(database)) != nil
            fileSystem.fail(nil)
            #expect(try database.version.count(in: Self.tree.number) == (isLoaded ? 201 : 1), "call \(failing)")
            let isWritten = (try? await database.write { try $0.put([], forKey: [251], in: Self.tree.number) }) != nil
            try? await database.close()
            let reopened = try open(fileSystem)
            let count = try reopened.version.count(in: Self.tree.number) - (isWritten ? 1 : 0)
            #expect(isLoaded ? count == 201 : [1, 201].contains(count), "call \(failing)")
            #expect(reopened.version.invariantFindings() == [])
            try await reopened.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound, "call \(failing)")
        }
    }
}
