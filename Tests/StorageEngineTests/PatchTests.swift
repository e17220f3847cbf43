import TestSupport
import Testing

@testable import StorageEngine

/// Where a commit changes few entries of a large patch, the patch is copied and changed, and not composed anew.
struct PatchTests {
    private typealias Links = [UInt64: (value: [UInt8], facets: FacetSet)]

    private static let links = PackedTests.links

    /// Three pages of even numbers.
    private static func store() async throws -> (database: Database, entries: Links) {
        let database = try Database.open(
            at: "A", trees: [links], options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        var entries: Links = [:]
        try await database.write { transaction in
            for number in 0..<2_500 as Range<UInt64> {
                try transaction.put([], forKey: .key(2 * number), in: links.number)
            }
        }
        for number in 0..<2_500 as Range<UInt64> { entries[2 * number] = ([], []) }
        try await database.compact()
        return (database, entries)
    }

    private static func expect(_ database: Database, _ entries: Links, _ words: String) throws {
        var found: [(key: UInt64, value: [UInt8])] = []
        try database.version.scan(links.number) { key, value in
            found.append((key.loadBigEndian(at: 0), value.copyBytes(0..<value.byteCount)))
            return true
        }
        let sorted = entries.sorted { $0.key < $1.key }
        try #require(found.map(\.key) == sorted.map(\.key), "\(words)")
        try #require(found.map(\.value) == sorted.map(\.value.value), "\(words)")
        for facet in 0..<links.facetCount {
            let count = entries.values.count { $0.facets.contains(Facet(facet)) }
            try #require(try database.version.count(in: links.number, facet: Facet(facet)) == count, "\(words)")
        }
        try #require(database.version.invariantFindings().isEmpty, "\(words)")
    }

    @Test(arguments: 1...4)
    func `a few changes of a patch come where they belong, whatever they are and in whatever order`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator.forTest(fallback: seed)
        var (database, entries) = try await Self.store()
        for round in 0..<120 {
            // Near one another, so that several come between the same two entries of the page.
            let start = UInt64.random(in: 0..<4_000, using: &random)
            let keys = Set((0..<60).map { _ in UInt64.random(in: start..<start + 300, using: &random) })
            let count = round % 4 == 0 ? keys.count : Int.random(in: 13...20, using: &random)
            let (before, generator) = (entries, random)
            (entries, random) = try await database.write { transaction in
                var (entries, random) = (before, generator)
                for key in keys.prefix(count) {
                    // Some at once, so that the run meets a patch that this commit has made.
                    let isLater = UInt8.random(in: 0..<8, using: &random) > 0
                    if entries[key] != nil, Bool.random(using: &random) {
                        entries[key] = nil
                        if isLater {
                            try transaction.removeLater(.key(key), in: Self.links.number)
                        } else {
                            try transaction.remove(.key(key), in: Self.links.number)
                        }
                    } else {
                        let facets = FacetSet(rawValue: .random(in: 0..<8, using: &random))
                        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: Int(key % 5))
                        entries[key] = (value, facets)
                        if isLater {
                            try transaction.putLater(value, forKey: .key(key), facets: facets, in: Self.links.number)
                        } else {
                            try transaction.put(value, forKey: .key(key), facets: facets, in: Self.links.number)
                        }
                    }
                }
                return (entries, random)
            }
            try Self.expect(database, entries, "seed \(seed), round \(round)")
        }
        try await database.compact()
        try Self.expect(database, entries, "seed \(seed), compacted")
        try await database.close()
    }

    /// The copy that the first change has made has room for that change and a few more.
    @Test func `a patch that this commit has made is composed anew when it has no room`() async throws {
        var (database, entries) = try await Self.store()
        let own = (0..<48 as Range<UInt64>).map { 8 * $0 + 1 }
        try await database.write { transaction in
            for key in own { try transaction.putLater([], forKey: .key(key), in: Self.links.number) }
        }
        for key in own { entries[key] = ([], []) }
        try Self.expect(database, entries, "with own entries")
        let gone = (0..<10 as Range<UInt64>).map { 8 * $0 + 4 } + [3_000, 3_002, 3_004]
        try await database.write { transaction in
            try transaction.remove(.key(2), in: Self.links.number)
            for key in gone { try transaction.removeLater(.key(key), in: Self.links.number) }
        }
        for key in gone + [2] { entries[key] = nil }
        try Self.expect(database, entries, "without some of the page")
        try await database.close()
    }
}
