import TestSupport
import Testing

@testable import StorageEngine

/// Entries of one length: their snapshots hold of each what differs, and nobody who reads or writes sees it.
@Suite struct PackedTests {
    /// As an index is: a number ‖ a record ‖ a part of it → nothing.
    static let index = TreeDeclaration(TreeNumber(1), "index")
    /// As homes are: a number → another.
    static let links = TreeDeclaration(TreeNumber(2), "links", facetCount: 3)
    /// Keys of two lengths, and values of several.
    static let mixed = TreeDeclaration(TreeNumber(3), "mixed", facetCount: 16)
    /// As records are: a number → some bytes, more or less, and what there is to tell whether two libraries have the same.
    static let records = TreeDeclaration(TreeNumber(4), "records", columns: [.hashSum, .fingerprint])
    static let trees = [index, links, mixed, records]

    private typealias Item = TreeModel.Item
    private typealias Models = [TreeNumber: TreeModel]

    private static func item(of tree: TreeDeclaration, using random: inout SeededGenerator) -> Item {
        func number(_ limit: UInt64) -> [UInt8] { .key(.random(in: 0..<limit, using: &random)) }
        let facets = UInt16(truncatingIfNeeded: UInt.random(in: 0..<1 << UInt(tree.facetCount), using: &random))
        switch tree.number {
        case index.number: return Item(key: number(40_000) + number(9) + [7, 7] + number(3), value: [], facets: 0)
        case records.number:
            let count = Int.random(in: 0..<200, using: &random)
            return Item(
                key: number(3_000), value: Array(number(9)[6...]) + [UInt8](repeating: 7, count: count), facets: 0)
        case links.number: return Item(key: number(3_000), value: number(1 << 62), facets: facets)
        default:
            // Runs of one length, and some entries between them of another, long, or too long for a page.
            let key = number(2_000)
            let isOdd = key[6] % 3 == 0
            let count = isOdd && key[7] % 16 == 0 ? [0, 3, 130, 1_025].randomElement(using: &random)! : 5
            return Item(
                key: isOdd && key[7] == 9 ? key + [1] : key,
                value: (0..<count).map { UInt8(truncatingIfNeeded: $0) & key[7] },
                facets: facets)
        }
    }

    private static func run(
        rounds: Int, nodeEntryLimit: Int, _ fileSystem: MemoryFileSystem, using random: inout SeededGenerator
    ) async throws {
        var options = Options()
        options.compaction = .manual
        options.nodeEntryLimit = nodeEntryLimit
        var models: Models = Dictionary(uniqueKeysWithValues: trees.map { ($0.number, TreeModel()) })
        var kept: [(Version, Models)] = []
        var kinds: Set<UInt8> = []
        var database = try Database.open(at: "A", trees: trees, options: options, fileSystem: fileSystem)
        func check(_ version: Version, _ models: Models) throws {
            for tree in trees { try models[tree.number]!.check(version, tree, using: &random) }
        }
        for round in 0..<rounds {
            var puts: [(TreeNumber, Item)] = []
            var removals: [(TreeNumber, [UInt8])] = []
            for _ in 0..<(round % 9 == 0 ? 1_500 : Int.random(in: 1...40, using: &random)) {
                let tree = trees.randomElement(using: &random)!
                puts.append((tree.number, item(of: tree, using: &random)))
            }
            for _ in 0..<(round / 7 % 3 == 2 ? 120 : 10) {
                let tree = trees.randomElement(using: &random)!.number
                if let old = models[tree]!.items.randomElement(using: &random) { removals.append((tree, old.key)) }
            }
            let isForLater = Bool.random(using: &random)
            try await database.write(.memory) { [puts, removals] transaction in
                for (tree, key) in removals {
                    if isForLater {
                        try transaction.removeLater(key, in: tree)
                    } else {
                        try transaction.remove(key, in: tree)
                    }
                }
                for (tree, item) in puts {
                    let facets = FacetSet(rawValue: item.facets)
                    if isForLater {
                        try transaction.putLater(item.value, forKey: item.key, facets: facets, in: tree)
                    } else {
                        try transaction.put(item.value, forKey: item.key, facets: facets, in: tree)
                    }
                }
            }
            for (tree, key) in removals { _ = models[tree]!.remove(key) }
            for (tree, item) in puts { models[tree]!.put(item) }
            switch Int.random(in: 0..<8, using: &random) {
            case 0...1: try await database.compact()
            case 2:
                try await database.close()
                database = try Database.open(at: "A", trees: trees, options: options, fileSystem: fileSystem)
            case 3: kept.append((database.version, models))
            case 4 where !kept.isEmpty: kept.removeFirst()
            default: break
            }
            for tree in trees { kinds.formUnion(try database.version.leaves(of: tree).map(\.kind)) }
            if round % 4 == 0 || round == rounds - 1 {
                try #require(database.version.memoryFindings() == [])
                try check(database.version, models)
                for (version, models) in kept { try check(version, models) }
            }
        }
        kept = []
        try #require(
            kinds == [NodeLayout.leaf, NodeLayout.patchLeaf, NodeLayout.packedLeaf, NodeLayout.packedPatch], "\(kinds)")
        try await database.compact()
        try check(database.version, models)
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        try #require(report.isSound, "\(report)")
    }

    @Test(arguments: 1...4) func `a random history agrees with sorted arrays`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        try await Self.run(
            rounds: 60, nodeEntryLimit: seed == 4 ? 5 : .max, MemoryFileSystem(), using: &random)
    }

    /// 4,000 entries of an index whose keys have 26 bytes.
    private static func store(_ fileSystem: MemoryFileSystem) async throws -> Database {
        let database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<4_000 as Range<UInt64> {
                try transaction.put(
                    [], forKey: .key(number * 7_919) + .key(number % 900) + [1, 2] + .key(5), in: index.number)
                try transaction.put(.key(number % 900), forKey: .key(number), in: links.number)
            }
        }
        try await database.compact()
        return database
    }

    @Test func `an entry takes the bytes in which its page's entries differ`() async throws {
        let database = try await Self.store(MemoryFileSystem())
        let leaves = try database.version.leaves(of: Self.index)
        #expect(leaves.allSatisfy { $0.kind == NodeLayout.packedLeaf })
        // Three bytes of the first number, four where it passes 2²⁴, and two of the second, of 26; with slots 36, but for the prefix.
        #expect(leaves.allSatisfy { $0.packed.arrays.ownByteCount <= 6 })
        #expect(leaves.count == 4_000 / 790 + 1)
        #expect(try database.version.leaves(of: Self.links).allSatisfy { $0.packed.arrays.ownByteCount <= 4 })
        try await database.close()
    }

    @Test func `a key of any length finds its place among the entries of a page`() async throws {
        let database = try await Self.store(MemoryFileSystem())
        for leaf in try database.version.leaves(of: Self.index).prefix(2) {
            let keys = (0..<leaf.count).map { leaf.key($0) }
            var asked = keys + [[], [0], [255]]
            for key in keys.prefix(60) + keys.suffix(3) {
                for count in 1..<key.count { asked.append(Array(key.prefix(count))) }
                for place in key.indices {
                    var near = key
                    near[place] &+= 1
                    asked.append(near)
                    near[place] &-= 2
                    asked.append(near)
                }
                asked.append(key + [0])
            }
            for key in asked {
                let found = key.withBytes { leaf.lowerBound(ofKeyInLeaf: $0) }
                let index = keys.firstIndex { !$0.lexicographicallyPrecedes(key) } ?? keys.count
                try #require(found.index == index, "\(key)")
                try #require(found.isEqual == (index < keys.count && keys[index] == key), "\(key)")
            }
        }
        try await database.close()
    }

    @Test func `values of several lengths lie behind the keys, and are read where they lie`() async throws {
        let database = try Database.open(
            at: "A", trees: Self.trees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        @Sendable func value(_ number: UInt64) -> [UInt8] {
            [UInt8](repeating: UInt8(number % 251), count: number == 900 ? 1_025 : Int(number % 90))
        }
        try await database.write { transaction in
            for number in 0..<1_000 as Range<UInt64> {
                try transaction.put(value(number), forKey: .key(number * 3), in: Self.records.number)
            }
        }
        try await database.compact()
        let leaves = try database.version.leaves(of: Self.records)
        // The page with the value that is too long has slots.
        #expect(leaves.count { $0.kind == NodeLayout.leaf } == 1)
        for leaf in leaves where leaf.isPacked {
            let arrays = leaf.packed.arrays
            #expect(arrays.valueByteCount == nil && arrays.ownByteCount <= 2)
            // Beside the value two bytes to say where it ends, where a slot, a value word and the key take 12.
            let values = (0..<leaf.count).reduce(0) { $0 + leaf.withCell($1) { $1.byteCount } }
            #expect(leaf.used == PackedField.end + 8 + arrays.ownByteCount * (leaf.count + 1) + 2 * leaf.count + values)
        }
        for number in 0..<1_000 as Range<UInt64> {
            let found = try database.version.value(forKey: number * 3, in: Self.records.number) {
                $0.copyBytes(0..<$0.byteCount)
            }
            try #require(found == value(number))
            let absent = try database.version.value(forKey: number * 3 + 1, in: Self.records.number) { $0.byteCount }
            try #require(absent == nil)
        }
        try await database.close()
    }

    /// Who keys are compared by, and what is summed, is read where it lies.
    @Test func `a tree that is a home, has amounts or a home itself keeps its slots`() async throws {
        let rows = TreeDeclaration(TreeNumber(1), "rows")
        let sums = TreeDeclaration(TreeNumber(2), "sums", columns: [.sum(amount: 0)])
        let order = TreeDeclaration(TreeNumber(3), "order", home: TreeHome(TreeNumber(1), lead: .bytes(1)))
        let lost = TreeDeclaration(TreeNumber(4), "lost", home: TreeHome(TreeNumber(9), lead: .bytes(1)))
        let trees = [rows, sums, order, lost]
        let database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.write { transaction in
            for number in 0..<500 as Range<UInt64> {
                try transaction.put(.key(1), forKey: .key(number), in: rows.number)
                try transaction.put(.key(number), forKey: .key(number), in: sums.number)
                try transaction.put([], forKey: [1] + .key(number), in: order.number)
                try transaction.put([], forKey: [1] + .key(number), in: lost.number)
            }
        }
        try await database.compact()
        let kinds = try trees.map { Set(try database.version.leaves(of: $0).map(\.kind)) }
        #expect(kinds == [[NodeLayout.leaf], [NodeLayout.leaf], [NodeLayout.permutationLeaf], [NodeLayout.leaf]])
        try await database.close()
    }

    /// Also where its pages are so full that they would be taken over.
    @Test func `a tree that becomes a home gets slots with the next compaction`() async throws {
        let rows = TreeDeclaration(TreeNumber(1), "rows")
        let order = TreeDeclaration(TreeNumber(2), "order", home: TreeHome(TreeNumber(1), lead: .bytes(1)))
        let fileSystem = MemoryFileSystem()
        var database = try Database.open(
            at: "A", trees: [rows], options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<3_000 as Range<UInt64> {
                try transaction.put(.key(1), forKey: .key(number), in: rows.number)
            }
        }
        try await database.compact()
        #expect(try database.version.leaves(of: rows).allSatisfy(\.isPacked))
        try await database.close()
        database = try Database.open(
            at: "A", trees: [rows, order], options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<3_000 as Range<UInt64> {
                try transaction.put([], forKey: [UInt8(number % 5)] + .key(number), in: order.number)
            }
        }
        try await database.compact()
        #expect(try database.version.leaves(of: rows).allSatisfy { $0.kind == NodeLayout.leaf })
        #expect(try database.version.leaves(of: order).allSatisfy(\.isPermuted))
        #expect(try database.version.value(forKey: [UInt8].key(2_077), in: rows.number) { $0.byteCount } == 8)
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    /// What a catalogue counts of the keys of a tree with a home are their leads, whoever lays out its pages.
    @Test func `a tree whose home is not there is sound after each compaction`() async throws {
        let lost = TreeDeclaration(TreeNumber(4), "lost", home: TreeHome(TreeNumber(9), lead: .bytes(1)))
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: [lost], options: Options(compaction: .manual), fileSystem: fileSystem)
        for round in 0..<3 as Range<UInt64> {
            try await database.write { transaction in
                for number in 0..<500 { try transaction.put([], forKey: [1] + .key(UInt64(number)), in: lost.number) }
                try transaction.put([], forKey: [2] + .key(round), in: lost.number)
            }
            try await database.compact()
            let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
            try #require(report.isSound, "\(report)")
        }
        try await database.close()
    }

    /// Those of two own bytes are full by their number of entries long before they are by bytes.
    @Test func `pages with as many entries as there may be are taken over`() async throws {
        let database = try Database.open(
            at: "A", trees: Self.trees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.write { transaction in
            for number in 0..<4_000 as Range<UInt64> {
                try transaction.put([], forKey: .key(number), in: Self.links.number)
            }
        }
        try await database.compact()
        let counts = try database.version.leaves(of: Self.links).map(\.count)
        #expect(counts == [1024, 1024, 1024, 928])
        try await database.write { try $0.put([], forKey: .key(5_000), in: Self.links.number) }
        try await database.compact()
        #expect(try database.version.leaves(of: Self.links).map(\.count) == [1024, 1024, 1024, 929])
        try await database.close()
    }

    /// Which leaf follows is told by the separators: a short range at the end of a leaf reads no other.
    @Test func `a range that ends with its leaf reads nothing behind it`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: Self.trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        // Pairs of keys under numbers that are far apart.
        try await database.write { transaction in
            for number in 0..<1_000 as Range<UInt64> {
                for part in [1, 2] as [UInt8] {
                    let value = [UInt8](repeating: 1, count: Int(number % 50))
                    try transaction.put(value, forKey: .key(number * 100) + [part], in: Self.records.number)
                }
            }
        }
        try await database.compact()
        let leaves = try database.version.leaves(of: Self.records)
        let place = try #require(leaves.indices.dropLast().first { leaves[$0].key(leaves[$0].count - 1).last == 2 })
        let last = Array(leaves[place].key(leaves[place].count - 1).prefix(8))
        let page = Int(leaves[place + 1].pageNumber)
        try await database.close()
        let path = "A/snapshot-0000000000000002"
        var bytes = try fileSystem.bytes(of: path)
        bytes[page * 4096 + 100] ^= 1
        try fileSystem.replace(path, with: bytes)
        let damaged = try Database.open(at: "A", trees: Self.trees, fileSystem: fileSystem)
        var found = 0
        try damaged.version.scan(Self.records.number, prefix: last) { _, _ in
            found += 1
            return true
        }
        #expect(found == 2)
        #expect(throws: StorageError.self) {
            try damaged.version.scan(Self.records.number) { _, _ in true }
        }
        try await damaged.close()
    }

    @Test func `a compaction takes pages over as they are`() async throws {
        let database = try await Self.store(MemoryFileSystem())
        func entries() throws -> [[UInt8]] {
            try database.version.leaves(of: Self.index).map { leaf in
                var bytes: [UInt8] = []
                leaf.withBytes(NodeLayout.headerByteCount..<leaf.used) { bytes = $0.copyBytes() }
                return bytes
            }
        }
        let before = try entries()
        try await database.write { try $0.put([1], forKey: [1], in: Self.mixed.number) }
        try await database.compact()
        #expect(try entries() == before)
        try await database.close()
    }

    @Test func `a change of one entry among hundreds is a patch of a few bytes`() async throws {
        let database = try await Self.store(MemoryFileSystem())
        let key = [UInt8].key(7_919 * 2_000) + .key(200) + [1, 2] + .key(5)
        try await database.write(.memory) { transaction in
            try transaction.remove(key, in: Self.index.number)
            try transaction.put([], forKey: key + [9], in: Self.index.number)
        }
        let changed = try database.version.leaves(of: Self.index).filter(\.isInMemory)
        #expect(changed.map(\.kind) == [NodeLayout.packedPatch])
        #expect(changed.allSatisfy { $0.used < 200 })
        #expect(try database.version.contains(key + [9], in: Self.index.number))
        #expect(try !database.version.contains(key, in: Self.index.number))
        #expect(try database.version.count(in: Self.index.number) == 4_000)
        try await database.close()
    }

    /// Each field of a page forged, with the page's checksums made right again where they are asked for.
    @Test func `a page whose fields contradict each other is refused with a sentence`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try await Self.store(fileSystem)
        let leaf = try #require(try database.version.leaves(of: Self.links).first)
        var page: [UInt8] = []
        leaf.withPage { page = $0.copyBytes() }
        try await database.close()
        func finding(_ change: (inout [UInt8]) -> Void) -> String? {
            var forged = page
            change(&forged)
            return forged.withBytes { PageValidation.layoutFinding(in: $0, pageCount: 100, coldByteCount: 0) }
        }
        let arrays = leaf.packed.arrays
        #expect(finding { _ in } == nil)
        let expected: [(String, (inout [UInt8]) -> Void)] = [
            (
                "8 bytes, 0 of them of the key, are not packed",
                { $0.store(UInt16(0), in: PackedField.keyByteCount) }
            ),
            (
                "129 bytes, 8 of them of the key, are not packed",
                { $0.store(UInt16(121), in: PackedField.valueByteCount) }
            ),
            (
                "\(arrays.ownByteCount) own bytes, 16 of them of the key, are not those of an entry",
                { $0.store(UInt16(16), in: PackedField.ownKeyByteCount) }
            ),
            (
                "\(leaf.count) entries do not fit the \(leaf.used - 1) bytes in use",
                { $0.store(UInt32(leaf.used - 1), in: NodeField.used) }
            ),
            ("a packed page has no prefix", { $0.store(UInt16(1), in: NodeField.prefixLength) }),
            ("own byte 0 belongs nowhere", { $0.store(UInt8(200), in: arrays.places[0]) }),
            ("own byte 1 belongs nowhere", { $0.store($0.load(arrays.places[0]), in: arrays.places[1]) }),
            ("byte 7 is shared, and is not", { $0.store(UInt8(1), in: arrays.shared[7]) }),
            (
                "key 1 does not sort after the one before it",
                { bytes in
                    for place in 0..<arrays.ownByteCount {
                        bytes[arrays.entry(1) + place] = bytes[arrays.entry(0) + place]
                    }
                }
            ),
        ]
        for (sentence, change) in expected { #expect(finding(change) == sentence) }
        // Of values of several lengths, where one ends.
        let records = try Self.forgedRecords()
        for (sentence, change) in records.expected {
            var forged = records.page
            change(&forged)
            let finding = forged.withBytes { PageValidation.layoutFinding(in: $0, pageCount: 100, coldByteCount: 50) }
            #expect(finding == sentence)
        }
        if leaf.count & 63 != 0 {
            let last = arrays.facet(1)[arrays.facet(0).count - 1]
            #expect(finding { $0.store(UInt64.max, in: last) } == "facet 1 has entries that are not there")
        }
    }

    /// A page of three records, and what is found when it is changed.
    private static func forgedRecords() throws -> (
        page: [UInt8], expected: [(String?, (inout [UInt8]) -> Void)]
    ) {
        var builder = LeafPageBuilder(TreeDeclaration(TreeNumber(4), "records"), entryLimit: .max, packs: true)
        for (number, value) in [[1, 2, 3], [], [9]].enumerated() as EnumeratedSequence<[[UInt8]]> {
            let isIn = [UInt8].key(UInt64(number)).withBytes { key in
                value.withBytes { builder.append(key: key, word: UInt16($0.byteCount), cell: $0, facets: 0) }
            }
            try #require(isIn)
        }
        var writer = PageWriter()
        let seal = PageSeal(store: StoreIdentifier(bytes: [UInt8](repeating: 1, count: 16)), generation: 1)
        let used = builder.finish(into: &writer).used
        writer.put(5, seal)
        try #require(writer.bytes.load(NodeField.kind) == NodeLayout.packedLeaf)
        let arrays = PackedArrays(count: 3, facetCount: 0, keyByteCount: 8, valueByteCount: nil, ownByteCount: 1)
        try #require(used == arrays.end + 4)
        return (
            writer.bytes,
            [
                (nil, { _ in }),
                (
                    "the value of entry 1 lies outside the page",
                    { $0.store(UInt16(arrays.end + 2), in: arrays.ends[1]) }
                ),
                ("the value of entry 2 lies outside the page", { $0.store(UInt16(used + 1), in: arrays.ends[2]) }),
                ("1 bytes in use are of no entry", { $0.store(UInt32(used + 1), in: NodeField.used) }),
            ]
        )
    }
}
