import Testing

@testable import StorageEngine

/// Snapshots as a later version may write them, made by hand: with features, trailers, and bytes that are reserved today.
@Suite struct FutureSnapshotTests {
    private static let path = "A/snapshot-0000000000000002"
    private static let texts = TreeNumber(2)
    private static let trees = numberTrees + [TreeDeclaration(texts, "texts", placement: .cold)]

    /// Forty numbers and a text in a cold block, compacted; one commit in the log.
    private func store(_ change: (inout ForgedSnapshot) throws -> Void) async throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: Self.trees, fileSystem: disk)
        try await database.put(0..<40)
        try await database.write { try $0.put([UInt8](repeating: 7, count: 300), forKey: 1, in: Self.texts) }
        try await database.compact()
        try await database.put(40..<41)
        try await database.close()
        var forged = ForgedSnapshot(try disk.bytes(of: Self.path))
        try change(&forged)
        try disk.replace(Self.path, with: forged.bytes)
        return disk
    }

    private func expectWhole(_ version: Version, _ count: Int = 41) throws {
        #expect(try version.count(in: numbers) == count)
        let text = try version.value(forKey: 1, in: Self.texts) { $0.copyBytes(0..<$0.byteCount) }
        #expect(text == [UInt8](repeating: 7, count: 300))
    }

    private func open(_ disk: MemoryFileSystem, _ access: Access) throws -> Database {
        try Database.open(at: "A", trees: Self.trees, options: Options(access: access), fileSystem: disk)
    }

    @Test func `features that may be ignored are, and what this version writes has none of them`() async throws {
        let disk = try await store { forged in
            forged.changeSuperblocks { page in
                page.store(UInt32(0x8000_0001), at: 104)
                for place in 118..<200 { page[place] = 0x5A }
            }
        }
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        #expect(try Salvage(at: "A", fileSystem: disk).report.isWhole)
        #expect(try StoreInspection(at: "A", fileSystem: disk).damage.isEmpty)
        let database = try open(disk, .exclusive)
        try expectWhole(database.version)
        try await database.put(41..<50)
        try await database.compact()
        try await database.close()
        let written = try disk.bytes(of: "A/snapshot-0000000000000003")
        #expect(written[104..<4092].allSatisfy { $0 == 0 })
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        let again = try open(disk, .readOnly)
        try expectWhole(again.version, 50)
    }

    /// The first segment behind a load or rescue names the snapshot by this.
    @Test func `a repair knows a later snapshot by the checksum that it has`() async throws {
        let disk = try await store { forged in
            forged.changeSuperblocks { page in for place in 118..<200 { page[place] = 0x5A } }
        }
        let heads = try SnapshotHeads([2], StoreFiles(directory: "A"), disk)
        let file = try SnapshotFile(opening: Self.path, generation: 2, disk)
        #expect(heads.superblock != nil && heads.identity == file.identity.checksum)
    }

    /// A bit of the first root turns on the way to the disk, behind its checksum.
    @Test func `what another version wrote stays until what a compaction makes of it was read back`() async throws {
        for isFromAnother in [true, false] {
            let base = try await store { forged in
                if isFromAnother { forged.changeSuperblocks { $0.store(UInt32(1), at: 104) } }
            }
            let before = try base.bytes(of: Self.path)
            let disk = WornFileSystem(
                base: base, path: "A/snapshot-0000000000000003.tmp", turned: 8192 + 40)
            let database = try Database.open(at: "A", trees: Self.trees, fileSystem: disk)
            guard isFromAnother else {
                // Its own layout is not read back each time.
                try await database.compact()
                try await database.close()
                continue
            }
            await #expect(throws: StorageError.self) { try await database.compact() }
            #expect(try base.bytes(of: Self.path) == before)
            try await database.put(41..<50)
            try expectWhole(database.version, 50)
            try await database.close()
            // The disk is a better one by now.
            let again = try open(base, .exclusive)
            try await again.compact()
            try await again.close()
            #expect(try Verifier.verify(at: "A", fileSystem: base).isSound)
        }
    }

    @Test func `a store that may only be read is read, verified and salvaged, and refused for writing`() async throws {
        let disk = try await store { $0.changeSuperblocks { $0.store(UInt32(6), at: 108) } }
        let before = try disk.contents()
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        let salvage = try Salvage(at: "A", fileSystem: disk)
        #expect(salvage.report.isWhole)
        #expect(try salvage.contents([numbers]).numbers(in: numbers) == Set(0..<41))
        let reading = try open(disk, .readOnly)
        try expectWhole(reading.version)
        let expected = StorageError.unknownFeatures(path: Self.path, bits: 6, canBeRead: true)
        #expect(throws: expected) { try open(disk, .exclusive) }
        #expect("\(expected)".contains(Self.path) && "\(expected)".contains("Open it read-only, or update BookDB"))
        #expect(try disk.contents() == before)
    }

    @Test func `a snapshot that cannot be read without a feature is refused by name, whatever else is in it`()
        async throws
    {
        let changes: [(inout [UInt8]) -> Void] = [
            { _ in }, { $0.store(UInt32(16384), at: 12) }, { $0.store(UInt32(5000), at: 60) },
            { $0.store(UInt64.max, at: 64) },
        ]
        for change in changes {
            let disk = try await store { forged in
                forged.changeSuperblocks { page in
                    page.store(UInt32(0x10), at: 112)
                    change(&page)
                }
            }
            let before = try disk.contents()
            let expected = StorageError.unknownFeatures(path: Self.path, bits: 0x10, canBeRead: false)
            #expect(throws: expected) { try open(disk, .exclusive) }
            #expect(throws: expected) { try open(disk, .readOnly) }
            #expect(throws: expected) { try Verifier.verify(at: "A", fileSystem: disk) }
            #expect(throws: expected) { try Salvage(at: "A", fileSystem: disk) }
            #expect(throws: expected) { try StoreInspection(at: "A", fileSystem: disk) }
            #expect(
                try FileDump.lines(of: Self.path, fileSystem: disk).contains {
                    $0.contains("features of a newer BookDB")
                })
            #expect(try disk.contents() == before)
        }
    }

    @Test func `features are believed with a right checksum only: rot makes none, and takes none away`() async throws {
        let plain = try await store { _ in }
        let newer = try await store { $0.changeSuperblocks { $0.store(UInt32(1), at: 112) } }
        for place in 104..<118 {
            for disk in [plain, newer] {
                var bytes = try disk.bytes(of: Self.path)
                bytes[place] ^= 1
                let rotten = try disk.copy()
                try rotten.replace(Self.path, with: bytes)
                if disk === plain {
                    // The copy at the end serves.
                    let reading = try open(rotten, .readOnly)
                    #expect(reading.opening.usedSpareSuperblock)
                } else {
                    #expect(throws: StorageError.unknownFeatures(path: Self.path, bits: 1, canBeRead: false)) {
                        try open(rotten, .readOnly)
                    }
                }
            }
        }
    }

    /// A store of which nothing is known but that it was just created is created once more; not so one of a later version.
    @Test func `a new store with features is not created once more`() async throws {
        let disk = MemoryFileSystem()
        try await Database.open(at: "A", trees: Self.trees, fileSystem: disk).close()
        let (path, log) = ("A/snapshot-0000000000000001", "A/log-0000000000000001")
        try disk.replace(log, with: Array(try disk.bytes(of: log).prefix(64)))
        var forged = ForgedSnapshot(try disk.bytes(of: path))
        forged.changeSuperblocks { $0.store(UInt32(1), at: 104) }
        try disk.replace(path, with: forged.bytes)
        try await Database.open(at: "A", trees: Self.trees, fileSystem: disk).close()
        #expect(try disk.bytes(of: path) == forged.bytes)
    }

    // MARK: Trailers

    /// Sixteen bytes at the end of each page and of each block, as an authentication tag would have.
    private func storeWithTrailers() async throws -> MemoryFileSystem {
        try await store { forged in
            for tree in 0..<2 {
                forged.changeRoot(ofTree: tree) { page in
                    for place in 4080..<4096 { page[place] = 0xEE }
                }
            }
            try forged.addTrailerToBlock([UInt8](repeating: 0xDD, count: 16))
            forged.changeSuperblocks { page in
                page[116] = 16
                page[117] = 16
            }
        }
    }

    @Test func `trailers of pages and blocks are passed over, and a compaction leaves none`() async throws {
        let disk = try await storeWithTrailers()
        let report = try Verifier.verify(at: "A", fileSystem: disk)
        #expect(report.isSound, "\(report.damage) \(report.treeFindings)")
        #expect(try Salvage(at: "A", fileSystem: disk).report.isWhole)
        let lines = try FileDump.lines(of: Self.path, fileSystem: disk)
        #expect(!lines.contains { $0.hasPrefix("✗") } && lines.count { $0.hasSuffix("  trailer") } == 2)
        let database = try open(disk, .exclusive)
        try expectWhole(database.version)
        try await database.compact()
        try await database.close()
        #expect(try disk.bytes(of: "A/snapshot-0000000000000003")[116..<118] == [0, 0])
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        let again = try open(disk, .readOnly)
        try expectWhole(again.version)
    }

    @Test func `a rotten bit of a trailer is found, by the page's parent and the block's checksum`() async throws {
        let disk = try await storeWithTrailers()
        let bytes = try disk.bytes(of: Self.path)
        let places = bytes.indices.filter { [0xEE, 0xDD].contains(bytes[$0]) && bytes[max(0, $0 - 1)] == bytes[$0] }
        #expect(places.count >= 45)
        for place in places {
            var rotten = bytes
            rotten[place] ^= 0x10
            try disk.replace(Self.path, with: rotten)
            #expect(try !Verifier.verify(at: "A", fileSystem: disk).isSound, "byte \(place)")
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `the reader in Python reads them alike, and refuses alike`() async throws {
        let disk = try await storeWithTrailers()
        let newer = try await store { $0.changeSuperblocks { $0.store(UInt32(1), at: 112) } }
        try await withTemporaryDirectory { directory in
            try disk.write(to: directory + "/trailers")
            let verified = try PythonReader(["verify", directory + "/trailers"])
            #expect(verified.status == 0, "\(verified.output)\(verified.talk)")
            let dumped = try PythonReader(["dump", directory + "/trailers/snapshot-0000000000000002"])
            let lines = try FileDump.lines(of: Self.path, fileSystem: disk)
            #expect(dumped.output == lines.joined(separator: "\n") + "\n")
            try newer.write(to: directory + "/newer")
            let refused = try PythonReader(["verify", directory + "/newer"])
            #expect(refused.status == 65 && refused.output.contains("it is not damaged"), "\(refused.output)")
        }
    }
}

extension ForgedSnapshot {
    /// Gives the only cold block a trailer, for which the padding behind it has room.
    fileprivate mutating func addTrailerToBlock(_ trailer: [UInt8]) throws {
        let superblock = try bytes.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes.extracting(0..<4096), path: "", at: 0)
        }
        let start = Int(superblock.coldOffset)
        let end = start + Int(superblock.coldByteCount)
        var block = Array(bytes[start..<end]) + trailer
        block.store(UInt32(block.count - ColdBlock.headerByteCount), at: ColdBlockField.storedCount.offset)
        let identity = ColdIdentity(store: superblock.store, generation: superblock.generation)
        let stored = Array(block.dropFirst(ColdBlock.headerByteCount))
        let checksum = block.withBytes { block in
            stored.withBytes { stored in
                ColdBlock.checksum(
                    header: block.extracting(0..<ColdBlock.headerByteCount), block: 0, of: identity, stored: stored)
            }
        }
        block.store(checksum, at: ColdBlockField.checksum.offset)
        replace(start..<start + block.count, with: block)
        changeSuperblocks { $0.store(UInt64(block.count), at: 72) }
    }
}
