import TestSupport
import Testing

@testable import StorageEngine

/// Two stores compared tree by tree, against dictionaries.
@Suite struct TreeComparisonTests {
    private static let hot = TreeNumber(1)
    private static let cold = TreeNumber(2)
    private static let plain = TreeNumber(3)
    private static let trees = [
        TreeDeclaration(hot, "hot", columns: [.hashSum]),
        TreeDeclaration(cold, "cold", columns: [.hashSum, .fingerprint], placement: .cold),
        TreeDeclaration(plain, "plain"),
    ]

    private typealias Content = [TreeNumber: [[UInt8]: [UInt8]]]
    private struct Difference: Equatable {
        let key: [UInt8]
        let own: [UInt8]?
        let other: [UInt8]?
    }

    private struct Side {
        let database: Database
        var content: Content = [hot: [:], cold: [:], plain: [:]]

        mutating func apply(_ changes: [(tree: TreeNumber, key: [UInt8], value: [UInt8]?)]) async throws {
            try await database.write { transaction in
                for change in changes {
                    if let value = change.value {
                        try transaction.put(value, forKey: change.key, in: change.tree)
                    } else {
                        try transaction.remove(change.key, in: change.tree)
                    }
                }
            }
            for change in changes { content[change.tree]![change.key] = change.value }
        }
    }

    private static func open(
        _ path: String, nodeEntryLimit: Int = .max, _ fileSystem: any FileSystem = MemoryFileSystem()
    ) throws -> Side {
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = nodeEntryLimit
        return Side(database: try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem))
    }

    private static func changes(
        _ count: Int, _ variety: Int, _ generator: inout SeededGenerator
    ) -> [(tree: TreeNumber, key: [UInt8], value: [UInt8]?)] {
        (0..<count).map { _ in
            let tree = [hot, cold, plain].randomElement(using: &generator)!
            let key = ModelTests.key(using: &generator, variety: variety)
            let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
            return (tree, key, isRemoval ? nil : ModelTests.value(in: tree, using: &generator))
        }
    }

    private static func differences(_ one: Version, _ other: Version, _ tree: TreeNumber) throws -> [Difference] {
        func bytes(_ entry: Entry?) -> [UInt8]? { try? entry?.withValue { $0.copyBytes(0..<$0.byteCount) } }
        var found: [Difference] = []
        try one.forEachDifference(from: other, in: tree) { own, its in
            let key = (try? (own ?? its)?.withKey { $0.copyBytes(0..<$0.byteCount) }) ?? []
            found.append(Difference(key: key, own: bytes(own), other: bytes(its)))
            return true
        }
        return found
    }

    private static func expected(_ one: Content, _ other: Content, _ tree: TreeNumber) -> [Difference] {
        let (own, its) = (one[tree]!, other[tree]!)
        return Set(own.keys).union(its.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { key in
            own[key] == its[key] ? nil : Difference(key: key, own: own[key], other: its[key])
        }
    }

    @Test(arguments: [(1, Int.max), (2, Int.max), (3, 4), (4, 4)] as [(UInt64, Int)])
    func `random histories that part differ in what dictionaries of both differ in`(
        seed: UInt64, nodeEntryLimit: Int
    ) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        let variety = seed % 2 == 0 ? 300 : 5000
        var one = try Self.open("One", nodeEntryLimit: nodeEntryLimit)
        var other = try Self.open("Other")
        for _ in 0..<4 {
            let shared = Self.changes(400, variety, &generator)
            try await one.apply(shared)
            // The same entries, laid out by other commits.
            for start in stride(from: 0, to: shared.count, by: 70) {
                try await other.apply(Array(shared[start..<min(start + 70, shared.count)]))
            }
            if Bool.random(using: &generator) { try await one.database.compact() }
        }
        for round in 0..<20 {
            let count = [0, 1, 3, 40, 300][round % 5]
            if Bool.random(using: &generator) {
                try await one.apply(Self.changes(count, variety, &generator))
            } else {
                try await other.apply(Self.changes(count, variety, &generator))
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { try await one.database.compact() }
            if Int.random(in: 0..<4, using: &generator) == 0 { try await other.database.compact() }
            let (left, right) = (one.database.version, other.database.version)
            for tree in [Self.hot, Self.cold, Self.plain] {
                #expect(left.hasSums(toCompareWith: right, in: tree) == (tree != Self.plain))
                #expect(
                    try Self.differences(left, right, tree) == Self.expected(one.content, other.content, tree),
                    "round \(round)")
                #expect(
                    try Self.differences(right, left, tree) == Self.expected(other.content, one.content, tree),
                    "round \(round)")
                #expect(try Self.differences(left, left, tree).isEmpty)
            }
        }
        for side in [one, other] { try await side.database.close() }
    }

    @Test func `a tree compared with an empty one, or with one that is not there, differs in all of it`() async throws {
        var one = try Self.open("One")
        let empty = try Self.open("Other")
        var generator = SeededGenerator.forTest(fallback: 8)
        try await one.apply(Self.changes(500, 900, &generator))
        for tree in [Self.hot, Self.cold] {
            #expect(
                try Self.differences(one.database.version, empty.database.version, tree)
                    == Self.expected(one.content, empty.content, tree))
            #expect(
                try Self.differences(empty.database.version, one.database.version, tree)
                    == Self.expected(empty.content, one.content, tree))
        }
        #expect(try Self.differences(one.database.version, empty.database.version, TreeNumber(77)).isEmpty)
        for side in [one, empty] { try await side.database.close() }
    }

    /// A store of 40,000 entries, and the version of a copy with some changes, both read from their files.
    private func pair(changing numbers: [UInt64]) async throws -> (own: MemoryFileSystem, other: MemoryFileSystem) {
        var systems: [MemoryFileSystem] = []
        for changes in [[], numbers] {
            let fileSystem = MemoryFileSystem()
            let side = try Self.open("A", fileSystem)
            try await side.database.write { transaction in
                for number in 0..<40_000 as Range<UInt64> {
                    // Of several lengths, as records are, and of bytes that no symbols stand for.
                    var state = number &* 0x9E37_79B9_7F4A_7C15
                    let value = (0..<24 + number % 7).map { _ in
                        state = state &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
                        return UInt8(truncatingIfNeeded: state >> 56)
                    }
                    try transaction.put(value, forKey: number, in: Self.hot)
                }
            }
            try await side.database.compact()
            try await side.database.write { transaction in
                for number in changes { try transaction.put(Array("another".utf8), forKey: number, in: Self.hot) }
            }
            try await side.database.compact()
            try await side.database.close()
            systems.append(fileSystem)
        }
        return (systems[0], systems[1])
    }

    @Test func `equal trees cost a page each, and ten differences about ten paths`() async throws {
        func cost(_ numbers: [UInt64]) async throws -> (pages: [Int], found: Int, height: Int) {
            let (own, other) = try await pair(changing: numbers)
            let (one, two) = (try Self.open("A", own), try Self.open("A", other))
            let versions = [one.database.version, two.database.version]
            let before = versions.map(\.touchedPageCount)
            let found = try Self.differences(versions[0], versions[1], Self.hot).count
            let pages = zip(versions, before).map { $0.touchedPageCount - $1 }
            let height = try versions[0].height(of: Self.hot)
            for side in [one, two] { try await side.database.close() }
            return (pages, found, height)
        }
        let equal = try await cost([])
        #expect(equal.found == 0)
        #expect(equal.pages == [1, 1])
        let numbers = (0..<10).map { UInt64($0) * 3_989 }
        let different = try await cost(numbers)
        #expect(different.found == 10)
        #expect(different.height == 3)
        // The root, ten branches at most, ten leaves.
        #expect(different.pages[0] <= 1 + 10 * 2)
        #expect(different.pages[1] <= 1 + 10 * 4, "\(different.pages)")
    }

    @Test func `a damaged page on the way, in either store, is an error that names the file`() async throws {
        let (own, other) = try await pair(changing: [20_000])
        let path = "A/snapshot-0000000000000003"
        for (damaged, sound) in [(own, other), (other, own)] {
            let bytes = try damaged.bytes(of: path)
            var changed = bytes
            // All but the head: whichever page is read first.
            for offset in stride(from: 2 * 4096 + 100, to: bytes.count - 3 * 4096, by: 4096) { changed[offset] ^= 1 }
            try damaged.replace(path, with: changed)
            defer { try? damaged.replace(path, with: bytes) }
            let options = Options(access: .readOnly)
            let one = try Database.open(at: "A", trees: [], options: options, fileSystem: damaged)
            let two = try Database.open(at: "A", trees: [], options: options, fileSystem: sound)
            let error = #expect(throws: StorageError.self) {
                _ = try Self.differences(one.version, two.version, Self.hot)
            }
            #expect(error?.damage?.file == path)
            try await one.close()
            try await two.close()
        }
    }
}
