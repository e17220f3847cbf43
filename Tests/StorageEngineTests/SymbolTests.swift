import TestSupport
import Testing

@testable import StorageEngine

/// Values written in symbols: snapshots are smaller, and nobody who reads or writes sees it.
@Suite struct SymbolTests {
    static let path = "A/snapshot-0000000000000002"
    static let records = TreeDeclaration(TreeNumber(1), "records", facetCount: 2, columns: [.hashSum])
    static let other = TreeDeclaration(TreeNumber(2), "other")
    static let trees = [records, other]

    private static let words = [
        "Emma", "night", "harry", "https://covers.example.org/b/id/", "-M.jpg", "1847", "Gr\u{fc}ffelo", "\u{0}\u{1}",
        "the ",
    ]

    /// Some words, numbers, and now and then bytes that nothing else has.
    static func value(using random: inout SeededGenerator) -> [UInt8] {
        var value: [UInt8] = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: value += String(Int.random(in: 0..<100_000, using: &random)).utf8
            case 1: value += (0..<4).map { _ in .random(in: 0...255, using: &random) }
            default: value += words.randomElement(using: &random)!.utf8
            }
        }
        return value
    }

    private static func page(of encoder: SymbolEncoder) -> [UInt8] {
        var writer = PageWriter()
        encoder.write(for: records, entryCount: 7, into: &writer)
        writer.put(3, seal)
        return writer.bytes
    }

    private static let seal = PageSeal(store: StoreIdentifier(bytes: [UInt8](repeating: 1, count: 16)), generation: 1)

    private static func finding(_ page: [UInt8]) -> String? {
        page.withBytes { SymbolValidation.layoutFinding(in: $0) }
    }

    // MARK: Codes

    @Test(arguments: 1...3) func `a value read from its codes is the one that was written`(seed: UInt64) throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let sample = (0..<500).map { _ in Self.value(using: &random) }
        let encoder = try #require(SymbolTraining(sample).encoder())
        let page = Self.page(of: encoder)
        #expect(Self.finding(page) == nil)
        var (byteCount, codeCount) = (0, 0)
        func check(_ value: [UInt8]) {
            var codes: [UInt8] = []
            value.withBytes { encoder.encode($0, to: &codes) }
            #expect(SymbolTable.value(of: codes, with: page) == value)
            (byteCount, codeCount) = (byteCount + value.count, codeCount + codes.count)
        }
        for _ in 0..<500 { check(Self.value(using: &random)) }
        #expect(codeCount * 2 < byteCount, "\(codeCount) codes for \(byteCount) bytes")
        // Bytes that no symbol begins with, the longest value there is, and the ends of symbols.
        check([])
        check((0...255).map { UInt8($0) })
        check([UInt8](repeating: 255, count: Limits.hotValueByteCount))
        check(Array(String(repeating: "the ", count: Limits.hotValueByteCount / 4).utf8))
        for word in Self.words { for count in 1...word.utf8.count { check(Array(word.utf8.prefix(count))) } }
    }

    @Test func `symbols are some strings of one to eight bytes, each once, and the same for the same sample`() throws {
        var random = SeededGenerator.forTest(fallback: 4)
        let sample = (0..<500).map { _ in Self.value(using: &random) }
        let symbols = try #require(SymbolTraining(sample).encoder()).symbols
        #expect(symbols.count == 255 && Set(symbols).count == 255)
        #expect(symbols.allSatisfy { (1...8).contains($0.byteCount) && $0.bytes & ~$0.mask == 0 })
        #expect(SymbolTraining(sample).encoder()?.symbols == symbols)
        let page = Self.page(of: SymbolEncoder(symbols))
        #expect(page.withBytes { SymbolEncoder(ofPage: $0).symbols } == symbols)
    }

    @Test func `a sample in which nothing repeats has no symbols`() {
        var random = SeededGenerator.forTest(fallback: 5)
        let noise = (0..<500).map { _ in (0..<90).map { _ in UInt8.random(in: 0...255, using: &random) } }
        #expect(SymbolTraining(noise).encoder() == nil)
        #expect(SymbolTraining([]).encoder() == nil)
        #expect(SymbolTraining([[], [1]]).encoder() == nil)
    }

    @Test func `codes that no writer makes are read as far as they say something`() {
        let page = Self.page(of: SymbolEncoder([.init(bytes: .max, byteCount: 8), .init(7)]))
        #expect(SymbolTable.value(of: [1, 255], with: page) == [7], "an escape with nothing behind it")
        #expect(SymbolTable.value(of: [1, 9, 254, 1], with: page) == [7, 7], "codes without symbols")
        let longest = [UInt8](repeating: 255, count: Limits.hotValueByteCount)
        #expect(SymbolTable.value(of: [UInt8](repeating: 0, count: 4_000), with: page) == longest)
        #expect(SymbolTable.value(of: [1] + [UInt8](repeating: 0, count: 128), with: page) == [7] + longest.dropLast())
    }

    @Test func `a page of symbols whose fields contradict each other is refused with a sentence`() throws {
        let page = Self.page(of: SymbolEncoder([.init(bytes: 0x6161, byteCount: 2), .init(7)]))
        let expected: [(String, (inout [UInt8]) -> Void)] = [
            ("kind 6 is no page of symbols", { $0[0] = 6 }),
            ("0 symbols are not what a page has", { ($0[2], $0[4]) = (0, 0) }),
            ("258 symbols are not what a page has", { ($0[3], $0[5]) = (1, 1) }),
            ("2 symbols are not what a page has", { $0[4] = 3 }),
            ("2343 bytes in use are not those of a page of symbols", { $0.store(UInt32(2343), in: NodeField.used) }),
            ("a page of symbols has a field of a page of entries", { $0[1] = 1 }),
            ("a page of symbols has a field of a page of entries", { $0[8] = 1 }),
            ("symbol 0 has 9 bytes", { $0.store(9, in: SymbolField.lengths[0]) }),
            ("symbol 1 has 0 bytes", { $0.store(0, in: SymbolField.lengths[1]) }),
            ("symbol 2 has 1 bytes", { $0.store(1, in: SymbolField.lengths[2]) }),
            ("symbol 255 has 8 bytes", { $0.store(8, in: SymbolField.lengths[255]) }),
            ("symbol 1 is longer than it says", { $0.store(0x101, in: SymbolField.symbols[1]) }),
            ("4095 bytes are no page", { $0.removeLast() }),
        ]
        for (sentence, change) in expected {
            var changed = page
            change(&changed)
            #expect(Self.finding(changed) == sentence)
        }
    }

    // MARK: Snapshots

    static func open(_ fileSystem: any FileSystem, _ trees: [TreeDeclaration] = trees) throws -> Database {
        try Database.open(at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    static func put(
        _ numbers: Range<Int>, _ database: Database, _ model: inout TreeModel, using random: inout SeededGenerator
    ) async throws {
        let items = numbers.map { number in
            TreeModel.Item(key: .key(UInt64(number)), value: value(using: &random), facets: UInt16(number & 3))
        }
        for item in items { model.put(item) }
        try await database.write { transaction in
            for item in items {
                try transaction.put(
                    item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: records.number)
            }
        }
    }

    /// A snapshot of 1,500 records, closed.
    static func store(_ seed: UInt64 = 6) async throws -> (MemoryFileSystem, TreeModel) {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var model = TreeModel()
        let database = try open(fileSystem)
        try await put(0..<1_500, database, &model, using: &random)
        try await database.compact()
        try await database.close()
        return (fileSystem, model)
    }

    static func symbolsPage(_ fileSystem: MemoryFileSystem, _ path: String = path) throws -> SymbolPages {
        let database = try Database.open(
            at: "A", trees: trees, options: Options(access: .readOnly), fileSystem: fileSystem)
        return try #require(database.version.generation.file.superblock.symbols(of: records.number))
    }

    @Test func `a snapshot in symbols holds what was written, in half the bytes`() async throws {
        var random = SeededGenerator.forTest(fallback: 7)
        let (fileSystem, model) = try await Self.store()
        let database = try Self.open(fileSystem)
        try model.check(database.version, Self.records, using: &random)
        let leaves = try database.version.leaves(of: Self.records)
        let byteCount = model.items.reduce(0) { $0 + $1.value.count }
        let tree = try #require(database.version.generation.file.superblock.trees.first)
        #expect(tree.valueByteCount == UInt64(byteCount))
        #expect(tree.symbolsPage > 0)
        #expect(
            leaves.allSatisfy { $0.kind == NodeLayout.packedLeaf && $0.packed.symbolsPage == Int(tree.symbolsPage) })
        #expect(leaves.count * 4096 < byteCount * 2 / 3, "\(leaves.count) pages for \(byteCount) bytes of values")
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    /// A long text in letters that no symbol was chosen for: its codes take two bytes for each of its own.
    @Test(arguments: [512, 513, 700, Limits.hotValueByteCount])
    func `values that symbols would double are read as they were written, beside such as they halve`(
        byteCount: Int
    ) async throws {
        let (fileSystem, filled) = try await Self.store()
        var model = filled
        var random = SeededGenerator.forTest(fallback: 9)
        let database = try Self.open(fileSystem)
        // The first of its page, the last, and one among others.
        for number in [0, 1, 40, 41, 700, 1499, 1500] {
            let value = (0..<byteCount).map { _ in UInt8.random(in: 0xE3...0xEF, using: &random) }
            model.put(TreeModel.Item(key: .key(UInt64(number)), value: value, facets: 0))
            try await database.write { try $0.put(value, forKey: UInt64(number), in: Self.records.number) }
        }
        for _ in 0..<2 {
            try await database.compact()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
            try model.check(database.version, Self.records, using: &random)
        }
        try await database.close()
    }

    @Test(arguments: 1...2) func `a random history agrees with sorted arrays`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var model = TreeModel()
        var database = try Self.open(fileSystem)
        var chosen: Set<UInt64> = []
        for round in 0..<12 {
            // Begins without symbols, gets some, and outgrows them.
            let limit = [300, 1_000, 4_500][round / 4]
            if round % 4 == 0 { try await Self.put(0..<limit, database, &model, using: &random) }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let first = Int.random(in: 0..<limit, using: &random)
                let count = Bool.random(using: &random) ? limit / 9 : Int.random(in: 1...5, using: &random)
                try await Self.put(first..<min(limit, first + count), database, &model, using: &random)
            }
            let gone = (0..<20).compactMap { _ in model.items.randomElement(using: &random)?.key }
            try await database.write { transaction in
                for key in gone { try transaction.remove(key, in: Self.records.number) }
            }
            for key in gone { _ = model.remove(key) }
            if round % 4 == 3 || Bool.random(using: &random) { try await database.compact() }
            if Bool.random(using: &random) {
                try await database.close()
                database = try Self.open(fileSystem)
            }
            let file = database.version.generation.file
            if let symbols = file.superblock.symbols(of: Self.records.number) {
                chosen.insert(try file.pages.symbols(on: symbols.page, of: Self.records.number).entryCount)
            }
            try #require(database.version.memoryFindings() == [])
            try model.check(database.version, Self.records, using: &random)
        }
        #expect(chosen.count > 1, "symbols were chosen anew")
        try await database.compact()
        try model.check(database.version, Self.records, using: &random)
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    @Test func `pages are taken over with their symbols, until there are four times the entries`() async throws {
        var random = SeededGenerator.forTest(fallback: 8)
        var (fileSystem, model) = try await Self.store()
        let database = try Self.open(fileSystem)
        func state() throws -> (symbols: [SymbolEncoder.Symbol], chosenFor: UInt64, leaves: [[UInt8]]) {
            let file = database.version.generation.file
            let place = try #require(file.superblock.symbols(of: Self.records.number))
            let (encoder, chosenFor) = try file.pages.symbols(on: place.page, of: Self.records.number)
            let leaves = try database.version.leaves(of: Self.records).map { leaf in
                #expect(leaf.packed.symbolsPage == Int(place.page))
                var bytes: [UInt8] = []
                leaf.withBytes(PackedField.end..<leaf.used) { bytes = $0.copyBytes() }
                return bytes
            }
            return (encoder.symbols, chosenFor, leaves)
        }
        let before = try state()
        #expect(before.chosenFor == 1_500)
        try await Self.put(5_900..<5_901, database, &model, using: &random)
        try await database.compact()
        let after = try state()
        #expect(after.symbols == before.symbols && after.chosenFor == 1_500)
        let areTakenOver = after.leaves.starts(with: before.leaves.dropLast())
        #expect(areTakenOver)
        try await Self.put(1_500..<5_999, database, &model, using: &random)
        try await database.compact()
        #expect(try state().chosenFor == 1_500)
        try await Self.put(5_999..<6_000, database, &model, using: &random)
        try await database.compact()
        let grown = try state()
        #expect(grown.chosenFor == 6_000 && grown.symbols != before.symbols)
        let isNew = grown.leaves.first != before.leaves.first
        #expect(isNew)
        try model.check(database.version, Self.records, using: &random)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a page that is taken over leads to its symbols where they lie now`() async throws {
        var random = SeededGenerator.forTest(fallback: 9)
        var model = TreeModel()
        let fileSystem = MemoryFileSystem()
        let database = try Self.open(fileSystem, [Self.other, Self.records])
        try await Self.put(0..<1_500, database, &model, using: &random)
        try await database.compact()
        func place() throws -> Int {
            let file = database.version.generation.file
            let place = Int(try #require(file.superblock.symbols(of: Self.records.number)).page)
            for leaf in try database.version.leaves(of: Self.records) { #expect(leaf.packed.symbolsPage == place) }
            return place
        }
        let before = try place()
        // The pages of the tree before come before the symbols of this one.
        try await database.write { transaction in
            for number in 0..<3_000 { try transaction.put([1, 2], forKey: UInt64(number), in: Self.other.number) }
        }
        try await database.compact()
        #expect(try place() > before)
        try model.check(database.version, Self.records, using: &random)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a tree that has shrunk to a part of what its symbols were chosen for gets others`() async throws {
        let (fileSystem, _) = try await Self.store()
        let database = try Self.open(fileSystem)
        for (kept, hasSymbols) in [(400, true), (370, false)] {
            try await database.write { transaction in
                for number in kept..<1_500 { try transaction.remove(.key(UInt64(number)), in: Self.records.number) }
            }
            try await database.compact()
            let tree = try #require(database.version.generation.file.superblock.trees.first)
            #expect(tree.entryCount == UInt64(kept) && (tree.symbolsPage > 0) == hasSymbols)
        }
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `what a load writes does not hang on who adds what, and when`() async throws {
        var random = SeededGenerator.forTest(fallback: 14)
        var items = (0..<4_000).map { (key: [UInt8].key(UInt64($0)), value: Self.value(using: &random)) }
        var files: Set<[UInt8]> = []
        for (collectorCount, memoryByteCount) in [(1, 1 << 24), (1, 20_000), (3, 50_000)] {
            items.shuffle(using: &random)
            let fileSystem = MemoryFileSystem()
            let options = Options(compaction: .manual, storeIdentifier: Array("the store itself".utf8))
            let database = try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: fileSystem)
            try await database.load(memoryByteCount: memoryByteCount) { [items] load in
                let collectors = (0..<collectorCount).map { _ in load.makeCollector() }
                for (index, item) in items.enumerated() {
                    // Some by two.
                    for collector in index % 9 == 0 ? collectors : [collectors[index % collectorCount]] {
                        try collector.put(item.value, forKey: item.key, in: Self.records.number)
                    }
                }
            }
            #expect(database.version.generation.file.superblock.trees[0].symbolsPage > 0)
            try await database.close()
            files.insert(try fileSystem.bytes(of: Self.path))
        }
        #expect(files.count == 1)
    }

    @Test func `a load chooses symbols by what it adds, from memory or from its file`() async throws {
        for memoryByteCount in [20_000, 1 << 24] {
            var random = SeededGenerator.forTest(fallback: 9)
            let fileSystem = MemoryFileSystem()
            let database = try Self.open(fileSystem)
            var model = TreeModel()
            let items = (0..<2_000).map { number in
                TreeModel.Item(key: .key(UInt64(number)), value: Self.value(using: &random), facets: 0)
            }
            for item in items { model.put(item) }
            try await database.load(memoryByteCount: memoryByteCount) { load in
                let collector = load.makeCollector()
                for item in items { try collector.put(item.value, forKey: item.key, in: Self.records.number) }
            }
            try model.check(database.version, Self.records, using: &random)
            let tree = try #require(database.version.generation.file.superblock.trees.first)
            #expect(tree.symbolsPage > 0 && Int(tree.leafPages) * 4096 < Int(tree.valueByteCount) * 2 / 3)
            try await database.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        }
    }

    @Test func `a tree that becomes a home has no symbols any more`() async throws {
        var random = SeededGenerator.forTest(fallback: 10)
        let (fileSystem, model) = try await Self.store()
        let order = TreeDeclaration(
            TreeNumber(3), "order", home: TreeHome(Self.records.number, lead: .bytes(1)))
        let database = try Self.open(fileSystem, Self.trees + [order])
        try await database.write { transaction in try transaction.put([], forKey: [1] + .key(5), in: order.number) }
        try await database.compact()
        let tree = try #require(database.version.generation.file.superblock.trees.first)
        #expect(tree.symbolsPage == 0)
        #expect(try database.version.leaves(of: Self.records).allSatisfy { $0.kind == NodeLayout.leaf })
        try model.check(database.version, Self.records, using: &random)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    // MARK: Damage

    private static func damage(_ pages: [UInt32], _ fileSystem: MemoryFileSystem) throws {
        var bytes = try fileSystem.bytes(of: path)
        for page in pages { bytes[Int(page) * 4096 + 100] ^= 0x20 }
        try fileSystem.replace(path, with: bytes)
    }

    @Test func `where the symbols are damaged reads say so, and a salvage reads their copy`() async throws {
        let (fileSystem, model) = try await Self.store()
        let symbols = try Self.symbolsPage(fileSystem)
        try Self.damage([symbols.page], fileSystem)
        let database = try Self.open(fileSystem)
        let error = #expect(throws: StorageError.self) {
            try database.version.entry(forKey: .key(5), in: Self.records.number)
        }
        #expect(error?.damage?.page == Int(symbols.page))
        #expect(error?.damage?.finding == "the page's seal is not of this generation")
        await #expect(throws: StorageError.self) { try await database.compact() }
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.treeFindings.map(\.damage.page) == [Int(symbols.page)])
        #expect(report.treeFindings.map(\.lostEntryCount) == [1_500])
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.places.map(\.damage.page) == [Int(symbols.page)])
        #expect(salvage.report.places.map(\.lostEntryCount) == [0])
        try Self.check(try salvage.contents([Self.records.number]), model)
    }

    @Test func `where only their copy is damaged everything is read, and verify finds it`() async throws {
        let (fileSystem, model) = try await Self.store()
        let symbols = try Self.symbolsPage(fileSystem)
        try Self.damage([symbols.copy], fileSystem)
        let database = try Self.open(fileSystem)
        for item in model.items {
            let value = try database.version.entry(forKey: item.key, in: Self.records.number)?.withValue {
                $0.copyBytes()
            }
            try #require(value == item.value)
        }
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.treeFindings.map(\.damage.page) == [Int(symbols.copy)])
        #expect(report.treeFindings.map(\.lostEntryCount) == [0])
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.places.map(\.damage.page) == [Int(symbols.copy)])
        #expect(salvage.report.places.map(\.lostEntryCount) == [0])
        try Self.check(try salvage.contents([Self.records.number]), model)
    }

    @Test func `without heads a salvage finds symbols by their seals; without any it tells which values are lost`()
        async throws
    {
        let (original, model) = try await Self.store()
        let symbols = try Self.symbolsPage(original)
        let last = UInt32(try original.bytes(of: Self.path).count / 4096 - 1)
        for pages in [[], [symbols.page], [symbols.copy]] {
            let fileSystem = try original.copy(of: "A")
            try Self.damage([0, last] + pages, fileSystem)
            let salvage = try Salvage(at: "A", fileSystem: fileSystem)
            #expect(salvage.report.basis == .seals)
            try Self.check(try salvage.contents([Self.records.number]), model)
        }
        let fileSystem = try original.copy(of: "A")
        try Self.damage([symbols.page, symbols.copy], fileSystem)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        let contents = try salvage.contents([Self.records.number])
        #expect(contents.lostValues[Self.records.number]?.count == 1_500)
        var entries = salvage.entries(in: Self.records.number)
        let entry = try #require(try entries.next())
        #expect(entry.damage?.page == Int(symbols.page))
        #expect(
            entry.damage?.finding == "the symbols that values are written in are lost, and so is their copy")
    }

    @Test func `a tree that was made anew needs the damaged symbols of the old one no more`() async throws {
        let (fileSystem, _) = try await Self.store()
        try Self.damage([Self.symbolsPage(fileSystem).page], fileSystem)
        let database = try Self.open(fileSystem)
        var random = SeededGenerator.forTest(fallback: 13)
        var model = TreeModel()
        try await database.write { try $0.removeAll(in: Self.records.number) }
        try await Self.put(0..<1_500, database, &model, using: &random)
        try await database.compact()
        try model.check(database.version, Self.records, using: &random)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a look-up in the bytes reads the copy of damaged symbols, and says so`() async throws {
        let (fileSystem, model) = try await Self.store()
        let symbols = try Self.symbolsPage(fileSystem)
        func lookUp(_ item: TreeModel.Item) throws -> StoreDump.Lookup {
            try StoreDump(at: "A", fileSystem: fileSystem).lookUp(item.key, in: Self.records.number)
        }
        for (pages, count) in [([], 0), ([symbols.page], 1), ([symbols.copy], 0)] as [([UInt32], Int)] {
            try Self.damage(pages, fileSystem)
            for item in model.items.prefix(9) {
                guard case .found(let entry) = try lookUp(item) else { throw NotFound() }
                #expect(entry.value == item.value && entry.misfits.count == count)
            }
            try Self.damage(pages, fileSystem)
        }
        try Self.damage([symbols.page, symbols.copy], fileSystem)
        guard case .unreadable(let words) = try lookUp(model.items[0]) else { throw NotFound() }
        #expect(words.contains("page \(symbols.page) of A/"))
    }

    private struct NotFound: Error {}

    private static func check(_ contents: SalvagedContents, _ model: TreeModel) throws {
        let found = try #require(contents.trees[records.number])
        #expect(found.count == model.items.count)
        #expect(model.items.allSatisfy { found[$0.key] == $0.value })
        #expect(contents.lostValues[records.number] == [])
    }

    // MARK: Forgeries

    /// The store, with a leaf changed and every checksum above it made right.
    private static func forge(
        _ change: (inout [UInt8]) -> Void
    ) async throws -> (MemoryFileSystem, SymbolPages) {
        var random = SeededGenerator.forTest(fallback: 12)
        let fileSystem = MemoryFileSystem()
        var model = TreeModel()
        // The values of one leaf, and of another tree, which has symbols, too.
        let database = try open(fileSystem)
        try await put(0..<40, database, &model, using: &random)
        let others = (0..<1_500).map { _ in value(using: &random) }
        try await database.write { transaction in
            for (number, value) in others.enumerated() {
                try transaction.put(value, forKey: UInt64(number), in: other.number)
            }
        }
        try await database.compact()
        try await database.close()
        var forged = ForgedSnapshot(try fileSystem.bytes(of: path))
        forged.changeRoot(ofTree: 0, change)
        try fileSystem.replace(path, with: forged.bytes)
        let opened = try open(fileSystem)
        let symbols = try #require(opened.version.generation.file.superblock.symbols(of: other.number))
        try await opened.close()
        return (fileSystem, symbols)
    }

    @Test func `a page that leads to no symbols of its tree is refused`() async throws {
        let (sound, symbols) = try await Self.forge { _ in }
        #expect(try Verifier.verify(at: "A", fileSystem: sound).isSound)
        let expected: [(UInt32, page: Int, String)] = [
            (symbols.page, Int(symbols.page), "the page is of tree 2"),
            (2, 2, "kind 6 is no page of symbols"),
            (1 << 20, 2, "page 1048576, of its symbols, is no page of this file"),
        ]
        for (place, page, sentence) in expected {
            let (fileSystem, _) = try await Self.forge { $0.store(place, in: PackedField.symbolsPage) }
            let database = try Self.open(fileSystem)
            let error = #expect(throws: StorageError.self) { try database.version.count(in: Self.records.number) }
            #expect(error?.damage?.page == page)
            #expect(error?.damage?.finding.contains(sentence) == true, "\(error?.damage?.finding ?? "")")
            try await database.close()
            #expect(try !Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        }
    }
}
