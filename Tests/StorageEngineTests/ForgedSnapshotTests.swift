import StorageEngine
import Testing

/// Snapshots that were written wrongly: every checksum is right, and what it covers is not.
@Suite struct ForgedSnapshotTests {
    static let path = "A/snapshot-0000000000000002"

    /// Two trees in a snapshot: numbers, high enough for a branch when `count` is 400, and a text in a cold block.
    private func forge(
        _ count: Int = 40, _ change: (inout ForgedSnapshot) -> Void
    ) async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let trees = numberTrees + [TreeDeclaration(TreeNumber(2), "texts", placement: .cold)]
        let database = try Database.open(at: "A", trees: trees, fileSystem: fileSystem)
        try await database.put(0..<count)
        try await database.write { try $0.put([UInt8](repeating: 7, count: 300), forKey: 1, in: TreeNumber(2)) }
        try await database.compact()
        try await database.close()
        var forged = ForgedSnapshot(try fileSystem.bytes(of: Self.path))
        change(&forged)
        try fileSystem.replace(Self.path, with: forged.bytes)
        return fileSystem
    }

    /// A snapshot of five rows, and of an order that has places for some of them.
    private func places(of listedCount: UInt8) async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let trees = [
            TreeDeclaration(TreeNumber(1), "rows"),
            TreeDeclaration(TreeNumber(2), "by number", home: TreeHome(TreeNumber(1), lead: .bytes(2))),
        ]
        let database = try Database.open(at: "A", trees: trees, fileSystem: fileSystem)
        try await database.write { transaction in
            for row in 0..<5 as Range<UInt8> {
                try transaction.put([row], forKey: [row, 9], in: TreeNumber(1))
                if row < listedCount { try transaction.put([], forKey: [0, row, row, 9], in: TreeNumber(2)) }
            }
        }
        try await database.compact()
        try await database.close()
        return fileSystem
    }

    private func findings(_ fileSystem: MemoryFileSystem) throws -> [String] {
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        return (report.damage + report.treeFindings.map(\.damage)).map(\.finding)
    }

    /// Else two entries would have the places of others: a list would show those, and every look-up by a key find what it looks for.
    @Test func `a page whose places do not fit the leaves of its home is damage, also where they lead somewhere`()
        async throws
    {
        for radix in [2 as UInt16, 5] {
            let fileSystem = try await places(of: 2)
            let before = try fileSystem.bytes(of: Self.path)
            var forged = ForgedSnapshot(before)
            forged.changeRoot(ofTree: 1) { page in
                #expect(page[0] == 4, "the order has places")
                page.store(radix, at: 48)
            }
            try fileSystem.replace(Self.path, with: forged.bytes)
            #expect(try findings(fileSystem).isEmpty == (radix == 5), "\(radix)")
        }
    }

    /// Its pages are read without a superblock that says how many there are.
    @Test func `a page that leads beyond all pages is shown`() async throws {
        let disk = try await places(of: 5)
        var bytes = try disk.bytes(of: Self.path)
        for start in [0, bytes.count - 4096] { for place in start..<start + 64 { bytes[place] = 0xEE } }
        for start in stride(from: 4096, to: bytes.count, by: 4096) where bytes[start] == 4 {
            for place in 44..<48 { bytes[start + place] = 0xFF }
            // Places beyond those of the first page.
            bytes[start + 48] = 1
            bytes[start + 49] = 0
        }
        try disk.replace(Self.path, with: bytes)
        #expect(try !FileDump.lines(of: Self.path, fileSystem: disk).isEmpty)
    }

    @Test func `a forgery that changes nothing is sound`() async throws {
        let fileSystem = try await forge { $0.changeRoot(ofTree: 0) { _ in } }
        #expect(try findings(fileSystem) == [])
    }

    @Test(arguments: [0, 40, 5000, 70_000])
    func `a page whose bytes in use do not hold its entries is refused`(used: UInt32) async throws {
        let fileSystem = try await forge { $0.changeRoot(ofTree: 0) { $0.store(used, at: 12) } }
        let database = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        let error = #expect(throws: StorageError.self) { try database.version.count(in: numbers) }
        #expect(error?.damage?.page == 2)
        #expect(try findings(fileSystem).contains { $0.contains("do not fit the \(used) bytes in use") })
    }

    @Test func `a root that counts other columns than its tree is refused`() async throws {
        // A leaf has nothing for its columns, however many there are.
        let fileSystem = try await forge { $0.changeRoot(ofTree: 0) { $0[11] = 1 } }
        let database = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        let error = #expect(throws: StorageError.self) { try database.version.count(in: numbers, facet: Facet(0)) }
        #expect(error?.damage?.finding == "the root has 2 facets and 1 columns, its tree 2 facets and 0 columns")
        #expect(try findings(fileSystem) == ["the page belongs to another tree or level"])
    }

    /// Each page is sound. A scan goes from separator to separator, so that it never comes back.
    @Test func `who goes on by keys through leaves that have changed places comes to an end`() async throws {
        let fileSystem = try await forge(400) { snapshot in
            snapshot.changeRoot(ofTree: 0) { page in
                let count = Int(page[2]) | Int(page[3]) << 8
                // Behind the header and the slots: children, their checksums, and counts of all and of two facets.
                var start = 32 + 8 * count
                for width in [8, 4, 4, 4, 4] {
                    let (one, other) = (start, start + width)
                    for byte in 0..<width { page.swapAt(one + byte, other + byte) }
                    start += width * count
                }
            }
        }
        let database = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 400)
        var (last, callCount) = ([UInt8]?.none, 0)
        while callCount < 1000 {
            var keys: [[UInt8]] = []
            try database.version.scan(numbers, after: last) { key, _ in
                keys.append(key.copyBytes(0..<key.byteCount))
                return keys.count < 10
            }
            guard let end = keys.last else { break }
            (last, callCount) = (end, callCount + 1)
        }
        #expect((1..<50).contains(callCount))
    }

    @Test func `verify finds a seal that is not the page's`() async throws {
        let fileSystem = try await forge { $0.changeRoot(ofTree: 0, isSealed: false) { $0[28] ^= 1 } }
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.treeFindings.map(\.damage.page) == [2])
        #expect(report.treeFindings.first?.damage.finding.hasPrefix("the page's seal is ") == true)
    }

    @Test func `verify finds a page that says it is another`() async throws {
        let fileSystem = try await forge { $0.changeRoot(ofTree: 0) { $0.store(UInt32(9), at: 24) } }
        #expect(try findings(fileSystem) == ["the page says that it is page 9"])
    }

    @Test(arguments: [
        ("level", 6), ("leaf", 16), ("branches", 20), ("entries", 24), ("bytes of keys", 32),
        ("bytes of values", 40), ("bytes in use", 48),
    ])
    func `verify compares every total of the catalogue with its tree`(what: String, offset: Int) async throws {
        let fileSystem = try await forge { $0.changeCatalogues { $0[offset] ^= 0x40 } }
        let findings = try findings(fileSystem)
        #expect(findings.count == 1)
        #expect(findings.first?.contains("\(what), the catalogue says") == true)
    }

    @Test(arguments: [118, 148, 220, 1000])
    func `verify finds bytes that the superblock keeps at zero`(offset: Int) async throws {
        let fileSystem = try await forge { $0.changeSuperblocks { $0[offset] = 1 } }
        #expect(
            try findings(fileSystem)
                == Array(repeating: "a byte of the superblock that is kept at zero is not", count: 2))
    }

    @Test(arguments: [128, 140, 160 + 64 + 10, 1000]) func `verify finds bytes that the catalogue keeps at zero`(
        offset: Int
    ) async throws {
        let fileSystem = try await forge { $0.changeCatalogues { $0[offset] = 1 } }
        #expect(
            try findings(fileSystem)
                == Array(repeating: "a byte of the catalogue that is kept at zero is not", count: 2))
    }

    /// How a tree is cut into stretches was reckoned with these numbers, and the arithmetic overflowed.
    @Test func `a compaction refuses totals of any size`() async throws {
        let fileSystem = try await forge {
            $0.changeCatalogues {
                $0.store(UInt64(1), at: 24)
                $0.store(UInt64(1) << 61, at: 40)
            }
        }
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        let error = await #expect(throws: StorageError.self) { try await database.compact() }
        #expect(error?.damage?.finding.hasPrefix("tree numbers holds other entries than") == true)
        try await database.close()
    }

    /// A scan went by positions, so it passed over what the root did not count, and the compacted store had lost it for good.
    @Test(arguments: [1, -1]) func `a compaction does not lose entries that the branches miscount`(
        difference: Int
    ) async throws {
        let fileSystem = try await forge(400) { forged in
            forged.changeRoot(ofTree: 0) { page in
                let count = Int(page[2])
                let first = 32 + count * 20
                // What one child has more another has less: the sum is right.
                page[first] = UInt8(Int(page[first]) + difference)
                page[first + 4] = UInt8(Int(page[first + 4]) - difference)
            }
        }
        let before = try fileSystem.bytes(of: Self.path)
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        var damage: Damage?
        do { try await database.compact() } catch StorageError.damaged(let found) { damage = found }
        #expect(damage?.finding == "it holds another number of entries than its parent counts")
        #expect(try fileSystem.bytes(of: Self.path) == before)
        try await database.close()
    }

    /// Pages that lie below several branches would be gone through without end.
    @Test func `a comparison visits no page that holds less than is counted`() async throws {
        let fileSystem = try await forge(400) { forged in
            forged.changeRoot(ofTree: 0) { page in
                let first = 32 + Int(page[2]) * 20
                page[first] += 1
                page[first + 4] -= 1
            }
        }
        let other = MemoryFileSystem()
        let empty = try Database.open(at: "B", trees: numberTrees, fileSystem: other)
        let database = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        var damage: Damage?
        do {
            try database.version.forEachDifference(from: empty.version, in: numbers) { _, _ in true }
        } catch StorageError.damaged(let found) { damage = found }
        #expect(damage?.finding == "it holds another number of entries than its parent counts")
        try await empty.close()
    }

    @Test func `a compaction does not write out less than the catalogue promises`() async throws {
        // As if the tree had a root with one entry less.
        let fileSystem = try await forge { $0.changeCatalogues { $0.store(UInt64(41), at: 24) } }
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        await #expect(throws: StorageError.self) { try await database.compact() }
        try await database.close()
    }
}
