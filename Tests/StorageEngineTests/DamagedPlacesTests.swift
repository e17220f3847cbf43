import TestSupport
import Testing

@testable import StorageEngine

/// Pages of a home tree that are not what was written, and the entries whose keys end there.
@Suite struct DamagedPlacesTests {
    private static let rows = TreeNumber(1)
    private static let order = TreeDeclaration(
        TreeNumber(2), "by group", facetCount: 1, home: TreeHome(rows, lead: .bytes(1)))
    private static let count = 2_000
    private static let path = "A/snapshot-0000000000000002"

    /// An entry for each row, the rows of a group far apart.
    private static func key(_ number: Int) -> [UInt8] { [UInt8(number % 7)] + .key(UInt64(number)) }

    private static func store() async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: [TreeDeclaration(rows, "rows"), order], options: Options(compaction: .manual),
            fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<count {
                try transaction.put(Array("row \(number)".utf8), forKey: UInt64(number), in: rows)
                try transaction.put([], forKey: key(number), facets: FacetSet(rawValue: 1), in: order.number)
            }
        }
        try await database.compact()
        try await database.close()
        return fileSystem
    }

    private static func open(_ fileSystem: MemoryFileSystem) throws -> Database {
        try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly, compaction: .manual), fileSystem: fileSystem)
    }

    /// The pages of the leaves of the rows.
    private static func leaves(_ fileSystem: MemoryFileSystem) throws -> [Int] {
        let database = try open(fileSystem)
        var pages: [Int] = []
        var readAhead = database.version.generation.file.readAhead
        try database.version.source(of: rows).reader.forEachLeaf(&readAhead) { leaf, _, _ in
            pages.append(Int(leaf.pageNumber))
            return true
        }
        return pages
    }

    /// Reads every entry of the order and its row. Gives the numbers of those that could be read and what was met, each damage once.
    private static func read(_ database: Database) throws -> (numbers: [Int], damages: [Damage]) {
        var numbers: [Int] = []
        var damages: [Damage] = []
        for position in 0..<count {
            do throws(StorageError) {
                let entry = try database.version.entry(at: position, in: order.number)
                let number = try entry?.trailingInteger ?? 0
                let key = try entry?.withKey { $0.copyBytes(0..<$0.byteCount) }
                let row = try entry?.homeEntry(behind: .bytes(1), in: rows)?.withValue {
                    $0.copyBytes(0..<$0.byteCount)
                }
                if key == Self.key(Int(number)), row == Array("row \(number)".utf8) { numbers.append(Int(number)) }
            } catch {
                if let damage = error.damage, !damages.contains(damage) { damages.append(damage) }
            }
        }
        return (numbers.sorted(), damages)
    }

    @Test(arguments: ["a bit", "another page"])
    func `a page of the home that is not its own is met, and costs the entries that end there`(what: String)
        async throws
    {
        let fileSystem = try await Self.store()
        #expect(try Self.read(try Self.open(fileSystem)).numbers == Array(0..<Self.count))
        let leaves = try Self.leaves(fileSystem)
        try #require(leaves.count > 4)
        var bytes = try fileSystem.bytes(of: Self.path)
        if what == "a bit" {
            bytes[leaves[2] * 4096 + 2000] ^= 4
        } else {
            // A sound page of the same tree, sealed for another place.
            bytes.replaceSubrange(
                leaves[2] * 4096..<(leaves[2] + 1) * 4096, with: bytes[leaves[1] * 4096..<(leaves[1] + 1) * 4096])
        }
        try fileSystem.replace(Self.path, with: bytes)
        let (numbers, damages) = try Self.read(try Self.open(fileSystem))
        let lost = Set(0..<Self.count).subtracting(numbers)
        #expect(damages.map(\.page) == [leaves[2]])
        #expect(lost.count > 20 && lost.count < 400 && lost.max()! - lost.min()! == lost.count - 1)
        // One finding, however many trees lead to the page.
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.treeFindings.map(\.damage.page) == [leaves[2]])
        #expect(report.treeFindings.first?.tree == Self.rows && report.treeFindings.first?.lostEntryCount == lost.count)
        // A salvage saves what is left of both.
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        for tree in [Self.rows, Self.order.number] {
            var entries = salvage.entries(in: tree)
            var saved: [Int] = []
            while let entry = try entries.next() {
                saved.append(Int(entry.key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }))
            }
            #expect(saved.sorted() == numbers, "\(tree)")
        }
    }

    @Test func `a repaired home gives an order its places again`() async throws {
        let fileSystem = try await Self.store()
        let database = try Database.open(
            at: "A", trees: [], options: Options(compaction: .manual), fileSystem: fileSystem)
        // The rows are made anew, in another order of pages: nothing may lead to the old ones.
        try await database.write { try $0.removeAll(in: Self.rows) }
        let stray = try #require(try database.version.entry(at: 0, in: Self.order.number))
        #expect(try stray.homeEntry(behind: .bytes(1), in: Self.rows) == nil)
        try await database.write { transaction in
            for number in (0..<Self.count).reversed() {
                try transaction.put(Array("row \(number)".utf8), forKey: UInt64(number), in: Self.rows)
            }
        }
        #expect(try Self.read(database).numbers == Array(0..<Self.count))
        try await database.compact()
        #expect(try Self.read(database).numbers == Array(0..<Self.count))
        var leaves: [Node] = []
        var readAhead = database.version.generation.file.readAhead
        try database.version.source(of: Self.order.number).reader.forEachLeaf(&readAhead) { leaf, _, _ in
            leaves.append(leaf)
            return true
        }
        #expect(!leaves.contains { !$0.isPermuted })
        try await database.close()
    }

    @Test func `a page with places that was not written so is refused`() async throws {
        let fileSystem = try await Self.store()
        let bytes = try fileSystem.bytes(of: Self.path)
        let superblock = try Superblock(alone: DumpedBytes(Array(bytes.prefix(4096))), path: "")
        let page = try #require(
            stride(from: 4096, to: bytes.count - 4096, by: 4096).first { bytes[$0] == NodeLayout.permutationLeaf })
        let sound = Array(bytes[page..<page + 4096])
        func finding(_ change: (inout [UInt8]) -> Void) -> String? {
            var changed = sound
            change(&changed)
            return changed.withBytes {
                PageValidation.layoutFinding(
                    in: $0, pageCount: Int(superblock.pageCount), coldByteCount: superblock.coldByteCount)
            }
        }
        #expect(finding { _ in } == nil)
        let arrays = PermutationArrays(
            count: Int(sound.load(NodeField.count)), facetCount: 1,
            groupCount: Int(sound.load(PermutationField.groupCount)),
            placeBitCount: Int(sound.load(PermutationField.placeBitCount)))
        #expect(
            finding { $0.store(UInt32(0), in: PermutationField.placeBitCount) } == "places have 1 to 32 bits, not 0")
        #expect(
            finding { $0.store(UInt32(33), in: PermutationField.placeBitCount) } == "places have 1 to 32 bits, not 33")
        #expect(finding { $0.store(UInt16(0), in: PermutationField.radix) } == "no leaf has up to 0 entries")
        #expect(
            finding { $0.store(UInt16(0), in: PermutationField.groupCount) }?.hasSuffix("entries in 0 groups") == true)
        #expect(
            finding { $0.store(UInt32(0), in: PermutationField.homeRoot) }
                == "the home tree's root is no page of this file")
        #expect(
            finding { $0.store(UInt32.max, in: PermutationField.homeFirstPage) }?.hasSuffix(
                "is on no page of this file") == true)
        #expect(finding { $0.store(UInt16(1), in: arrays.starts[0]) } == "group 0 begins at entry 1")
        #expect(finding { $0.store(UInt16(9), in: arrays.offsets[0]) } == "group 0 lies outside the page")
        #expect(
            finding { $0[Int(sound.load(arrays.offsets[0]))] = 255 } == "group 0 lies outside the page"
                || arrays.groupCount > 1)
        #expect(
            finding { $0.store(UInt64.max, in: arrays.facet(0)[arrays.facet(0).count - 1]) }
                == (arrays.count % 64 == 0
                    ? nil : "facet 0 has entries that are not there"))
        #expect(
            finding { $0.swapAt(arrays.placesOffset, arrays.placesOffset + 8) }?.contains(
                "does not sort after the one before it") == true)
        #expect(finding { $0.store(UInt8(1), in: NodeField.columnCount) } == "a page with places has no columns")
        #expect(finding { $0.store(UInt32(arrays.end - 1), in: NodeField.used) }?.contains("do not fit") == true)
    }

    @Test func `a tree cannot have a home that is none`() {
        func objection(_ home: TreeHome, columns: TreeColumns = .none, placement: ValuePlacement = .hot) -> String? {
            TreeDeclaration(TreeNumber(2), "by name", columns: columns, placement: placement, home: home).objection
        }
        #expect(objection(TreeHome(TreeNumber(1), lead: .bytes(1))) == nil)
        #expect(objection(TreeHome(TreeNumber(1), lead: .throughZero(andBytes: 127))) == nil)
        #expect(
            objection(TreeHome(TreeNumber(2), lead: .bytes(1)))
                == "Tree by name has tree 2 for its home, which can be none.")
        #expect(objection(TreeHome(TreeNumber(0), lead: .bytes(1)))?.contains("tree 0 for its home") == true)
        for lead in [KeyLead.bytes(0), .bytes(128), .throughZero(andBytes: 128), .throughZero(andBytes: -1)] {
            #expect(objection(TreeHome(TreeNumber(1), lead: lead))?.contains("with a lead of") == true)
        }
        let home = TreeHome(TreeNumber(1), lead: .bytes(1))
        #expect(objection(home, columns: [.fingerprint])?.contains("it can have one of them") == true)
        #expect(objection(home, placement: .cold)?.contains("it can have one of them") == true)
    }

    @Test func `a lead is told from the key`() {
        func count(_ lead: KeyLead, _ key: [UInt8]) -> Int? { key.withBytes { lead.byteCount(in: $0) } }
        #expect(count(.bytes(2), [1, 2, 3]) == 2)
        #expect(count(.bytes(2), [1, 2]) == nil)
        #expect(count(.throughZero(andBytes: 0), [1, 0, 3]) == 2)
        #expect(count(.throughZero(andBytes: 0), [0, 3]) == 1)
        #expect(count(.throughZero(andBytes: 0), [1, 2, 0]) == nil)
        #expect(count(.throughZero(andBytes: 0), [1, 2, 3]) == nil)
        #expect(count(.throughZero(andBytes: 2), [1, 0, 0, 0, 5]) == 4)
        #expect(count(.throughZero(andBytes: 2), [1, 0, 0, 0]) == nil)
        for lead in [KeyLead.bytes(1), .bytes(127), .throughZero(andBytes: 0), .throughZero(andBytes: 127)] {
            #expect(KeyLead(code: lead.code) == lead)
        }
        #expect(KeyLead(code: 0) == nil)
    }
}
