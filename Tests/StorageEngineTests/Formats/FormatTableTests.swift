import TestSupport
import Testing

@testable import StorageEngine

/// The tables of the specification pages, compared with the engine's fields and with bytes that it wrote.
@Suite struct FormatTableTests {
    private static let store = StoreIdentifier(bytes: Array("0123456789abcdef".utf8))

    @Test func `the superblock's tables are where its bytes are`() throws {
        var superblock = Superblock(
            store: Self.store, generation: 0x1011, commitNumber: 0x2021, created: 0x3031, logSequence: 0x4041,
            logChecksum: 0x4142_4344)
        superblock.coldOffset = 0x50_5000
        superblock.coldByteCount = 0x6061
        superblock.fileByteCount = 0x70_7000
        superblock.pageCount = 0x105
        superblock.features = FormatFeatures(compatible: 0x4546, readOnly: 0x4748, incompatible: 0x494A)
        superblock.pageTrailerByteCount = 0x4B
        superblock.blockTrailerByteCount = 0x4C
        let declaration = TreeDeclaration(
            TreeNumber(0x6162), "a name", facetCount: 11, columns: [.fingerprint, .hashSum], placement: .cold)
        superblock.trees = [
            Superblock.Tree(
                declaration: declaration, rootPage: 0x81, rootChecksum: 0x9192_9394, height: 3, leafPages: 0xA1,
                branchPages: 0xB1, entryCount: 0xC1C2, keyByteCount: 0xD1D2, valueByteCount: 0xE1E2,
                usedByteCount: 0xF1F2, symbolsPage: 0x101)
        ]
        let bytes = superblock.encoded()
        try expect(
            SuperblockField.all, "SNAPSHOT.md", "Superblock", in: bytes[...], size: 4096,
            [
                "magic": .text("BOOKDBSN"), "formatVersion": .number(1), "pageByteCount": .number(4096),
                "store": .text("0123456789abcdef"), "generation": .number(0x1011), "commitNumber": .number(0x2021),
                "fileByteCount": .number(0x70_7000), "pageCount": .number(0x105), "treeCount": .number(1),
                "coldOffset": .number(0x50_5000), "coldByteCount": .number(0x6061), "created": .number(0x3031),
                "logSequence": .number(0x4041), "logChecksum": .number(0x4142_4344),
                "catalogueChecksum": .number(UInt64(CRC32C.checksum(superblock.encodedCatalogue()))),
                "compatible": .number(0x4546), "readOnly": .number(0x4748), "incompatible": .number(0x494A),
                "pageTrailerCount": .number(0x4B), "blockTrailerCount": .number(0x4C),
                "checksum": .number(UInt64(CRC32C.checksum(Array(bytes[..<4092])))),
            ])
        try expect(
            CatalogueField.all, "SNAPSHOT.md", "Tree", in: superblock.encodedCatalogue()[...], size: 160,
            [
                "number": .number(0x6162), "columns": .number(0x6050), "facetCount": .number(11),
                "placement": .number(1),
                "height": .number(3),
                "rootPage": .number(0x81), "rootChecksum": .number(0x9192_9394), "leafPages": .number(0xA1),
                "branchPages": .number(0xB1), "entryCount": .number(0xC1C2), "keyByteCount": .number(0xD1D2),
                "valueByteCount": .number(0xE1E2), "usedByteCount": .number(0xF1F2), "name": .text("a name"),
                "lead": .number(0), "home": .number(0), "symbolsPage": .number(0x101),
            ])
        let home = TreeHome(TreeNumber(0x6162), lead: .throughZero(andBytes: 6))
        superblock.trees = [Superblock.Tree(declaration: TreeDeclaration(TreeNumber(0x7172), "an order", home: home))]
        try expect(
            CatalogueField.all, "SNAPSHOT.md", "Tree", in: superblock.encodedCatalogue()[...], size: 160,
            [
                "number": .number(0x7172), "columns": .number(0), "facetCount": .number(0), "placement": .number(0),
                "height": .number(0), "rootPage": .number(0), "rootChecksum": .number(0), "leafPages": .number(0),
                "branchPages": .number(0), "entryCount": .number(0), "keyByteCount": .number(0),
                "valueByteCount": .number(0), "usedByteCount": .number(0), "name": .text("an order"),
                "lead": .number(0x86), "home": .number(0x6162), "symbolsPage": .number(0),
            ])
    }

    @Test func `the tables of pages and cold values are where their bytes are`() throws {
        let bytes = try #require(RepositoryFiles.bytes(GoldenStore.branches.directory + "/snapshot-0000000000000002"))
        // The first leaf of the first tree: ten chapters of one volume, whose keys differ in the last digit.
        let page = bytes[5 * 4096..<6 * 4096]
        var sealed = Array(page)
        sealed.replaceSubrange(28..<32, with: [0, 0, 0, 0])
        let seal = CRC32C.checksum(
            Array(GoldenStore.branches.identifier.utf8) + [2, 0, 0, 0, 0, 0, 0, 0] + sealed)
        try expect(
            NodeField.all, "SNAPSHOT.md", "Pages", in: page, size: 32,
            [
                "kind": .number(1), "facetCount": .number(3), "count": .number(10), "capacity": .number(10),
                "prefixLength": .number(254), "prefixOffset": .number(UInt64(32 + 10 * (8 + 2))), "level": .number(0),
                "used": .number(UInt64(4096 - page.reversed().prefix { $0 == 0 }.count)), "columnCount": .number(0),
                "tree": .number(1),
                "pageNumber": .number(5), "seal": .number(UInt64(seal)),
            ])
        let superblock = try Superblock(alone: DumpedBytes(bytes).prefix(4096), path: "")
        let block = bytes[Int(superblock.coldOffset)...]
        let stored = Array(block).load(ColdBlockField.storedCount)
        let place = [UInt8](repeating: 0, count: 8)
        let generation: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0]
        let checksum = CRC32C.checksum(
            Array(block.prefix(12)) + place + superblock.store.bytes + generation
                + block.dropFirst(16).prefix(Int(stored)))
        try expect(
            ColdBlockField.all, "SNAPSHOT.md", "Cold region", in: block, size: 16,
            [
                "magic": .text("BDCB"), "storedCount": .number(UInt64(stored)), "rawCount": .number(3380),
                "checksum": .number(UInt64(checksum)),
            ])
        let reference = ColdReference(block: 0x1112, offset: 0x2122, count: 0x3132, hash: 0x4142)
        let cell = reference.encoded()
        let decoded = ColdReference(cell: cell.span.bytes)
        #expect(decoded == reference)
        try expect(
            ColdReferenceField.all, "SNAPSHOT.md", "Pages", table: 3, in: cell[...], size: 24,
            [
                "block": .number(0x1112), "offset": .number(0x2122), "count": .number(0x3132),
                "hash": .number(0x4142),
            ])
        var writer = PageWriter()
        writer.appendSharedEnd(at: 0x0102, byteCount: 0x0A)
        try expect(
            SharedEndField.all, "SNAPSHOT.md", "Pages", table: 2, in: writer.bytes[0..<3], size: 3,
            ["offset": .number(0x0102), "count": .number(0x0A)])
    }

    @Test func `the tables of permutation pages are where their bytes are`() throws {
        let file = "Formats/golden/library/snapshot-0000000000000002"
        let bytes = try #require(RepositoryFiles.bytes(file))
        // The order by author of eight works.
        let page = Array(bytes[3 * 4096..<4 * 4096])
        let tables = try #require(FormatPage("SNAPSHOT.md")).tables.filter { $0.heading == "Permutation pages" }
        try #require(tables.count == 2)
        try expect(PermutationField.all.rows, are: tables[0], #_sourceLocation)
        #expect(page.load(NodeField.kind) == 4 && page.load(NodeField.count) == 8)
        let found: [UInt64] = [
            UInt64(page.load(PermutationField.homeRoot)), UInt64(page.load(PermutationField.homeTree)),
            UInt64(page.load(PermutationField.homeFirstPage)), UInt64(page.load(PermutationField.radix)),
            UInt64(page.load(PermutationField.groupCount)), UInt64(page.load(PermutationField.placeBitCount)),
        ]
        #expect(found == [2, 1, 2, 8, 6, 3])
        #expect(page.load(PermutationField.homeRootChecksum) == CRC32C.checksum(Array(bytes[2 * 4096..<3 * 4096])))
        #expect(tables[1].rows.map { $0[0] } == ["facet", "starts", "offsets", "places"])
        let arrays = PermutationArrays(count: 8, facetCount: 10, groupCount: 6, placeBitCount: 3)
        let offsets = [
            arrays.facet(0).offset, arrays.starts.offset, arrays.offsets.offset, arrays.placesOffset, arrays.end,
        ]
        #expect(offsets == [56, 136, 148, 160, 163])
    }

    @Test func `the tables of packed pages are where their bytes are`() async throws {
        let fileSystem = MemoryFileSystem()
        let tree = TreeDeclaration(TreeNumber(1), "links", facetCount: 2)
        let database = try Database.open(
            at: "A", trees: [tree], options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<60 as Range<UInt64> {
                try transaction.put(
                    [9, UInt8(number % 3)], forKey: .key(number * 2000), facets: FacetSet(rawValue: 1), in: tree.number)
            }
        }
        try await database.compact()
        try await database.close()
        let bytes = try fileSystem.bytes(of: "A/snapshot-0000000000000002")
        let page = Array(bytes[2 * 4096..<3 * 4096])
        let tables = try #require(FormatPage("SNAPSHOT.md")).tables.filter { $0.heading == "Packed pages" }
        try #require(tables.count == 2)
        try expect(PackedField.all.rows, are: tables[0], #_sourceLocation)
        #expect(page.load(NodeField.kind) == 6 && page.load(NodeField.count) == 60)
        let found = [
            page.load(PackedField.keyByteCount), page.load(PackedField.valueByteCount),
            page.load(PackedField.ownByteCount), page.load(PackedField.ownKeyByteCount),
        ]
        // 0 to 118,000 differ in three bytes.
        #expect(found == [8, 2, 4, 3])
        #expect(page.load(PackedField.symbolsPage) == 0 && page.load(PackedField.reserved) == 0)
        #expect(tables[1].rows.map { $0[0] } == ["facet", "ends", "shared", "places", "entries"])
        let arrays = PackedArrays(count: 60, facetCount: 2, keyByteCount: 8, valueByteCount: 2, ownByteCount: 4)
        #expect([arrays.facet(1).offset, arrays.shared.offset, arrays.places.offset] == [56, 64, 74])
        #expect([arrays.entry(0), arrays.end, Int(page.load(NodeField.used))] == [78, 318, 318])
        #expect(Array(page[48..<64]) == [UInt8](repeating: 0xFF, count: 7) + [0x0F] + [UInt8](repeating: 0, count: 8))
        #expect(Array(page[64..<78]) == [0, 0, 0, 0, 0, 0, 0, 0, 9, 0] + [5, 6, 7, 9])
        #expect(Array(page[78 + 59 * 4..<318]) == [0x01, 0xCC, 0xF0, 2])
    }

    @Test func `the table of symbols is where their bytes are`() throws {
        let bytes = try #require(RepositoryFiles.bytes(GoldenStore.symbols.directory + "/snapshot-0000000000000002"))
        let page = Array(bytes[2 * 4096..<3 * 4096])
        let table = try #require(FormatPage("SNAPSHOT.md")?.table("Symbols"))
        try expect(SymbolField.all.rows, are: table, #_sourceLocation)
        #expect(SymbolField.symbols.range == 40..<2088 && SymbolField.lengths.range == 2088..<2344)
        #expect(page.load(NodeField.kind) == 8 && page.load(NodeField.used) == 2344)
        #expect(page.load(SymbolField.chosenFor) == 300)
        for code in 0..<Int(page.load(NodeField.count)) {
            let (start, count) = (40 + 8 * code, Int(page[2088 + code]))
            try #require((1...8).contains(count))
            #expect(page[start + count..<start + 8].allSatisfy { $0 == 0 })
        }
    }

    @Test func `the arrays of pages follow the header as their table lists them`() throws {
        let table = try #require(FormatPage("SNAPSHOT.md")?.table("Pages", 1))
        try #require(table.columns == ["in", "array", "element", "meaning"])
        let (count, facetCount, columnCount) = (7, 3, 2)
        let arrays = NodeArrays(capacity: count, columnCount: columnCount)
        let fields = [
            "leaf": FieldTable(arrays.slots[0], arrays.facets[0]).rows,
            "branch": FieldTable(arrays.slots[0], arrays.children[0]).rows
                + (0..<columnCount).flatMap { FieldTable(arrays.column($0)[0]).rows }
                + FieldTable(arrays.checksums[0]).rows
                + (0...facetCount).flatMap { FieldTable(arrays.counts($0)[0]).rows },
        ]
        let byteCounts = [
            "leaf": NodeLayout.leafArraysByteCount(capacity: count, facetCount: facetCount),
            "branch": NodeLayout.branchArraysByteCount(
                capacity: count, NodeShape(facetCount: facetCount, columnCount: columnCount)),
        ]
        for (kind, rows) in fields {
            var listed: [FieldTable.Row] = []
            var end = 32
            for row in table.rows where [kind, "both"].contains(row[0]) {
                let byteCount = try #require(["u16": 2, "u32": 4, "u64": 8, "u128": 16][row[2]])
                for _ in 0..<(["counts": facetCount + 1, "columns": columnCount][row[1]] ?? 1) {
                    listed.append(FieldTable.Row(name: row[1], offset: end, byteCount: byteCount, type: row[2]))
                    end += count * byteCount
                }
            }
            #expect(rows == listed, "\(kind)")
            #expect(byteCounts[kind] == end - 32, "\(kind)")
        }
    }

    @Test func `the log's tables are where its bytes are`() throws {
        let header = LogSegmentHeader(
            store: Self.store, sequence: 0x1011, baseCommit: 0x2021, previousChecksum: 0x3132_3334,
            generation: 0x4142)
        let bytes = header.encoded()
        let salt = CRC32C.checksum(Self.store.bytes + [0x11, 0x10, 0, 0, 0, 0, 0, 0])
        try expect(
            LogSegmentField.all, "LOG.md", "Segment header", in: bytes[...], size: 64,
            [
                "magic": .text("BOOKDBLG"), "formatVersion": .number(1), "salt": .number(UInt64(salt)),
                "store": .text("0123456789abcdef"), "sequence": .number(0x1011), "baseCommit": .number(0x2021),
                "previousChecksum": .number(0x3132_3334), "generation": .number(0x4142),
                "checksum": .number(UInt64(CRC32C.checksum(Array(bytes[..<60])))),
            ])
        var frame: [UInt8] = []
        let payload = [UInt8](repeating: 0x2E, count: 1000)
        let checksum = LogFrame.append(
            payload: payload, commit: 0x4041, watermark: 0x5051, time: 0x6061, salt: salt,
            previousChecksum: 0x7172_7374,
            isWatermarkOnly: true, to: &frame)
        let stored = frame.load(LogFrameField.storedCount)
        #expect(frame.count % 8 == 0 && frame.count - 56 - Int(stored) < 8)
        #expect(checksum == CRC32C.checksum(Array(frame[..<52]) + frame[56..<56 + Int(stored)]))
        try expect(
            LogFrameField.all, "LOG.md", "Frame", in: frame[...], size: 56,
            [
                "magic": .text("BDFR"), "storedCount": .number(UInt64(stored)), "rawCount": .number(1000),
                "flags": .number(3), "commit": .number(0x4041), "watermark": .number(0x5051),
                "salt": .number(UInt64(salt)), "previousChecksum": .number(0x7172_7374), "time": .number(0x6061),
                "trailerCount": .number(0), "compatible": .number(0), "incompatible": .number(0),
                "checksum": .number(UInt64(checksum)),
            ])
    }

    @Test func `operations are the fields their table lists`() async throws {
        let fileSystem = MemoryFileSystem()
        let tree = TreeDeclaration(
            TreeNumber(300), "tree", facetCount: 5, columns: [.fingerprint, .hashSum], placement: .cold)
        let number: [UInt8] = [0xAC, 0x02]
        try await Database.open(at: "S", trees: [], fileSystem: fileSystem).close()
        let database = try Database.open(at: "S", trees: [tree], fileSystem: fileSystem)
        try await database.write { transaction in
            try transaction.put([7, 8, 9], forKey: [1, 2], facets: FacetSet(rawValue: 0b10010), in: tree.number)
            try transaction.remove([1, 2], in: tree.number)
            try transaction.put([7, 8, 9], forKey: [1, 2], facets: FacetSet(rawValue: 0b10010), in: tree.number)
            try transaction.removeAll(in: tree.number)
        }
        try await database.close()
        let values: [String: [String: FieldValue]] = [
            "declare": [
                "tree": .bytes(number), "facetCount": .number(5), "columns": .number(0x6050), "placement": .number(1),
                "nameCount": .number(4), "lead": .number(0), "home": .number(0),
                "name": .text("tree"),
            ],
            "put": [
                "tree": .bytes(number), "keyCount": .number(2), "facets": .number(0b10010), "valueCount": .number(3),
                "key": .bytes([1, 2]), "value": .bytes([7, 8, 9]),
            ],
            "remove": ["tree": .bytes(number), "keyCount": .number(2), "key": .bytes([1, 2])],
            "clear": ["tree": .bytes(number)],
        ]
        let table = try #require(FormatPage("LOG.md")?.table("Operations"))
        let note = try #require(table.rows.last)
        #expect(table.cell(note, "code") == "\(Operation.noteCodes.lowerBound)…\(Operation.noteCodes.upperBound)")
        #expect(table.cell(note, "fields behind the code") == "u32 byteCount, bytes")
        #expect(
            OperationField.Note.all.rows == [
                FieldTable.Row(name: "code", offset: 0, byteCount: 1, type: "u8"),
                FieldTable.Row(name: "byteCount", offset: 1, byteCount: 4, type: "u32"),
            ])
        #expect(
            OperationField.Before.all.rows == [
                FieldTable.Row(name: "keyCount", offset: 0, byteCount: 2, type: "u16")
            ])
        let fields = [
            "put": OperationField.Put.all, "remove": OperationField.Remove.all, "declare": OperationField.Declare.all,
            "clear": OperationField.Clear.all,
        ]
        var expected: [UInt8] = []
        for name in ["declare", "put", "remove", "put", "clear"] {
            let row = try #require(table.rows.first { table.cell($0, "name") == name })
            expected.append(try #require(UInt8(table.cell(row, "code"))))
            var numbers = [FieldTable.Row(name: "code", offset: 0, byteCount: 1, type: "u8")]
            for field in table.cell(row, "fields behind the code").split(separator: ", ") {
                let words = field.split(separator: " ").map(String.init)
                let value = try #require(values[name]?[words.last ?? ""], "\(name): \(field)")
                let bytes = try #require(value.bytes(type: words.count == 2 ? words[0] : nil), "\(name): \(field)")
                expected += bytes
                if words.count == 2 {
                    let offset = numbers.reduce(0) { $0 + $1.byteCount }
                    numbers.append(
                        FieldTable.Row(name: words[1], offset: offset, byteCount: bytes.count, type: words[0]))
                }
            }
            #expect(fields[name]?.rows == numbers, "\(name)")
        }
        let bytes = try fileSystem.bytes(of: "S/log-0000000000000001")
        // The store was closed before: the commit's frame is behind the closing mark on the second page.
        let start = 4096 + 56 + 56
        #expect(Array(bytes[start..<start + expected.count]) == expected)
        #expect(table.rows.count == 5)
    }

    @Test func `the table of an event is where its bytes are`() throws {
        let event = StoreEvent(
            kind: .cut, number: 0x1011, time: 0x2021, commitNumber: 0x3031, generation: 0x4041, byteCount: 0x5051,
            processIdentifier: 0x6162, store: 0x7172)
        let bytes = event.encoded()
        try expect(
            StoreEventField.all, "STORE.md", "History", in: bytes[...], size: 64,
            [
                "magic": .text("BDEV"), "kind": .number(4), "number": .number(0x1011), "time": .number(0x2021),
                "commit": .number(0x3031), "generation": .number(0x4041), "byteCount": .number(0x5051),
                "processIdentifier": .number(0x6162), "store": .number(0x7172),
                "checksum": .number(UInt64(CRC32C.checksum(Array(bytes[..<60])))),
            ])
    }

    @Test func `the table of a cached blob is where its bytes are`() throws {
        let blob = Blob(key: [0x61, 0x62], bytes: [1, 2, 3], written: 0x1011, lifetime: 0x2021)
        let bytes = blob.encoded(store: Self.store.bytes)
        try expect(
            BlobField.all, "CACHE.md", "Blob", in: bytes[...], size: 56,
            [
                "magic": .text("BDBL"), "version": .number(1), "keyByteCount": .number(2),
                "store": .text("0123456789abcdef"), "written": .number(0x1011), "lifetime": .number(0x2021),
                "byteCount": .number(3), "used": .number(0x1011),
                "checksum": .number(UInt64(CRC32C.checksum(Array(bytes[..<44]) + [0x61, 0x62, 1, 2, 3]))),
            ])
    }

    @Test func `the limits are the engine's`() throws {
        let table = try #require(FormatPage("README.md")?.table("The bytes of a BookDB library", 1))
        let limits: [String: ClosedRange<Int>] = [
            "bytes of a key": Limits.keyByteCount, "bytes of a value": 0...Limits.valueByteCount,
            "bytes of a transaction's operations": 0...Limits.transactionByteCount,
            "trees of a store": 0...Limits.treeCount,
            "number of a tree": Int(TreeNumber.all.lowerBound)...Int(TreeNumber.all.upperBound),
            "columns of a tree": 0...Limits.columnCount, "amounts of an entry": 0...Limits.amountCount,
            "facets of a tree": 0...Limits.facetCount, "bytes of a tree's name": 1...Limits.treeNameByteCount,
        ]
        #expect(Limits.numberLimit == 1 << 62)
        #expect(table.rows.count == limits.count + 1)
        for row in table.rows.dropLast() {
            let limit = try #require(limits[row[0]], "\(row[0])")
            #expect(row[1] == String(limit.lowerBound) && row[2] == String(limit.upperBound), "\(row[0])")
        }
    }

    @Test func `the table of the search file's header is where its bytes are`() async throws {
        let fileSystem = MemoryFileSystem()
        var options = Options(storeIdentifier: Self.store.bytes)
        let body = [UInt8](repeating: 7, count: 70_000)
        options.companion = Companion(of: TreeNumber(1)) { (_, output) throws(StorageError) in
            try output.append(body)
            return true
        }
        let database = try Database.open(at: "S", trees: numberTrees, options: options, fileSystem: fileSystem)
        try await database.compact()
        try await database.close()
        let bytes = try fileSystem.bytes(of: "S/search-0000000000000002")
        let snapshot = try fileSystem.bytes(of: "S/snapshot-0000000000000002")
        try expect(
            CompanionField.all, "SEARCH.md", "Header", in: bytes[...], size: 4096,
            [
                "magic": .text("BOOKDBSE"), "version": .number(1), "chunkByteCount": .number(65536),
                "store": .bytes(Self.store.bytes), "generation": .number(2),
                "snapshotChecksum": .number(UInt64(snapshot.loadLittleEndian(at: 4092, as: UInt32.self))),
                "tableChecksum": .number(UInt64(CRC32C.checksum(Array(bytes[74_096...])))),
                "bodyByteCount": .number(70_000),
                "headerChecksum": .number(UInt64(CRC32C.checksum(Array(bytes[..<4092])))),
            ])
        #expect(bytes.count == 74_096 + 8)
        #expect(bytes.loadLittleEndian(at: 74_096, as: UInt32.self) == CRC32C.checksum(Array(body[..<65_536])))
        #expect(bytes.loadLittleEndian(at: 74_100, as: UInt32.self) == CRC32C.checksum(Array(body[65_536...])))
    }

    // MARK: Tables and bytes

    private enum FieldValue {
        case number(UInt64)
        case text(String)
        case bytes([UInt8])
        case anything

        /// As many bytes as the type has; `nil` when the value is of another kind.
        func bytes(type: String?) -> [UInt8]? {
            let sizes = ["u8": 1, "u16": 2, "u32": 4, "u64": 8]
            switch self {
            case .number(let number):
                return type.flatMap { sizes[$0] }.map { size in
                    (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
                }
            case .text(let text): return Array(text.utf8)
            case .bytes(let bytes): return bytes
            case .anything: return nil
            }
        }
    }

    /// The page's table is the engine's, every byte of the structure is in it once, every field where it says, and reserved
    /// bytes are zeros.
    private func expect(
        _ fields: FieldTable, _ page: String, _ heading: String, table index: Int = 0, in bytes: ArraySlice<UInt8>,
        size: Int,
        _ values: [String: FieldValue], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tables = try #require(FormatPage(page)).tables.filter { $0.heading == heading }
        let table = try #require(tables.dropFirst(index).first, sourceLocation: sourceLocation)
        try #require(table.columns == ["offset", "size", "type", "name", "meaning"], sourceLocation: sourceLocation)
        try expect(fields.rows, are: table, sourceLocation)
        var end = 0
        var names: Set<String> = []
        for row in table.rows {
            let offset = try #require(Int(row[0]), "\(row)", sourceLocation: sourceLocation)
            let count = try #require(Int(row[1]), "\(row)", sourceLocation: sourceLocation)
            #expect(offset == end, "\(heading): \(row)", sourceLocation: sourceLocation)
            end = offset + count
            let found = Array(bytes.dropFirst(offset).prefix(count))
            if row[3] == "reserved" {
                #expect(
                    found == Array(repeating: 0, count: count), "\(heading): \(row)", sourceLocation: sourceLocation)
                continue
            }
            let value = try #require(values[row[3]], "\(heading): \(row[3])", sourceLocation: sourceLocation)
            names.insert(row[3])
            if case .anything = value { continue }
            let expected = try #require(value.bytes(type: row[2]), "\(heading): \(row)", sourceLocation: sourceLocation)
            let padding = [UInt8](repeating: 0, count: row[2] == "text" ? count - expected.count : 0)
            #expect(found == expected + padding, "\(heading): \(row)", sourceLocation: sourceLocation)
        }
        #expect(end == size, "\(heading) has \(size) bytes", sourceLocation: sourceLocation)
        #expect(names == Set(values.keys), "\(heading) lists every field", sourceLocation: sourceLocation)
    }

    /// Name by name, in order. What a page calls text is bytes to the engine.
    private func expect(
        _ fields: [FieldTable.Row], are table: FormatPage.Table, _ sourceLocation: SourceLocation
    ) throws {
        let rows = try table.rows.map { row in
            FieldTable.Row(
                name: row[3], offset: try #require(Int(row[0])), byteCount: try #require(Int(row[1])),
                type: row[2] == "text" ? "bytes" : row[2])
        }
        #expect(fields == rows, "\(table.heading)", sourceLocation: sourceLocation)
    }
}

extension DumpedBytes {
    fileprivate func prefix(_ count: Int) -> DumpedBytes { DumpedBytes(Array(bytes.prefix(count))) }
}
