import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// A snapshot is written in stretches that are laid out side by side: it is the same file whoever does what when.
@Suite struct StretchTests {
    private static let rows = TreeDeclaration(TreeNumber(1), "rows", facetCount: 2, columns: [.hashSum])
    private static let byGroup = TreeDeclaration(
        TreeNumber(2), "by group", facetCount: 1, home: TreeHome(rows.number, lead: .bytes(1)))
    private static let records = TreeDeclaration(TreeNumber(3), "records")
    private static let texts = TreeDeclaration(TreeNumber(4), "texts", placement: .cold)
    private static let trees = [rows, byGroup, records, texts]

    private static func open(_ fileSystem: MemoryFileSystem, nodeEntryLimit: Int) throws -> Database {
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = nodeEntryLimit
        options.storeIdentifier = Array(1...16)
        return try Database.open(at: "A", trees: trees, options: options, fileSystem: fileSystem)
    }

    /// An entry in each tree, with values of all kinds: some that lie outside their leaf, some that end alike.
    private struct Item {
        let key: [UInt8]
        let group: UInt8
        let value: [UInt8]

        init(_ number: UInt64, using random: inout SeededGenerator) {
            key = [UInt8].key(number)
            group = UInt8.random(in: 0..<3, using: &random)
            let end = Array("/covers/of/all.jpg".utf8)
            value =
                (0..<Int.random(in: 0...30, using: &random)).map { _ in UInt8.random(in: 97...110, using: &random) }
                + end
        }

        /// Every entry of the item.
        func forEachEntry(
            _ body: (_ value: [UInt8], _ key: [UInt8], FacetSet, TreeNumber) throws -> Void
        ) rethrows {
            try body(value, key, FacetSet(rawValue: UInt16(group)), rows.number)
            try body([], [group] + key, FacetSet(rawValue: UInt16(group & 1)), byGroup.number)
            try body(value, key, [], records.number)
            if group == 0 { try body(Array([[UInt8]](repeating: value, count: 9).joined()), key, [], texts.number) }
        }
    }

    private static func put(_ items: [Item], into database: Database) async throws {
        try await database.write { transaction in
            for item in items {
                try item.forEachEntry { try transaction.put($0, forKey: $1, facets: $2, in: $3) }
            }
        }
    }

    private static func contents(of version: Version) throws -> [[[[UInt8]]]] {
        try trees.map { tree in
            var entries: [[[UInt8]]] = []
            try version.scan(tree.number) { key, value in
                entries.append([key.copyBytes(), value.copyBytes()])
                return true
            }
            return entries
        }
    }

    /// What a compaction writes of a version on so many threads.
    private static func snapshot(
        of version: Version, threadCount: Int, _ fileSystem: MemoryFileSystem
    ) throws -> [UInt8] {
        let files = StoreFiles(directory: "A")
        try SnapshotBuild(
            version: version, generation: 9, logSequence: 1, files: files, fileSystem: fileSystem,
            threadCount: threadCount
        ) { _ in }.write()
        let path = files.temporarySnapshot(9)
        defer { fileSystem.remove(path) }
        return try bytes(path, fileSystem)
    }

    private static func bytes(_ path: String, _ fileSystem: MemoryFileSystem) throws -> [UInt8] {
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        return try file.read(byteCount: file.byteCount(), at: 0)
    }

    @Test(arguments: [4, 9, .max], 1...2 as ClosedRange<UInt64>)
    func `a snapshot has the same bytes on one thread and on many, and holds what the version did`(
        nodeEntryLimit: Int, seed: UInt64
    ) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var database = try Self.open(fileSystem, nodeEntryLimit: nodeEntryLimit)
        var next: UInt64 = 0
        for round in 0..<3 {
            let items = (0..<(nodeEntryLimit == 4 ? 300 : 900)).map { _ in
                next += UInt64.random(in: 1...3, using: &random)
                return Item(round == 2 ? next / 2 : next, using: &random)
            }
            try await Self.put(items, into: database)
            let version = database.version
            let one = try Self.snapshot(of: version, threadCount: 1, fileSystem)
            for _ in 0..<2 {
                #expect(try Self.snapshot(of: version, threadCount: 8, fileSystem) == one)
            }
            let before = try Self.contents(of: version)
            try await database.compact()
            #expect(try Self.contents(of: database.version) == before)
            #expect(database.version.invariantFindings() == [])
        }
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        database = try Self.open(fileSystem, nodeEntryLimit: nodeEntryLimit)
        try await database.close()
    }

    /// With items at the front, in the middle and behind those that are there, by one collector or by three.
    @Test(arguments: [(4, 3), (4, 300), (.max, 3)] as [(Int, UInt64)], [300, 20_000, 1 << 20])
    func `a load has the same bytes whichever collectors gathered it, and wherever it was sorted`(
        store: (nodeEntryLimit: Int, keptEvery: UInt64), memoryByteCount: Int
    ) async throws {
        var random = SeededGenerator.forTest(fallback: 5)
        let (nodeEntryLimit, keptEvery) = store
        let count: UInt64 = nodeEntryLimit == .max ? 6000 : 900
        // Every third, or two in all: most of what is added lies within the leaf that they have.
        let kept = (1..<count).filter { $0 % keptEvery == 0 && $0 < count * 3 / 4 }.map { Item($0, using: &random) }
        let added = (0..<count).filter { $0 == 0 || $0 % keptEvery != 0 || $0 >= count * 3 / 4 }
            .map { Item($0, using: &random) }
        var files: [[UInt8]] = []
        var contents: [[[[[UInt8]]]]] = []
        for collectorCount in [1, 3] {
            let fileSystem = MemoryFileSystem()
            let database = try Self.open(fileSystem, nodeEntryLimit: nodeEntryLimit)
            try await Self.put(kept, into: database)
            try await database.compact()
            let places = added.map { _ in Int.random(in: 0..<collectorCount, using: &random) }
            let puts = zip(added, places).shuffled(using: &random)
            try await database.load(memoryByteCount: memoryByteCount) { load in
                let collectors = (0..<collectorCount).map { _ in load.makeCollector() }
                for (item, place) in puts {
                    try item.forEachEntry { try collectors[place].put($0, forKey: $1, facets: $2, in: $3) }
                }
            }
            #expect(database.version.generation.number == 3)
            contents.append(try Self.contents(of: database.version))
            files.append(try Self.bytes("A/snapshot-0000000000000003", fileSystem))
            try await database.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        }
        #expect(files[0] == files[1])
        #expect(contents[0] == contents[1])
        var all: [[UInt8]: [UInt8]] = [:]
        for item in kept + added { all[item.key] = item.value }
        let rows = contents[0][0]
        #expect(rows.map { $0[0] } == all.keys.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(rows.allSatisfy { all[$0[0]] == $0[1] })
    }

    // MARK: Runs

    @Test(arguments: [50, 5_000, 1 << 19, 1 << 22])
    func `a stretch of sorted entries is what all of them have between its keys`(memoryByteCount: Int) throws {
        var random = SeededGenerator.forTest(fallback: 8)
        let collector = EntryCollector(
            path: "load", declarations: [Self.records], memoryByteCount: memoryByteCount, MemoryFileSystem())
        let numbers = (0..<4000 as Range<UInt64>).shuffled(using: &random)
        // Long enough for several fences, and stretches of a file.
        for number in numbers {
            let value = [UInt8](
                repeating: UInt8(truncatingIfNeeded: number), count: memoryByteCount > 5_000 ? 300 : 20)
            try collector.put(value, forKey: .key(number * 2), in: Self.records.number)
        }
        try [collector].finish()
        let runs = try #require(collector.runs[Self.records.number])
        let countInMemory = runs.count { if case .memory = $0.place { true } else { false } }
        #expect(
            countInMemory == (memoryByteCount == 1 << 22 ? 1 : 0), "all of a load that fits, and nothing of another")
        for _ in 0..<40 {
            let bounds = (0..<2).map { _ in UInt64.random(in: 0...8001, using: &random) }.sorted()
            let start = random.oneIn(5) ? nil : bounds[0]
            let end = random.oneIn(5) ? nil : bounds[1]
            let keys = KeyRange(start: start.map { .key($0) }, end: end.map { .key($0) })
            var entries = try SortedEntries(runs, of: Self.records, keys)
            var found: [[UInt8]] = []
            while !entries.isAtEnd {
                try entries.withEntry { key, _, _ in found.append(key.copyBytes()) }
                try entries.advance()
            }
            let expected = (0..<4000).map { $0 * 2 }.filter { $0 >= start ?? 0 && $0 < end ?? .max }
            #expect(found == expected.map { .key($0) }, "from \(start ?? 0) to \(end ?? .max)")
        }
    }

    // MARK: Jobs

    /// Squares of numbers; some jobs or products fail.
    private struct Squares: OrderedWork {
        let count: Int
        var failingJob: Int?
        var failingProduct: Int?
        var failingTake: Int?
        /// A job that waits until all before it are taken.
        var barrier: Int?
        private var begun = 0
        private(set) var taken: [Int] = []

        init(count: Int) { self.count = count }

        struct Job: Sendable {
            let number: Int
            let fails: Bool
        }

        static func failure(_ number: Int) -> StorageError { .limitExceeded("\(number)") }

        mutating func next() throws(StorageError) -> OrderedJobs.Next<Job> {
            guard begun < count else { return .none }
            if begun == barrier, taken.count < begun { return .later }
            if begun == failingJob { throw Self.failure(begun) }
            defer { begun += 1 }
            return .job(Job(number: begun, fails: begun == failingProduct))
        }

        static func product(of job: Job) throws(StorageError) -> Int {
            // The first take the longest.
            var sum = 0
            for step in 0..<(job.number % 7 == 0 ? 20_000 : 10) { sum &+= step }
            if job.fails { throw failure(job.number) }
            return job.number * job.number + sum - sum
        }

        mutating func take(_ product: Int) throws(StorageError) {
            if taken.count == failingTake { throw Self.failure(taken.count) }
            taken.append(product)
        }
    }

    @Test(arguments: [1, 2, 16], [0, 1, 100])
    func `products are taken in the order of their jobs, and a job that waits for all before it gets them`(
        threadCount: Int, count: Int
    ) throws {
        var squares = Squares(count: count)
        squares.barrier = count / 2
        #expect(try OrderedJobs.run(squares, threadCount: threadCount).taken == (0..<count).map { $0 * $0 })
    }

    /// Two jobs, of which the first ends when the second has; where one thread does both, after a while.
    private struct Overtaking: OrderedWork {
        private let second = DispatchSemaphore(value: 0)
        private var begun = 0
        private(set) var taken: [Int] = []

        struct Job: Sendable {
            let number: Int
            let second: DispatchSemaphore
        }

        mutating func next() -> OrderedJobs.Next<Job> {
            guard begun < 2 else { return .none }
            defer { begun += 1 }
            return .job(Job(number: begun, second: second))
        }

        static func product(of job: Job) -> Int {
            if job.number == 1 { job.second.signal() } else { _ = job.second.wait(timeout: .now() + 5) }
            return job.number
        }

        mutating func take(_ product: Int) { taken.append(product) }
    }

    @Test func `a product that is done early waits for the one before it`() throws {
        #expect(try OrderedJobs.run(Overtaking(), threadCount: 2).taken == [0, 1])
    }

    @Test(arguments: [1, 2, 16]) func `what fails first in the order of the jobs is thrown`(threadCount: Int) {
        for (job, product, take) in [(40, nil, nil), (nil, 41, nil), (nil, nil, 42), (60, 43, 61), (44, 70, 71)]
            as [(Int?, Int?, Int?)]
        {
            var squares = Squares(count: 100)
            (squares.failingJob, squares.failingProduct, squares.failingTake) = (job, product, take)
            let first = [job, product, take].compactMap(\.self).min() ?? 0
            #expect(throws: Squares.failure(first)) { try OrderedJobs.run(squares, threadCount: threadCount) }
        }
    }
}
