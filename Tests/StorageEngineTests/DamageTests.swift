import StorageEngine
import TestSupport
import Testing

/// Snapshot files whose bytes are not what was written.
@Suite struct DamageTests {
    static let path = "A/snapshot-0000000000000002"

    /// A compacted store with hot and cold values, a few levels high, and its files.
    static func store() async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let trees = [
            TreeDeclaration(TreeNumber(1), "numbers", facetCount: 2),
            TreeDeclaration(TreeNumber(2), "texts", placement: .cold),
        ]
        let database = try Database.open(at: "A", trees: trees, fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<3000 {
                try transaction.put(
                    Array("some value of number \(number)".utf8), forKey: UInt64(number),
                    facets: FacetSet(rawValue: UInt16(1 << (number % 2))), in: TreeNumber(1))
            }
            for number in 0..<40 {
                let text = String(repeating: "text \(number) ", count: 300)
                try transaction.put(Array(text.utf8), forKey: UInt64(number), in: TreeNumber(2))
            }
        }
        try await database.compact()
        try await database.close()
        return fileSystem
    }

    /// Calls `body` with the files of that store, of whose snapshot one page is damaged, for each page in turn but the first.
    static func withEachPageDamaged(_ body: (MemoryFileSystem, _ page: Int) async throws -> Void) async throws {
        let fileSystem = try await store()
        let bytes = try fileSystem.bytes(of: path)
        for page in 1..<bytes.count / 4096 {
            var damaged = bytes
            damaged[page * 4096 + 2000] ^= 0x40
            let files = try fileSystem.copy()
            try files.replace(path, with: damaged)
            try await body(files, page)
        }
    }

    /// Reads everything, counting the entries that could be had.
    static func read(_ fileSystem: any FileSystem) throws -> (entries: Int, damage: [Damage]) {
        let database = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        var entries = 0
        var damage: [Damage] = []
        for (tree, count) in [(TreeNumber(1), 3000), (TreeNumber(2), 40)] {
            for number in 0..<count {
                do throws(StorageError) {
                    if try database.version.value(forKey: UInt64(number), in: tree, { $0.byteCount }) != nil {
                        entries += 1
                    }
                } catch {
                    if let found = error.damage { damage.append(found) }
                }
            }
        }
        return (entries, damage)
    }

    @Test func `a changed bit in any page is found before the page is served`() async throws {
        let original = try await Self.store()
        let bytes = try original.bytes(of: Self.path)
        let pageCount = bytes.count / 4096
        var generator = SeededGenerator.forTest(fallback: 5)
        for page in 0..<pageCount {
            let offset = page * 4096 + Int.random(in: 0..<4096, using: &generator)
            var changed = bytes
            changed[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try original.replace(Self.path, with: changed)
            let report = try Verifier.verify(at: "A", fileSystem: original)
            #expect(!report.isSound, "page \(page), byte \(offset)")
            let (entries, damage) = try Self.read(original)
            #expect(entries + damage.count == 3040)
            for found in damage { #expect(found.file == Self.path) }
        }
    }

    @Test func `a damaged page names what is lost`() async throws {
        let fileSystem = try await Self.store()
        var bytes = try fileSystem.bytes(of: Self.path)
        // Page 7 is a leaf in the middle of the first tree.
        for offset in 7 * 4096..<8 * 4096 { bytes[offset] = 0 }
        try fileSystem.replace(Self.path, with: bytes)
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        let finding = try #require(report.treeFindings.first)
        #expect(finding.tree == numbers)
        #expect(finding.damage.page == 7)
        let lost = try #require(finding.lostEntryCount)
        let (entries, damage) = try Self.read(fileSystem)
        #expect(lost > 0 && damage.count == lost)
        #expect(entries == 3040 - lost)
    }

    @Test func `the spare superblock serves when the first is gone`() async throws {
        let fileSystem = try await Self.store()
        var bytes = try fileSystem.bytes(of: Self.path)
        for offset in 0..<4096 { bytes[offset] = 0xAA }
        try fileSystem.replace(Self.path, with: bytes)
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        #expect(database.opening.usedSpareSuperblock)
        #expect(try database.version.count(in: TreeNumber(1)) == 3000)
        try await database.close()
    }

    @Test func `a shortened or lengthened snapshot is refused with both lengths`() async throws {
        let fileSystem = try await Self.store()
        let bytes = try fileSystem.bytes(of: Self.path)
        for changed in [Array(bytes.dropLast(4096)), bytes + [UInt8](repeating: 0, count: 10), [], [1, 2, 3]] {
            try fileSystem.replace(Self.path, with: changed)
            #expect(throws: StorageError.self) { try Database.open(at: "A", trees: [], fileSystem: fileSystem) }
        }
    }

    @Test func `a newer format is refused with both numbers`() async throws {
        let fileSystem = try await Self.store()
        var bytes = try fileSystem.bytes(of: Self.path)
        bytes[8] = 9
        try fileSystem.replace(Self.path, with: bytes)
        // In one copy only it is rot.
        #expect(try Self.read(fileSystem).entries == 3040)
        bytes[bytes.count - 4096 + 8] = 9
        try fileSystem.replace(Self.path, with: bytes)
        #expect(throws: StorageError.newerFormat(path: Self.path, found: 9, supported: 1)) {
            try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        }
    }

    @Test func `an unreadable newest snapshot falls back to the one before it`() async throws {
        let fileSystem = try await Self.store()
        // As a crash during the rename of generation 3 could leave it on a disk that lies.
        try fileSystem.replace("A/snapshot-0000000000000003", with: [UInt8](repeating: 0, count: 8192))
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        #expect(database.opening.fellBack)
        #expect(try database.version.count(in: TreeNumber(1)) == 3000)
        try await database.close()
    }

    /// It was told as a missing snapshot, and sent its owner to a repair.
    @Test func `a newest snapshot that may not be opened is no damage, and nothing older is taken for it`() async throws
    {
        let memory = try await Self.store()
        try memory.replace("A/snapshot-0000000000000003", with: [UInt8](repeating: 0, count: 8192))
        let fileSystem = FaultyFileSystem(memory)
        let path = "A/snapshot-0000000000000003"
        for error in [
            StorageError.notPermitted(path: path), .inputOutput(operation: "open", path: path, code: 24),
        ] {
            fileSystem.fail { call, opened in call == .open && opened == path ? error : nil }
            #expect(throws: error) { try Database.open(at: "A", trees: [], fileSystem: fileSystem) }
        }
    }

    @Test func `what is no store is told apart and left alone`() throws {
        let fileSystem = MemoryFileSystem()
        try fileSystem.replace("file", with: [1])
        #expect(throws: StorageError.self) { try Database.open(at: "file", trees: [], fileSystem: fileSystem) }
        fileSystem.createDirectory("photos")
        try fileSystem.replace("photos/a.jpg", with: [1])
        #expect(throws: StorageError.self) { try Database.open(at: "photos", trees: [], fileSystem: fileSystem) }
        #expect(try fileSystem.names(inDirectory: "photos") == ["a.jpg"])
        #expect(throws: StorageError.notFound(path: "absent")) {
            try Database.open(
                at: "absent", trees: [], options: Options(access: .readOnly), fileSystem: fileSystem)
        }
    }

    @Test func `random bytes in the place of any file never trap`() async throws {
        let original = try await Self.store()
        var generator = SeededGenerator.forTest(fallback: 11)
        let names = try original.names(inDirectory: "A").filter { $0 != "lock" }
        for _ in 0..<60 {
            let fileSystem = MemoryFileSystem()
            fileSystem.createDirectory("A")
            for name in names { try fileSystem.replace("A/" + name, with: original.bytes(of: "A/" + name)) }
            let victim = "A/" + names.randomElement(using: &generator)!
            var bytes = try fileSystem.bytes(of: victim)
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            for offset in start..<min(bytes.count, start + Int.random(in: 1...5000, using: &generator)) {
                bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            }
            try fileSystem.replace(victim, with: bytes)
            _ = try? Verifier.verify(at: "A", fileSystem: fileSystem)
            _ = try? Self.read(fileSystem)
        }
    }
}
