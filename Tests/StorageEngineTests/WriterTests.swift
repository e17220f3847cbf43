import StorageEngine
import Testing

@Suite struct WriterTests {
    struct Refused: Error {}

    @Test func `a transaction that throws leaves nothing behind`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.put(0..<100)
        await #expect(throws: Refused.self) {
            try await database.write { transaction in
                for number in 0..<200 { try transaction.remove(UInt64(number), in: numbers) }
                try transaction.put([1], forKey: 999, in: numbers)
                throw Refused()
            }
        }
        #expect(try database.version.count(in: numbers) == 100)
        #expect(database.version.commitNumber == 1)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
    }

    @Test func `a transaction reads what it has written`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        let seen = try await database.write { transaction in
            try transaction.put([7], forKey: 1, in: numbers)
            return try transaction.value(forKey: 1, in: numbers) { $0.byteCount }
        }
        #expect(seen == 1)
        try await database.close()
    }

    @Test func `a transaction that changes nothing makes no commit`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.write { _ in }
        #expect(database.version.commitNumber == 0)
        try await database.close()
    }

    @Test func `a transaction whose task was cancelled before does not begin, and one that has begun is committed`()
        async throws
    {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.write { transaction in try transaction.put([1], forKey: 1, in: numbers) }
        }
        await #expect(throws: StorageError.cancelled) { try await before.value }
        #expect(database.version.commitNumber == 0)
        let within = Task {
            try await database.write { transaction in
                try transaction.put([1], forKey: 1, in: numbers)
                withUnsafeCurrentTask { $0?.cancel() }
                try transaction.put([2], forKey: 2, in: numbers)
            }
        }
        try await within.value
        #expect(try database.version.count(in: numbers) == 2)
        try await database.close()
    }

    @Test func `an old version keeps its answers while the store moves on`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.put(0..<1000)
        let old = database.version
        for round in 0..<20 {
            try await database.put(round * 50..<round * 50 + 50, value: "changed")
            try await database.write { transaction in
                for number in 0..<10 { try transaction.remove(UInt64(round * 10 + number), in: numbers) }
            }
        }
        try await database.compact()
        #expect(try old.count(in: numbers) == 1000)
        let value = try old.value(forKey: 5, in: numbers) { $0.string(at: 0, count: $0.byteCount) }
        #expect(value == "value 5")
        #expect(old.invariantFindings() == [])
        try await database.close()
    }

    @Test func `a durable commit costs one write and one flush`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<1)
        let before = fileSystem.counts
        try await database.put(1..<2)
        let after = fileSystem.counts
        #expect(after.writes == before.writes + 1)
        #expect(after.durableFlushes == before.durableFlushes + 1)
        #expect(after.directoryFlushes == before.directoryFlushes)
        try await database.close()
    }

    @Test func `a commit in memory is visible when it returns`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        for number in 0..<50 {
            try await database.put(number..<number + 1, .memory)
            #expect(try database.version.count(in: numbers) == number + 1)
        }
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 50)
        try await reopened.close()
    }

    @Test func `published commits arrive in order with what was attached`() async throws {
        let numbers = Recorder()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem()) { commit in
            numbers.append(commit.commitNumber, commit.note as? Int)
        }
        for number in 1...20 {
            try await database.write(number % 2 == 0 ? .memory : .flushed) { transaction in
                transaction.note = number
                try transaction.put([1], forKey: UInt64(number), in: TreeNumber(1))
            }
        }
        #expect(numbers.commits == (1...20).map { UInt64($0) })
        #expect(numbers.notes == Array(1...20))
        try await database.close()
    }

    @Test func `limits are refused with a sentence`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        for key in [[], [UInt8](repeating: 1, count: 513)] {
            await #expect(throws: StorageError.self) {
                try await database.write { try $0.put([1], forKey: key, in: numbers) }
            }
        }
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.put([UInt8](repeating: 0, count: 17 << 20), forKey: 1, in: numbers) }
        }
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.put([1], forKey: 1, facets: FacetSet(rawValue: 4), in: numbers) }
        }
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.put([1], forKey: 1, in: TreeNumber(9)) }
        }
        #expect(database.version.commitNumber == 0)
        try await database.close()
    }

    @Test func `writes after closing are refused and held versions still read`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.put(0..<10)
        let version = database.version
        try await database.close()
        try await database.close()
        await #expect(throws: StorageError.closed(path: "A")) { try await database.put(0..<1) }
        #expect(try version.count(in: numbers) == 10)
    }

    @Test func `a second writer is told who has the store`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(throws: StorageError.inUse(path: "A", processIdentifier: 0)) {
            try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        }
        let reader = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        await #expect(throws: StorageError.readOnly(path: "A")) { try await reader.put(0..<1) }
        try await database.close()
        try await Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem).close()
    }

    @Test func `declaring a tree differently is a contradiction, a new tree is added`() async throws {
        let fileSystem = MemoryFileSystem()
        try await Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem).close()
        #expect(throws: StorageError.self) {
            try Database.open(
                at: "A", trees: [TreeDeclaration(numbers, "numbers", facetCount: 3)], fileSystem: fileSystem)
        }
        let more = numberTrees + [TreeDeclaration(TreeNumber(2), "more")]
        let database = try Database.open(at: "A", trees: more, fileSystem: fileSystem)
        #expect(try database.version.count(in: TreeNumber(2)) == 0)
        try await database.write { try $0.put([1], forKey: 1, in: TreeNumber(2)) }
        try await database.close()
        let reopened = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        #expect(reopened.version.declarations.map(\.name) == ["numbers", "more"])
        #expect(try reopened.version.count(in: TreeNumber(2)) == 1)
        try await reopened.close()
    }
}
