import StorageEngine
import Synchronization
import Testing

/// What the image mutator found. Each of these was once served, passed over in silence, or blamed on the wrong place.
@Suite struct RotRegressionTests {
    private static let log = "A/log-0000000000000001"

    private func findings(_ fileSystem: any FileSystem) throws -> [Damage] {
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        return report.damage + report.treeFindings.map(\.damage)
    }

    private func writerError(_ fileSystem: any FileSystem) -> StorageError? {
        #expect(throws: StorageError.self) { try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem) }
    }

    /// The first generation could do without a segment, as nothing had been written then. So a store that had never been
    /// compacted and lost its log opened as an empty one.
    @Test func `a store that lost its first segment is not an empty one`() async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        fileSystem.remove(Self.log)
        #expect(try findings(fileSystem).map(\.file) == [Self.log])
        #expect(writerError(fileSystem)?.damage?.finding == "the segment that follows commit 0 is missing")
        let reader = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(reader.opening.damage?.file == Self.log)
        let left = try fileSystem.names(inDirectory: "A").filter { !["lock", "history"].contains($0) }
        #expect(left == ["snapshot-0000000000000001"])
    }

    @Test func `a creation that stopped before its snapshot is begun anew`() async throws {
        let fileSystem = FaultyFileSystem()
        fileSystem.fail { call, path in
            call == .rename && path.contains("snapshot") ? .diskFull(path: path) : nil
        }
        #expect(writerError(fileSystem) == .diskFull(path: "A/snapshot-0000000000000001.tmp"))
        fileSystem.fail(nil)
        #expect(try fileSystem.files("log", in: "A") == [Self.log])
        #expect(throws: StorageError.notFound(path: "A")) {
            try Database.open(at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        }
        #expect(throws: StorageError.notFound(path: "A")) {
            try Verifier.verify(at: "A", fileSystem: fileSystem)
        }
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<5)
        try await database.close()
        #expect(try findings(fileSystem) == [])
    }

    /// A writer took a header that had rotted for a creation that had not ended, and made the store once more. Nothing was in it,
    /// but reading refused it, and nobody was told.
    @Test func `a log without commits whose header has rotted is damage to a writer too`() async throws {
        let fileSystem = FaultyFileSystem()
        try await Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem).close()
        // As a creation leaves it that is followed by a crash.
        var bytes = Array(try fileSystem.bytes(of: Self.log).prefix(64))
        bytes[20] ^= 1
        try fileSystem.replace(Self.log, with: bytes)
        #expect(try findings(fileSystem).map(\.file) == [Self.log])
        #expect(writerError(fileSystem)?.damage?.file == Self.log)
        #expect(try fileSystem.bytes(of: Self.log) == bytes)
    }

    /// Opening asked for a newer BookDB, and verify found nothing at all.
    @Test(arguments: 8..<12) func `a version number that rotted in a segment is damage, not a newer format`(
        offset: Int
    ) async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        bytes[offset] ^= 0x80
        try fileSystem.replace(Self.log, with: bytes)
        #expect(try findings(fileSystem).map(\.file) == [Self.log])
        #expect(writerError(fileSystem)?.damage?.file == Self.log)
    }

    /// Nobody compared the checksum that a segment's header names with the frame before.
    @Test func `a segment whose closing frame is gone is not continued by the next one`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { call, path in call == .rename && path.contains("snapshot") ? .diskFull(path: path) : nil }
        _ = try? await database.compact()
        fileSystem.fail(nil)
        try await database.put(10..<11)
        try await database.close()
        let bytes = try fileSystem.bytes(of: Self.log)
        // The mark has the last page for itself.
        try fileSystem.replace(Self.log, with: Array(bytes.dropLast(4096)))
        let found = try findings(fileSystem)
        #expect(found.map(\.file) == [Self.log])
        #expect(writerError(fileSystem)?.damage == found.first)
        let reader = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(reader.opening.damage == found.first)
        #expect(reader.version.commitNumber == 1)
    }

    /// The old superblock was sound in itself; that the good one stood at the end was not looked at.
    @Test func `an old first superblock gives way to the good one at the end`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        let old = try fileSystem.bytes(of: "A/snapshot-0000000000000002")
        try await database.put(0..<10, value: "newer")
        try await database.compact()
        try await database.close()
        let path = "A/snapshot-0000000000000003"
        let bytes = try fileSystem.bytes(of: path)
        try #require(old.count == bytes.count)
        try fileSystem.replace(path, with: Array(old[..<4096] + bytes[4096...]))
        let found = try findings(fileSystem)
        #expect(found.map(\.page) == [0])
        #expect(found.first?.finding == "the superblock differs from the other one, by which the file was read")
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(reopened.opening.usedSpareSuperblock)
        #expect(try reopened.version.count(in: numbers) == 10)
        try await reopened.close()
    }

    /// Of two sound superblocks verify believed the first, and blamed the good one at the end and every root.
    @Test(arguments: [0, 1]) func `verify blames the superblock that is another store's`(place: Int) async throws {
        var files: [[UInt8]] = []
        let fileSystem = MemoryFileSystem()
        for directory in ["B", "A"] {
            let database = try Database.open(at: directory, trees: numberTrees, fileSystem: fileSystem)
            try await database.put(0..<10)
            try await database.compact()
            try await database.close()
            files.append(try fileSystem.bytes(of: directory + "/snapshot-0000000000000002"))
        }
        var bytes = files[1]
        let start = place * (bytes.count - 4096)
        bytes.replaceSubrange(start..<start + 4096, with: files[0][start..<start + 4096])
        try fileSystem.replace("A/snapshot-0000000000000002", with: bytes)
        #expect(try findings(fileSystem).map(\.page) == [start / 4096])
    }

    @Test func `a snapshot under the name of another generation is refused`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        try await database.close()
        try fileSystem.rename("A/snapshot-0000000000000002", to: "A/snapshot-0000000000000005")
        let found = try findings(fileSystem)
        #expect(found.map(\.finding) == ["the superblock is of generation 2, the file's name says 5"])
        #expect(writerError(fileSystem)?.damage == found.first)
        #expect(throws: StorageError.self) { try StoreInspection(at: "A", fileSystem: fileSystem) }
    }

    /// No parent holds the checksum of a cold block, and its own did not cover the generation.
    @Test func `a cold block of the generation before is not served`() async throws {
        let fileSystem = MemoryFileSystem()
        let texts = TreeNumber(2)
        let database = try Database.open(
            at: "A", trees: [TreeDeclaration(texts, "texts", placement: .cold)], fileSystem: fileSystem)
        var files: [[UInt8]] = []
        for byte: UInt8 in [1, 2] {
            try await database.write { try $0.put([UInt8](repeating: byte, count: 500), forKey: 1, in: texts) }
            try await database.compact()
            files.append(try fileSystem.bytes(of: "A/snapshot-000000000000000\(byte + 1)"))
        }
        try await database.close()
        try #require(files[0].count == files[1].count && files[1].count == 6 * 4096)
        let stale = Array(files[1][..<12288] + files[0][12288..<16384] + files[1][16384...])
        try fileSystem.replace("A/snapshot-0000000000000003", with: stale)
        let reader = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        let error = #expect(throws: StorageError.self) {
            try reader.version.value(forKey: 1, in: texts) { $0.byteCount }
        }
        #expect(error?.damage?.byteOffset == 12288)
        #expect(try findings(fileSystem).first?.finding.hasSuffix("; it holds 1 value of texts") == true)
    }

    @Test func `a log without its snapshot is a damaged store, not none`() async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        fileSystem.remove("A/snapshot-0000000000000001")
        let found = try findings(fileSystem)
        #expect(found.map(\.description) == ["A, byte 0: there is a log segment but no snapshot to go with."])
        #expect(writerError(fileSystem)?.damage == found.first)
        let error = #expect(throws: StorageError.self) { try StoreInspection(at: "A", fileSystem: fileSystem) }
        #expect(error?.damage == found.first)
    }

    /// Both take no lock, so a compaction beside them may remove what they have just listed.
    @Test func `verify and inspect look again when a file goes away under them`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.close()
        for prefix in ["snapshot", "log"] {
            let failures = Mutex(2)
            fileSystem.fail { call, path in
                guard call == .open, path.contains(prefix) else { return nil }
                return failures.withLock { left in
                    left -= 1
                    return left >= 0 ? .notFound(path: path) : nil
                }
            }
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
            failures.withLock { $0 = 2 }
            #expect(try StoreInspection(at: "A", fileSystem: fileSystem).generation == 1)
        }
    }

    /// Found by the torture: a writer took a segment away and made another under its name, between two listings that were the same.
    @Test func `damage is believed when a second look finds the same, not because the names are the same`() async throws
    {
        let (base, frames) = try await LogRecoveryTests.crashedStore()
        let sound = try base.bytes(of: Self.log)
        var rotten = sound
        rotten[frames[3] + 40] ^= 1
        let fileSystem = FaultyFileSystem(base)
        // The bytes that each opening of the segment finds; the last for all that follow.
        let looks = Mutex<[[UInt8]]>([])
        fileSystem.fail { call, path in
            guard call == .open, path == Self.log else { return nil }
            let bytes = looks.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            try? base.replace(path, with: bytes)
            return nil
        }
        func look(at bytes: [UInt8]...) throws -> (opening: Damage?, verification: [Damage]) {
            looks.withLock { $0 = bytes }
            let database = try Database.open(
                at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
            looks.withLock { $0 = bytes }
            return (database.opening.damage, try Verifier.verify(at: "A", fileSystem: fileSystem).damage)
        }
        let once = try look(at: rotten, sound)
        #expect(once.opening == nil && once.verification.isEmpty)
        var other = sound
        other[frames[5] + 40] ^= 1
        let twice = try look(at: rotten, other, sound)
        #expect(twice.opening == nil && twice.verification.isEmpty)
        let always = try look(at: rotten)
        #expect(always.opening != nil && always.verification.map(\.byteOffset) == [frames[3]])
    }

    @Test func `verify finds a byte in a frame's padding, and nothing else minds it`() async throws {
        let (fileSystem, frames) = try await LogRecoveryTests.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        let padding = frames[3] - 1
        try #require(bytes[padding] == 0)
        bytes[padding] = 1
        try fileSystem.replace(Self.log, with: bytes)
        let found = try findings(fileSystem)
        #expect(found.map(\.byteOffset) == [padding])
        #expect(found.first?.finding == "a byte that pads the frame of commit 3 is not zero")
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 10)
        try await database.close()
    }
}
