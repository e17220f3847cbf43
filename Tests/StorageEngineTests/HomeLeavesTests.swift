import Testing

@testable import StorageEngine

/// What pages with places say of the leaves of their home, also of those to which no place leads: look-ups end there as well. They refused what
/// verify had found to be sound.
@Suite struct HomeLeavesTests {
    private static let path = "A/snapshot-0000000000000002"

    /// Ten rows in three leaves, and an order with a place for one of them.
    private func store(listing listed: UInt8) async throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = 4
        let trees = [
            TreeDeclaration(TreeNumber(1), "rows"),
            TreeDeclaration(TreeNumber(2), "by number", home: TreeHome(TreeNumber(1), lead: .bytes(2))),
        ]
        let database = try Database.open(at: "A", trees: trees, options: options, fileSystem: disk)
        try await database.write { transaction in
            for row in 0..<10 as Range<UInt8> { try transaction.put([row], forKey: [row, 9], in: TreeNumber(1)) }
            try transaction.put([], forKey: [0, listed, listed, 9], in: TreeNumber(2))
        }
        try await database.compact()
        try await database.close()
        return disk
    }

    /// The pages of the rows, as their root names them.
    private func leaves(_ snapshot: [UInt8]) throws -> [Int] {
        let root = ForgedSnapshot(snapshot).rootPage(ofTree: 0) * 4096
        try #require(snapshot[root] == 2 && snapshot[root + 2] == 3, "a branch of three leaves")
        return (0..<3).map { index in
            let child = root + 56 + 8 * index
            return (Int(snapshot[child]) | Int(snapshot[child + 1]) << 8) >> 1
        }
    }

    private func findings(_ disk: MemoryFileSystem) throws -> [String] {
        let report = try Verifier.verify(at: "A", fileSystem: disk)
        return (report.damage + report.treeFindings.map(\.damage)).map(\.finding)
    }

    @Test func `verify compares the first leaf and the radix of places with all leaves of their home`() async throws {
        let disk = try await store(listing: 9)
        let before = try disk.bytes(of: Self.path)
        let leaves = try leaves(before)
        #expect(try findings(disk) == [])
        let forgeries = [
            (leaves[1], 4, "the first leaf of its home is page \(leaves[0]), the page says \(leaves[1])"),
            (leaves[0], 2, "a leaf of its home has 4 entries, more than the radix 2"),
        ]
        for (firstPage, radix, finding) in forgeries {
            var forged = ForgedSnapshot(before)
            forged.changeRoot(ofTree: 1) { page in
                #expect(page[0] == 4, "the order has places")
                #expect(page[60] == 9, "that of the second entry of the third leaf")
                page.store(UInt32(firstPage), at: 44)
                page.store(UInt16(radix), at: 48)
                // It leads where it led.
                page[60] = UInt8((leaves[2] - firstPage) * radix + 1)
            }
            try disk.replace(Self.path, with: forged.bytes)
            #expect(try findings(disk) == [finding])
        }
    }

    @Test func `verify finds a home whose leaves do not lie in the order of their keys`() async throws {
        let disk = try await store(listing: 0)
        let before = try disk.bytes(of: Self.path)
        let leaves = try leaves(before)
        var forged = ForgedSnapshot(before)
        // The last two change places. The one place leads to the first.
        var sums: [UInt32] = []
        for (page, other) in [(leaves[1], leaves[2]), (leaves[2], leaves[1])] {
            sums.append(
                forged.changePage(page) { bytes in
                    bytes = Array(before[other * 4096..<(other + 1) * 4096])
                    bytes.store(UInt32(page), at: 24)
                })
        }
        forged.changeRoot(ofTree: 0) { root in
            // Behind the header and three slots: the children, and behind those their checksums.
            for (index, page, sum) in [(1, leaves[2], sums[1]), (2, leaves[1], sums[0])] {
                root.store(UInt64(page) << 1 | 1, at: 56 + 8 * index)
                root.store(sum, at: 80 + 4 * index)
            }
        }
        let rootSum = Array(forged.bytes[4096 + 12..<4096 + 16])
        forged.changeRoot(ofTree: 1) { $0.replaceSubrange(36..<40, with: rootSum) }
        try disk.replace(Self.path, with: forged.bytes)
        #expect(try findings(disk) == ["the leaves of its home do not lie in the order of their keys"])
    }

    /// Pages are compared with what their parents say when they are first touched, and a place had touched this one before.
    @Test func `a page that a place led to is compared with what its parent says all the same`() async throws {
        let disk = try await store(listing: 9)
        let before = try disk.bytes(of: Self.path)
        let leaves = try leaves(before)
        var forged = ForgedSnapshot(before)
        // Another value, and the seal is right.
        forged.changePage(leaves[2]) { page in
            let used = Int(page[12]) | Int(page[13]) << 8
            page[used - 1] ^= 1
        }
        try disk.replace(Self.path, with: forged.bytes)
        let file = try SnapshotFile(opening: Self.path, generation: 2, disk)
        withExtendedLifetime(file) {
            let trees = file.superblock.trees
            var order = file.walk(trees[1].declaration)
            order.walk(trees[1].root)
            #expect(order.findings == [])
            var rows = file.walk(trees[0].declaration)
            rows.walk(trees[0].root)
            #expect(rows.findings.map(\.damage.page) == [leaves[2]])
            #expect(rows.findings.first?.damage.finding.contains("its parent says") == true)
        }
    }
}
