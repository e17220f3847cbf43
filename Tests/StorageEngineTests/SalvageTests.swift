import TestSupport
import Testing

@testable import StorageEngine

/// What a salvage saves of a damaged snapshot. The store is that of `DamageTests`: 3,000 entries in three levels of pages,
/// and 40 cold values in blocks of their own.
@Suite struct SalvageTests {
    static let path = DamageTests.path
    static let texts = TreeNumber(2)
    static let trees = [numbers, texts]

    /// Made once.
    private static let original = Task { try await DamageTests.store() }

    private func store() async throws -> MemoryFileSystem { try await Self.original.value.copy(of: "A") }

    @Test func `of a sound store everything is saved and nothing is complained of`() async throws {
        let salvage = try Salvage(at: "A", fileSystem: try await store())
        #expect(salvage.report.isWhole)
        #expect(salvage.report.basis == .superblock)
        #expect(salvage.report.trees.map(\.savedEntryCount) == [3000, 40])
        let contents = try salvage.contents(Self.trees)
        #expect(contents.numbers(in: numbers) == Set(0..<3000))
        #expect(contents.trees[numbers]?[.init(repeating: 0, count: 8)] == Array("some value of number 0".utf8))
        #expect(contents.trees[Self.texts]?.count == 40)
    }

    @Test func `each page in turn is damaged, and an entry is lost with its own page only`() async throws {
        let original = try await store()
        let sound = try Salvage(at: "A", fileSystem: original).contents(Self.trees)
        let bytes = try original.bytes(of: Self.path)
        var lostTimes: [UInt64: Int] = [:]
        for page in 0..<bytes.count / 4096 {
            var changed = bytes
            changed[page * 4096 + 1000] ^= 0x20
            try original.replace(Self.path, with: changed)
            let salvage = try Salvage(at: "A", fileSystem: original)
            let contents = try salvage.contents(Self.trees)
            for tree in Self.trees {
                for (key, value) in contents.trees[tree] ?? [:] { #expect(sound.trees[tree]?[key] == value) }
            }
            let lost = sound.numbers(in: numbers).subtracting(contents.numbers(in: numbers)).sorted()
            for number in lost { lostTimes[number, default: 0] += 1 }
            #expect(salvage.report.trees[0].lostEntryCount == lost.count)
            guard let first = lost.first, let last = lost.last else { continue }
            #expect(Int(last - first) + 1 == lost.count, "one stretch of keys")
            let place = try #require(salvage.report.places.first)
            #expect(salvage.report.places.count == 1)
            #expect(place.damage.page == page && place.tree == numbers && place.lostEntryCount == lost.count)
        }
        // Damaged heads and branches lose nothing; each leaf loses its own.
        #expect(lostTimes == Dictionary(uniqueKeysWithValues: (0..<3000).map { (UInt64($0), 1) }))
    }

    @Test func `a damaged cold block loses the values in it, and their keys are told`() async throws {
        let fileSystem = try await store()
        let sound = try Salvage(at: "A", fileSystem: fileSystem).contents(Self.trees)
        let bytes = try fileSystem.bytes(of: Self.path)
        let head = Array("BDCB".utf8)
        let blocks = (0..<bytes.count - 4).filter { bytes[$0] == head[0] && Array(bytes[$0..<$0 + 4]) == head }
        #expect(blocks.count > 3)
        var lost: Set<[UInt8]> = []
        for block in blocks {
            var changed = bytes
            changed[block + 30] ^= 1
            try fileSystem.replace(Self.path, with: changed)
            let contents = try Salvage(at: "A", fileSystem: fileSystem).contents(Self.trees)
            let values = try #require(contents.trees[Self.texts])
            let keys = try #require(contents.lostValues[Self.texts])
            for (key, value) in values { #expect(sound.trees[Self.texts]?[key] == value) }
            #expect(!keys.isEmpty && keys.count + values.count == 40 && lost.isDisjoint(with: keys))
            lost.formUnion(keys)
        }
        #expect(lost.count == 40, "every value lies in one block")
    }

    @Test func `with every branch damaged the seals prove every leaf`() async throws {
        let fileSystem = try await store()
        var bytes = try fileSystem.bytes(of: Self.path)
        for page in 1..<bytes.count / 4096 - 1 where bytes[page * 4096] == 2 { bytes[page * 4096 + 700] ^= 1 }
        try fileSystem.replace(Self.path, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(!salvage.report.isWhole)
        #expect(salvage.report.trees.map(\.lostEntryCount) == [0, 0])
        #expect(try salvage.contents(Self.trees).numbers(in: numbers) == Set(0..<3000))
    }

    @Test func `with both heads lost the seals and the log's head save everything`() async throws {
        let fileSystem = try await store()
        var bytes = try fileSystem.bytes(of: Self.path)
        for page in [0, bytes.count / 4096 - 1] {
            for offset in page * 4096..<(page + 1) * 4096 { bytes[offset] = 0xAA }
        }
        try fileSystem.replace(Self.path, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.basis == .seals && salvage.report.missingCommits.isEmpty)
        #expect(salvage.report.trees.map(\.savedEntryCount) == [3000, 40])
        var contents = try salvage.contents(Self.trees)
        #expect(contents.numbers(in: numbers) == Set(0..<3000))
        #expect(contents.trees[Self.texts]?.count == 40)
        // Without a log segment the heads' own bytes may still say which store it is; of bytes overwritten, nothing does.
        for log in try fileSystem.files("log", in: "A") { fileSystem.remove(log) }
        let error = try #require(throws: StorageError.self) {
            try Salvage(at: "A", fileSystem: fileSystem).contents([])
        }
        #expect(error.damage?.finding.contains("nothing can be proved") == true)
        bytes = try await store().bytes(of: Self.path)
        for page in [0, bytes.count / 4096 - 1] { bytes[page * 4096 + 200] ^= 1 }
        try fileSystem.replace(Self.path, with: bytes)
        contents = try Salvage(at: "A", fileSystem: fileSystem).contents(Self.trees)
        #expect(contents.trees[numbers]?.count == 3000 && contents.trees[Self.texts]?.count == 40)
    }

    @Test(arguments: [true, false])
    func `the first head is not believed when it is another file's`(isAsLong: Bool) async throws {
        let fileSystem = try await store()
        // Of the same generation.
        let other = isAsLong ? try await DamageTests.store() : MemoryFileSystem()
        if !isAsLong {
            let database = try Database.open(at: "A", trees: numberTrees, fileSystem: other)
            try await database.put(0..<10)
            try await database.compact()
            try await database.close()
        }
        var bytes = try fileSystem.bytes(of: Self.path)
        #expect(try (other.bytes(of: Self.path).count == bytes.count) == isAsLong)
        bytes.replaceSubrange(0..<8192, with: try other.bytes(of: Self.path)[..<8192])
        try fileSystem.replace(Self.path, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.basis == .superblock && !salvage.report.isWhole)
        #expect(salvage.report.places.map(\.damage.page) == [0])
        let contents = try salvage.contents(Self.trees)
        #expect(contents.numbers(in: numbers) == Set(0..<3000))
        #expect(contents.trees[Self.texts]?.count == 40)
    }

    @Test func `a stale page of an older generation proves nothing`() async throws {
        let fileSystem = try await store()
        let old = try fileSystem.bytes(of: Self.path)
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        try await database.put(0..<1)
        try await database.compact()
        try await database.close()
        let path = "A/snapshot-0000000000000003"
        var bytes = try fileSystem.bytes(of: path)
        let branch = try #require((1..<bytes.count / 4096).first { bytes[$0 * 4096] == 2 })
        let leaf = try #require((10..<bytes.count / 4096).first { bytes[$0 * 4096] == NodeLayout.packedLeaf })
        bytes.replaceSubrange(leaf * 4096..<(leaf + 1) * 4096, with: old[leaf * 4096..<(leaf + 1) * 4096])
        bytes[branch * 4096 + 700] ^= 1
        try fileSystem.replace(path, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        let lost = salvage.report.trees[0].lostEntryCount
        #expect(lost > 0 && lost < 1000)
        #expect(try salvage.contents(Self.trees).trees[numbers]?.count == 3000 - lost)
    }

    @Test func `a snapshot cut short gives the pages it still has`() async throws {
        let fileSystem = try await store()
        let bytes = try fileSystem.bytes(of: Self.path)
        try fileSystem.replace(Self.path, with: Array(bytes[..<(bytes.count / 8192 * 4096 + 17)]))
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        let saved = salvage.report.trees[0].savedEntryCount
        #expect(saved > 500 && saved < 3000)
        #expect(salvage.report.trees[0].lostEntryCount == 3000 - saved)
        #expect(try salvage.contents(Self.trees).trees[numbers]?.count == saved)
    }

    @Test func `a snapshot that ends within its cold region gives the values in front of its end`() async throws {
        let original = try await store()
        let bytes = try original.bytes(of: Self.path)
        let sound = try Salvage(at: "A", fileSystem: original).contents(Self.trees)
        let blocks = (0..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == Array("BDCB".utf8) }
        for (number, end) in blocks.enumerated() {
            try original.replace(Self.path, with: Array(bytes[..<(end + 20)]))
            let contents = try Salvage(at: "A", fileSystem: original).contents(Self.trees)
            #expect(contents.trees[numbers]?.count == 3000)
            let values = contents.trees[Self.texts] ?? [:]
            for (key, value) in values { #expect(sound.trees[Self.texts]?[key] == value) }
            #expect(values.count >= number && values.count + (contents.lostValues[Self.texts]?.count ?? 0) == 40)
        }
    }

    @Test func `a segment that an interrupted restore has begun is no end that was lost`() async throws {
        let fileSystem = try await store()
        let before = try Salvage(at: "A", fileSystem: fileSystem).report
        let files = StoreFiles(directory: "A")
        let logs = try fileSystem.names(inDirectory: "A").compactMap { name -> UInt64? in
            if case .log(let sequence) = StoreFiles.kind(ofName: name) { sequence } else { nil }
        }
        let sequence = logs.max()! + 1
        let header = LogSegmentHeader(
            store: .random(), sequence: sequence, baseCommit: 7, previousChecksum: 1, generation: 1_000)
        try fileSystem.replace(files.log(sequence), with: header.encoded() + [UInt8](repeating: 0, count: 4_096))
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.isWhole == before.isWhole && salvage.report.lostEnd == nil)
        #expect(salvage.report.places.count == before.places.count)
    }

    @Test func `a disk that refuses a page costs that page`() async throws {
        let base = try await store()
        let worn = WornFileSystem(base: base, path: Self.path, refused: 10 * 4096 + 512..<10 * 4096 + 1024)
        let salvage = try Salvage(at: "A", fileSystem: worn)
        let place = try #require(salvage.report.places.first)
        #expect(salvage.report.places.count == 1 && place.damage.finding == "the page cannot be read")
        let lost = try #require(place.lostEntryCount)
        #expect(try salvage.contents(Self.trees).trees[numbers]?.count == 3000 - lost)
    }

    @Test func `random bytes in the place of any file never trap, and what is given out was written`() async throws {
        let original = try await store()
        let sound = try Salvage(at: "A", fileSystem: original).contents(Self.trees)
        var generator = SeededGenerator.forTest(fallback: 21)
        let names = try original.names(inDirectory: "A").filter { $0 != "lock" }
        for _ in 0..<40 {
            let fileSystem = try original.copy(of: "A")
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let victim = "A/" + names.randomElement(using: &generator)!
                var bytes = try fileSystem.bytes(of: victim)
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                for offset in start..<min(bytes.count, start + Int.random(in: 1...9000, using: &generator)) {
                    bytes[offset] = UInt8.random(in: 0...255, using: &generator)
                }
                try fileSystem.replace(victim, with: bytes)
            }
            guard let salvage = try? Salvage(at: "A", fileSystem: fileSystem) else { continue }
            let contents = try salvage.contents(Self.trees)
            for tree in Self.trees {
                for (key, value) in contents.trees[tree] ?? [:] { #expect(sound.trees[tree]?[key] == value) }
            }
        }
    }

    @Test func `what is no store is told apart`() throws {
        let fileSystem = MemoryFileSystem()
        #expect(throws: StorageError.notFound(path: "absent")) { try Salvage(at: "absent", fileSystem: fileSystem) }
        fileSystem.createDirectory("photos")
        try fileSystem.replace("photos/a.jpg", with: [1])
        #expect(throws: StorageError.self) { try Salvage(at: "photos", fileSystem: fileSystem) }
    }
}
