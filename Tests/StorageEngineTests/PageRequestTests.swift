import TestSupport
import Testing

@testable import StorageEngine

/// Pages that the system does not have are asked for together before the first of them is waited for; what it has is not asked for.
@Suite struct PageRequestTests {
    private static let rows = PlacesTests.rows
    private static let order = PlacesTests.byNumber
    private static let rowCount = 10_000
    /// As long as to fill a page with ten rows.
    private static let value = [UInt8](repeating: 1, count: 400)

    /// A compacted store, opened by a process to which all of it is new: an order that has nothing to do with that of the rows.
    private static func store(
        isCached: Bool, _ help: HelpfulWork.Help = .someTime
    ) async throws -> (Database, FaultyFileSystem) {
        let files = MemoryFileSystem()
        var options = Options(compaction: .manual)
        options.work = HelpfulWork(help)
        let made = try Database.open(at: "A", trees: PlacesTests.trees, options: options, fileSystem: files)
        try await put(0..<rowCount, in: made)
        try await made.compact()
        try await made.close()
        let fileSystem = FaultyFileSystem(files, isCached: isCached)
        return (
            try Database.open(at: "A", trees: PlacesTests.trees, options: options, fileSystem: fileSystem), fileSystem
        )
    }

    private static func key(_ number: Int) -> [UInt8] { Array("row \(number * 7919 % rowCount + 10 * rowCount)".utf8) }

    private static func lead(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        return (0..<2).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func put(_ numbers: some Sequence<Int> & Sendable, in database: Database) async throws {
        try await database.write { transaction in
            for number in numbers {
                try transaction.putLater(value, forKey: key(number), in: rows)
                try transaction.putLater([], forKey: lead(number) + key(number), in: order.number)
            }
        }
    }

    /// The pages that `body` touches first, and those that are asked for meanwhile.
    private static func pages(
        of database: Database, _ fileSystem: FaultyFileSystem, _ body: () async throws -> Void
    ) async throws -> (touched: Set<Int>, asked: Set<Int>) {
        let file = database.version.generation.file
        let pages = file.pages
        let before = Set((0..<pages.pageCount).filter { pages.isTouched($0) })
        let requestCount = fileSystem.counts.prefetched[file.path]?.count ?? 0
        try await body()
        var asked: Set<Int> = []
        for range in fileSystem.counts.prefetched[file.path]?.dropFirst(requestCount) ?? [] {
            #expect(range.lowerBound % 4096 == 0 && range.count <= 128 << 10)
            asked.formUnion(range.lowerBound / 4096..<range.upperBound / 4096)
        }
        let touched = Set((0..<pages.pageCount).filter { pages.isTouched($0) && !before.contains($0) })
        return withExtendedLifetime(file) { (touched, asked) }
    }

    @Test(arguments: [false, true])
    func `the rows of fifty entries of an order are asked for before the first is read`(isReversed: Bool) async throws {
        let (database, fileSystem) = try await Self.store(isCached: false)
        let version = database.version
        var askedFirst: Int?
        let (touched, asked) = try await Self.pages(of: database, fileSystem) {
            try version.scan(Self.order.number, positions: 5_000..<5_001) { _, _ in true }
            var keys: [[UInt8]] = []
            let path = version.generation.file.path
            func note(_ key: RawSpan) -> Bool {
                if keys.isEmpty { askedFirst = fileSystem.counts.prefetched[path]?.count }
                keys.append(key.copyBytes())
                return true
            }
            if isReversed {
                try version.scan(Self.order.number, after: Self.lead(1), descending: true) { key, _ in
                    note(key) && keys.count < 50
                }
            } else {
                try version.scan(Self.order.number, positions: 5_001..<5_051) { key, _ in note(key) }
            }
            #expect(keys.count == 50)
            #expect(askedFirst == fileSystem.counts.prefetched[path]?.count, "nothing is asked for after the first")
        }
        // The way to the leaf is read one by one, and the row before the first.
        #expect(touched.count > 40 && touched.subtracting(asked).count < 8)
        #expect(asked.subtracting(touched).count < 150, "no more is asked for than some that may come next")
        // Some of them new, and the rest read before.
        let again = try await Self.pages(of: database, fileSystem) {
            try version.scan(Self.order.number, positions: 4_990..<5_051) { _, _ in true }
        }
        #expect(isReversed || again.asked.count >= 8 && again.asked.intersection(touched).count < 10)
        try await database.close()
    }

    enum Way: CaseIterable { case position, behindKey, beforeKey }

    @Test(arguments: Way.allCases)
    func `the leaves of rows that follow each other are asked for together, a few at a time`(way: Way)
        async throws
    {
        let (database, fileSystem) = try await Self.store(isCached: false)
        let version = database.version
        let path = version.generation.file.path
        func requestCount() -> Int? { fileSystem.counts.prefetched[path]?.count }
        let middle = Array("row \(10 * Self.rowCount + 5_000)".utf8)
        // Twenty of these are on a leaf. The branches are read one by one, the leaf with a key, and the first of a visit that may end anywhere.
        func visit() throws -> (rowCount: Int, askedAtFirst: Int?, askedAtLast: Int?) {
            var (rowCount, askedAtFirst, askedAtLast) = (0, nil as Int?, nil as Int?)
            func body(_ key: RawSpan, _ value: RawSpan) -> Bool {
                rowCount += 1
                if rowCount == 1 { askedAtFirst = requestCount() }
                if rowCount == 25 { askedAtLast = requestCount() }
                return rowCount < 100
            }
            switch way {
            case .position: try version.scan(Self.rows, positions: 5_000..<5_100, body)
            case .behindKey: try version.scan(Self.rows, after: middle, body)
            case .beforeKey: try version.scan(Self.rows, after: middle, descending: true, body)
            }
            #expect(askedAtLast == requestCount(), "they are asked for at once")
            return (rowCount, askedAtFirst, askedAtLast)
        }
        let (touched, asked) = try await Self.pages(of: database, fileSystem) {
            let seen = try visit()
            #expect(seen.rowCount == 100)
            // Who begins at a key may want no more than its leaf.
            #expect((seen.askedAtFirst == seen.askedAtLast) == (way == .position))
        }
        #expect(touched.intersection(asked).count >= 4 && touched.subtracting(asked).count <= 4, "\(touched), \(asked)")
        #expect(asked.count <= 8)
        let again = try await Self.pages(of: database, fileSystem) { _ = try visit() }
        #expect(again.touched.isEmpty && again.asked.subtracting(asked).isEmpty)
        // All of them, a few at a time.
        let all = try await Self.pages(of: database, fileSystem) {
            try version.scan(Self.rows, positions: 0..<Self.rowCount) { _, _ in true }
        }
        #expect(all.touched.subtracting(all.asked).subtracting(asked).count <= all.touched.count / 5)
        try await database.close()
    }

    @Test func `leaves that a visit skips, or that lie behind its end, are not asked for`() async throws {
        let files = MemoryFileSystem()
        let tree = TreeNumber(1)
        let trees = [TreeDeclaration(tree, "rows", facetCount: 1)]
        let made = try Database.open(at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: files)
        try await made.write { transaction in
            for number in 0..<12_000 {
                let facets: FacetSet = number.isMultiple(of: 1_200) ? FacetSet(Facet(0)) : []
                try transaction.put(Self.value, forKey: Array("row \(100_000 + number)".utf8), facets: facets, in: tree)
            }
        }
        try await made.compact()
        try await made.close()
        func visited(_ visit: (Version) throws -> Void) async throws -> (touched: Set<Int>, asked: Set<Int>) {
            let fileSystem = FaultyFileSystem(files, isCached: false)
            let database = try Database.open(
                at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
            let pages = try await Self.pages(of: database, fileSystem) { try visit(database.version) }
            try await database.close()
            return pages
        }
        // One leaf of some fifteen has one of these.
        let rare = try await visited { version in
            var count = 0
            try version.scan(tree, facet: Facet(0), positions: 0..<10) { _, _ in
                count += 1
                return true
            }
            #expect(count == 10)
        }
        #expect(rare.asked.count >= 8 && rare.asked.subtracting(rare.touched).isEmpty, "\(rare)")
        let prefixed = try await visited { version in
            var count = 0
            try version.scan(tree, prefix: Array("row 101".utf8)) { _, _ in
                count += 1
                return true
            }
            #expect(count == 1_000)
        }
        #expect(prefixed.asked.count >= 8 && prefixed.asked.subtracting(prefixed.touched).isEmpty, "\(prefixed)")
        // Of a single leaf nothing is asked for, and that is no sign that all is cached.
        let alone = try await visited { version in
            for number in 0..<40 {
                try version.scan(tree, positions: number * 100..<number * 100 + 1) { _, _ in true }
            }
            let isCold = version.generation.file.pages.mayBeCold()
            #expect(isCold)
        }
        #expect(alone.asked.isEmpty)
    }

    @Test(arguments: HelpfulWork.Help.allCases)
    func `a commit asks for its leaves, where it has few for each tree and where it has many`(
        help: HelpfulWork.Help
    ) async throws {
        for count in [1, 6, 400] {
            let (database, fileSystem) = try await Self.store(isCached: false, help)
            let numbers = (0..<count).map { Self.rowCount + $0 * 31 }
            let (touched, asked) = try await Self.pages(of: database, fileSystem) {
                try await Self.put(numbers, in: database)
            }
            let alone = touched.subtracting(asked)
            let least = [1: 2, 6: 8, 400: 60][count] ?? 0
            // Of a branch that has a single one left, when others have read the rest, it is not asked for.
            let most = max(4, touched.count / 5)
            #expect(touched.count >= least && alone.count <= most, "\(count): \(touched.count), \(alone)")
            #expect(try database.version.count(in: Self.order.number) == Self.rowCount + count)
            #expect(database.version.invariantFindings() == [])
            try await database.close()
        }
    }

    @Test func `a log that is replayed asks for the leaves that it changes`() async throws {
        let (database, fileSystem) = try await Self.store(isCached: false)
        try await Self.put((0..<700).map { Self.rowCount + $0 * 13 }, in: database)
        let path = database.version.generation.file.path
        try await database.close()
        let requestCount = fileSystem.counts.prefetched[path]?.count ?? 0
        let reopened = try Database.open(
            at: "A", trees: PlacesTests.trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        let requests = fileSystem.counts.prefetched[path]?.dropFirst(requestCount) ?? []
        let asked = Set(requests.flatMap { $0.lowerBound / 4096..<($0.upperBound + 4095) / 4096 })
        let file = reopened.version.generation.file
        let touched = (0..<file.pages.pageCount).filter { file.pages.isTouched($0) }
        let alone = touched.filter { !asked.contains($0) }
        #expect(touched.count > 60 && alone.count <= touched.count / 5, "\(touched.count), \(alone)")
        try await reopened.close()
    }

    @Test func `what the system has is not asked for`() async throws {
        let (database, fileSystem) = try await Self.store(isCached: true)
        for number in [50, 3_000] {
            try database.version.scan(Self.order.number, positions: number..<number + 50) { _, _ in true }
        }
        for count in [6, 400] { try await Self.put((0..<count).map { Self.rowCount + $0 * 31 }, in: database) }
        #expect(fileSystem.counts.prefetched.isEmpty)
        try await database.close()
    }

    @Test func `an opening asks for the first screen and for the roots`() async throws {
        let (database, fileSystem) = try await Self.store(isCached: false)
        let file = database.version.generation.file
        let asked = fileSystem.counts.prefetched[file.path] ?? []
        #expect(asked.first == 0..<64 << 10)
        for tree in file.superblock.trees where tree.rootPage > 0 {
            #expect(asked.contains { $0.contains(Int(tree.rootPage) * 4096) })
        }
        try await database.close()
    }

    @Test func `pages near each other are one request, and none is longer than a system reads ahead`() async throws {
        let (database, fileSystem) = try await Self.store(isCached: false)
        let file = database.version.generation.file
        var random = SeededGenerator.forTest(fallback: 17)
        for _ in 0..<200 {
            let count = Int.random(in: 2...100, using: &random)
            let wanted = (0..<count).map { _ in Int.random(in: 1..<file.pages.pageCount, using: &random) }
            let before = fileSystem.counts.prefetched[file.path]?.count ?? 0
            file.pages.ask(for: wanted)
            let requests = (fileSystem.counts.prefetched[file.path] ?? []).dropFirst(before).map {
                $0.lowerBound / 4096..<$0.upperBound / 4096
            }
            #expect(wanted.allSatisfy { page in requests.contains { $0.contains(page) } })
            #expect(requests.allSatisfy { $0.count <= 32 })
            for request in requests {
                #expect(wanted.contains(request.lowerBound) && wanted.contains(request.upperBound - 1))
                let inside = wanted.filter { request.contains($0) }.sorted()
                #expect(zip(inside, inside.dropFirst()).allSatisfy { $1 - $0 <= 5 })
            }
            #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        }
        let before = fileSystem.counts.prefetched[file.path]?.count
        file.pages.ask(for: [5])
        file.pages.ask(for: [])
        #expect(fileSystem.counts.prefetched[file.path]?.count == before, "one alone is read where it is touched")
        try await database.close()
    }

    @Test func `a chunk of a companion is asked for before its checksum is worked out`() async throws {
        let fileSystem = FaultyFileSystem(isCached: false)
        var options = Options(compaction: .manual)
        options.companion = Companion(of: numbers) { (_, output) throws(StorageError) in
            try output.append([UInt8](repeating: 7, count: 300_000))
            return true
        }
        let database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        func requests() -> [Range<Int>] {
            fileSystem.counts.prefetched.first { $0.key.contains("search-") }?.value ?? []
        }
        for _ in 0..<2 {
            let companion = database.version.companion { file -> CompanionFile? in
                file.lendBytes(150_000..<150_010) { #expect($0.byte(at: 0) == 7) }
                return file
            }
            #expect(companion != nil)
            #expect(requests().count == 1)
        }
        let chunk = CompanionFile.headerByteCount + 2 * CompanionFile.chunkByteCount
        #expect(requests() == [chunk..<chunk + CompanionFile.chunkByteCount])
        try await database.close()
    }

    @Test func `a mapped file of the system says of what was just read that it is cached`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try PosixFileSystem().openFile(directory + "/file", .creating)
            let bytes = [UInt8](repeating: 5, count: 1 << 20)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            let mapping = try file.map()
            for offset in [0, 4096, 70_000] { #expect(mapping.withBytes { $0.byte(at: offset) } == 5) }
            #expect(!mapping.isWaitLikely(at: [0, 70_000]))
            #expect(!mapping.part(4096..<8192).isWaitLikely(at: [0, 4095]))
            #expect(!mapping.isWaitLikely(at: [Int]()))
            mapping.prefetch(0..<mapping.byteCount)
            mapping.prefetch(1 << 20 - 1..<1 << 20)
        }
    }
}
