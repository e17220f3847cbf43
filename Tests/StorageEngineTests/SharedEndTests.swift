import TestSupport
import Testing

@testable import StorageEngine

/// Values that end alike: a page of a snapshot holds once what several end with, and nobody who reads or writes sees it.
@Suite struct SharedEndTests {
    /// As list rows are: a text ‖ a number → some bytes, and the address of a site.
    private static let rows = TreeDeclaration(TreeNumber(1), "rows", facetCount: 3, columns: [.hashSum, .fingerprint])
    private static let amounts = TreeDeclaration(TreeNumber(2), "amounts", columns: [.sum(amount: 0)])
    private static let trees = [rows, amounts]
    private static let site = Array("-M.jpghttps://covers.example.org/b/isbn/".utf8)

    private static func key(_ number: Int) -> [UInt8] {
        Array(repeating: UInt8(ascii: "a") + UInt8(number % 7), count: 1 + number % 5) + .key(UInt64(number))
    }

    private static func value(_ number: Int) -> [UInt8] { Array("\(1_000_000 + number * 7919)".utf8) + site }

    private static func open(
        _ fileSystem: MemoryFileSystem, nodeEntryLimit: Int = .max
    ) throws -> Database {
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = nodeEntryLimit
        return try Database.open(at: "A", trees: trees, options: options, fileSystem: fileSystem)
    }

    /// Entries with these values, compacted.
    private static func store(
        _ fileSystem: MemoryFileSystem, in tree: TreeDeclaration = rows, _ values: [[UInt8]]
    ) async throws -> (Database, TreeModel) {
        var model = TreeModel()
        for (number, value) in values.enumerated() { model.put(.init(key: key(number), value: value, facets: 0)) }
        let database = try open(fileSystem)
        try await database.write { [items = model.items] transaction in
            for item in items { try transaction.put(item.value, forKey: item.key, in: tree.number) }
        }
        try await database.compact()
        return (database, model)
    }

    private static func finish(_ database: Database, _ fileSystem: MemoryFileSystem) async throws {
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    @Test func `a page holds once what its values end with`() async throws {
        let fileSystem = MemoryFileSystem()
        let (database, model) = try await Self.store(fileSystem, (0..<600).map(Self.value))
        var random = SeededGenerator.forTest(fallback: 1)
        try model.check(database.version, Self.rows, using: &random)
        let leaves = try database.version.leaves(of: Self.rows)
        #expect(leaves.allSatisfy { $0.kind == NodeLayout.leaf })
        for leaf in leaves {
            let stored = (0..<leaf.count).map { leaf.storedCellByteCount($0) }
            // Seven digits and three bytes of which the site is held elsewhere; of one all.
            #expect(stored.filter { $0 > 7 + 3 }.count == 1)
            #expect((0..<leaf.count).allSatisfy { leaf.cellByteCount($0) == 7 + Self.site.count })
            #expect(leaf.sizesOfHotEntries?.valueByteCount == leaf.count * (7 + Self.site.count))
        }
        try await Self.finish(database, fileSystem)
    }

    @Test func `values of a tree with amounts lie whole in their pages`() async throws {
        let fileSystem = MemoryFileSystem()
        let (database, model) = try await Self.store(fileSystem, in: Self.amounts, (0..<600).map(Self.value))
        var random = SeededGenerator.forTest(fallback: 2)
        try model.check(database.version, Self.amounts, using: &random)
        for leaf in try database.version.leaves(of: Self.amounts) {
            for index in 0..<leaf.count { #expect(leaf.storedCellByteCount(index) == leaf.cellByteCount(index)) }
        }
        try await Self.finish(database, fileSystem)
    }

    @Test(arguments: [[0], [200], [0, 255], [700, 300]])
    func `a page stands for twice its bytes at most, and its entries can go one by one`(ownByteCounts: [Int])
        async throws
    {
        let fileSystem = MemoryFileSystem()
        let end = [UInt8](repeating: 0x71, count: 255)
        let values = (0..<400).map { number in
            [UInt8](repeating: UInt8(number & 0x3F), count: ownByteCounts[number % ownByteCounts.count]) + end
        }
        let (database, model) = try await Self.store(fileSystem, values)
        for leaf in try database.version.leaves(of: Self.rows) {
            let whole = (0..<leaf.count).reduce(leaf.used) {
                $0 + leaf.cellByteCount($1) - leaf.storedCellByteCount($1)
            }
            #expect(whole <= NodeLayout.unsharedByteLimit)
        }
        // A compaction copies full pages: those that stand for as much as they may are.
        let leaves = try database.version.leaves(of: Self.rows)
        #expect(leaves.dropLast().allSatisfy { $0.filledByteCount >= NodeLayout.pageByteCount * 3 / 4 })
        var random = SeededGenerator.forTest(fallback: 3)
        var left = model
        for isOneCommit in [true, false] {
            let items = left.items.shuffled(using: &random).prefix(isOneCommit ? 200 : 199)
            for items in isOneCommit ? [items] : items.map({ [$0] }) {
                try await database.write { transaction in
                    for item in items { _ = try transaction.remove(item.key, in: Self.rows.number) }
                }
            }
            for item in items { _ = left.remove(item.key) }
            #expect(database.version.memoryFindings() == [])
            try left.check(database.version, Self.rows, using: &random)
        }
        try await database.compact()
        try left.check(database.version, Self.rows, using: &random)
        try await Self.finish(database, fileSystem)
    }

    @Test(arguments: 1...4) func `a random history agrees with a sorted array`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var database = try Self.open(fileSystem, nodeEntryLimit: seed == 4 ? 6 : .max)
        var model = TreeModel()
        var kept: [(Version, TreeModel)] = []
        let ends = [[], Self.site, Array("&printsec=frontcover&source=apihttp://books.example.com/".utf8)]
        for round in 0..<60 {
            var puts: [TreeModel.Item] = []
            for _ in 0..<(round % 9 == 0 ? 600 : Int.random(in: 1...30, using: &random)) {
                let own = [UInt8](
                    repeating: .random(in: 0x30...0x39, using: &random), count: .random(in: 0...60, using: &random))
                puts.append(
                    .init(
                        key: Self.key(.random(in: 0..<3_000, using: &random)),
                        value: own + ends.randomElement(using: &random)!, facets: .random(in: 0..<8, using: &random)))
            }
            let removals = (0..<(round % 5 == 4 ? 150 : 5)).compactMap { _ in
                model.items.randomElement(using: &random)?.key
            }
            let isForLater = Bool.random(using: &random)
            try await database.write(.memory) { [puts] transaction in
                for key in removals {
                    if isForLater {
                        try transaction.removeLater(key, in: Self.rows.number)
                    } else {
                        _ = try transaction.remove(key, in: Self.rows.number)
                    }
                }
                for item in puts {
                    let facets = FacetSet(rawValue: item.facets)
                    if isForLater {
                        try transaction.putLater(item.value, forKey: item.key, facets: facets, in: Self.rows.number)
                    } else {
                        try transaction.put(item.value, forKey: item.key, facets: facets, in: Self.rows.number)
                    }
                }
            }
            for key in removals { _ = model.remove(key) }
            for item in puts { model.put(item) }
            switch Int.random(in: 0..<6, using: &random) {
            case 0...1: try await database.compact()
            case 2:
                try await database.close()
                kept = []
                database = try Self.open(fileSystem, nodeEntryLimit: seed == 4 ? 6 : .max)
            case 3: kept.append((database.version, model))
            default: break
            }
            guard round % 4 == 0 else { continue }
            try #require(database.version.memoryFindings() == [])
            for (version, model) in kept + [(database.version, model)] {
                try model.check(version, Self.rows, using: &random)
            }
        }
        kept = []
        try await database.compact()
        try model.check(database.version, Self.rows, using: &random)
        try await Self.finish(database, fileSystem)
    }

    @Test func `the ends that are in use stay known while others come and go`() {
        var ends = SharedEnds()
        var bytes: [UInt8] = []
        var found: [Int?] = []
        // One in seven ends as another does; the others as none.
        for number in 0..<70 {
            let value = number % 7 == 3 ? Self.value(number) : [UInt8](repeating: UInt8(number), count: 30)
            let end = value.withBytes { value in bytes.withBytes { ends.end(of: value, among: $0) } }
            ends.add(number, sharing: end, at: bytes.count..<bytes.count + value.count)
            bytes += value
            if number % 7 == 3 { found.append(end?.entry) } else { #expect(end == nil) }
        }
        #expect(found.first == .some(nil) && found.dropFirst().allSatisfy { $0 == 3 }, "\(found)")
    }

    @Test func `the longest end is found, of 255 bytes at most, and none of fewer than eight`() {
        func end(of value: String, among values: [String]) -> SharedEnds.SharedEnd? {
            var ends = SharedEnds()
            var bytes: [UInt8] = []
            for (entry, value) in values.enumerated() {
                ends.add(entry, sharing: nil, at: bytes.count..<bytes.count + value.utf8.count)
                bytes += Array(value.utf8)
            }
            return Array(value.utf8).withBytes { value in bytes.withBytes { ends.end(of: value, among: $0) } }
        }
        #expect(end(of: "1 is here now", among: ["2 is here now"])?.byteCount == 12)
        #expect(end(of: "1 is here now", among: ["in it now", "it is here now", "here now"])?.entry == 1)
        #expect(end(of: "1234567", among: ["1234567"]) == nil)
        #expect(end(of: "12345678", among: ["12345678"])?.byteCount == 8)
        #expect(end(of: "x2345678", among: ["12345678"]) == nil)
        let long = String(repeating: "long", count: 100)
        #expect(end(of: long, among: [long])?.byteCount == 255)
    }

    // MARK: Pages that are wrong

    /// Of some values: the first that end alike lies whole, the others lead to it.
    private static func page(_ values: [[UInt8]]) -> [UInt8] {
        var builder = LeafPageBuilder(rows, entryLimit: .max, packs: false)
        for (number, value) in values.enumerated() {
            let key = [UInt8(number + 1)]
            let fits = builder.append(key: key.span.bytes, word: UInt16(value.count), cell: value.span.bytes, facets: 0)
            precondition(fits, "the entries fit a page")
        }
        var writer = PageWriter()
        _ = builder.finish(into: &writer)
        writer.put(2, PageSeal(store: StoreIdentifier(bytes: Array(0..<16)), generation: 1))
        return writer.bytes
    }

    private static func finding(_ page: [UInt8]) -> String? {
        page.withBytes { PageValidation.layoutFinding(in: $0, pageCount: 9, coldByteCount: 0) }
    }

    /// Where the cell of an entry of `page` lies.
    private static func cell(_ index: Int, _ page: [UInt8]) -> StoredCell {
        let slot = page.load(NodeArrays(capacity: 3, columnCount: 0).slots[index])
        return page.withBytes {
            StoredCell(ofEntryAt: Int(slot & 0xFFFF), keyByteCount: NodeLayout.suffixByteCount(slot), in: $0)
        }
    }

    @Test func `a page whose shared ends contradict it is refused with a sentence`() throws {
        let page = Self.page((0..<3).map(Self.value))
        #expect(Self.finding(page) == nil)
        let end = Self.cell(1, page).own.upperBound
        #expect(Self.cell(0, page).own == Self.cell(0, page).range && Self.cell(1, page).own.count == 7)
        #expect(page.withBytes { Self.cell(1, $0.copyBytes()).value(in: $0) } == Self.value(1))
        let used = Int(page.load(NodeField.used))
        let expected: [(String?, (inout [UInt8]) -> Void)] = [
            ("the value of entry 1 ends outside the page", { $0.store(0, in: SharedEndField.count, at: end) }),
            ("the value of entry 1 ends outside the page", { $0.store(32, in: SharedEndField.offset, at: end) }),
            (nil, { $0.store(UInt16(used - Self.site.count), in: SharedEndField.offset, at: end) }),
            (
                "the value of entry 1 ends outside the page",
                { $0.store(UInt16(used - Self.site.count + 1), in: SharedEndField.offset, at: end) }
            ),
            (
                "the value of entry 2 lies outside the page",
                {
                    $0.store(
                        NodeLayout.sharedEnd | 8, in: NodeLayout.valueWord, at: Self.cell(2, $0).range.lowerBound - 3)
                }
            ),
        ]
        for (sentence, change) in expected {
            var changed = page
            change(&changed)
            #expect(Self.finding(changed) == sentence)
        }
    }

    @Test func `a value with its end that is longer than one in a leaf is refused`() {
        var page = Self.page([[UInt8](repeating: 7, count: 800) + Self.site, Self.site])
        #expect(Self.finding(page) == nil)
        // The first value is given the end of the second, which begins in the first.
        let slot = page.load(NodeArrays(capacity: 2, columnCount: 0).slots[0])
        let word = Int(slot & 0xFFFF)
        page.store(NodeLayout.sharedEnd | 800, in: NodeLayout.valueWord, at: word)
        page.store(UInt16(word), in: SharedEndField.offset, at: word + 3 + 800)
        page.store(224, in: SharedEndField.count, at: word + 3 + 800)
        #expect(Self.finding(page) == nil)
        page.store(225, in: SharedEndField.count, at: word + 3 + 800)
        #expect(Self.finding(page) == "the value of entry 0 has 1025 bytes, more than one in a leaf")
    }

    @Test func `entries that share more than a page may stand for are refused`() {
        let end = [UInt8](repeating: 7, count: 250)
        var page = [UInt8](repeating: 0, count: NodeLayout.pageByteCount)
        // As no writer makes it: fifty entries, of which each but the first is an end.
        let count = 50
        let arrays = NodeArrays(capacity: count, columnCount: 0)
        var used = NodeLayout.headerByteCount + NodeLayout.leafArraysByteCount(capacity: count, facetCount: 0)
        let first = used + 3
        for number in 0..<count {
            let key = [UInt8(number + 1)]
            page.store(
                NodeLayout.slot(head: UInt32(number + 1) << 24, count: 1, offset: used), in: arrays.slots[number])
            page.store(
                number == 0 ? UInt16(end.count) : NodeLayout.sharedEnd, in: NodeLayout.valueWord, at: used)
            page[used + 2] = key[0]
            used += 3
            if number == 0 {
                page.replaceSubrange(used..<used + end.count, with: end)
                used += end.count
            } else {
                page.store(UInt16(first), in: SharedEndField.offset, at: used)
                page.store(UInt8(end.count), in: SharedEndField.count, at: used)
                used += SharedEndField.end
            }
        }
        page.store(NodeLayout.leaf, in: NodeField.kind)
        page.store(UInt16(count), in: NodeField.count)
        page.store(UInt16(count), in: NodeField.capacity)
        page.store(UInt32(1), in: NodeField.tree)
        page.store(UInt32(used), in: NodeField.used)
        let whole = used + 49 * (end.count - SharedEndField.end)
        #expect(Self.finding(page) == "entries that share ends come to \(whole) bytes without")
    }
}
