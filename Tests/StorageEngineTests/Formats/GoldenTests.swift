import TestSupport
import Testing

@testable import StorageEngine

/// Stores whose files are kept, byte for byte, with their dumps. `BOOKDB_WRITE_GOLDEN=1 swift test --filter golden`
/// writes them anew after a change of format, which is a commit of its own.
@Suite struct GoldenTests {
    @Test(arguments: GoldenStore.all)
    func `a golden store has not changed by a byte`(store: GoldenStore) async throws {
        let fileSystem = MemoryFileSystem()
        try await store.make(fileSystem)
        for name in try fileSystem.names(inDirectory: store.directory).filter({ !["lock", "history"].contains($0) })
            .sorted()
        {
            let path = store.directory + "/" + name
            let dump = try FileDump.lines(of: path, fileSystem: fileSystem).joined(separator: "\n") + "\n"
            #expect(RepositoryFiles.isGolden(try fileSystem.bytes(of: path), path), "\(path) differs")
            #expect(RepositoryFiles.isGolden(Array(dump.utf8), path + ".txt"), "\(path).txt differs")
            #expect(!dump.contains("✗"), "all of it fits")
        }
        let made = Set(try fileSystem.names(inDirectory: store.directory))
        let kept = RepositoryFiles.names(in: store.directory).filter { !$0.hasSuffix(".txt") }
        #expect(Set(kept) == made.subtracting(["lock", "history"]), "no file is left of an older golden store")
    }

    @Test(arguments: GoldenStore.all)
    func `a golden store opens for writing and is sound`(store: GoldenStore) async throws {
        let fileSystem = MemoryFileSystem()
        try fileSystem.copyFromRepository(store.directory)
        #expect(try Verifier.verify(at: store.directory, fileSystem: fileSystem).isSound)
        let database = try Database.open(at: store.directory, trees: [], fileSystem: fileSystem)
        #expect(database.opening.tornByteCount == 0 && database.opening.damage == nil)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
    }

    @Test func `the small golden store reads as it was written`() async throws {
        let fileSystem = MemoryFileSystem()
        try fileSystem.copyFromRepository(GoldenStore.small.directory)
        let database = try Database.open(at: GoldenStore.small.directory, trees: [], fileSystem: fileSystem)
        #expect(try database.version.count(in: TreeNumber(1)) == 4)
        #expect(try database.version.count(in: TreeNumber(1), facet: Facet(1)) == 3)
        #expect(try database.version.value(forKey: 1, in: TreeNumber(2)) { $0.byteCount } == 800)
        try await database.close()
    }

    @Test func `the golden store with symbols has what its name says`() async throws {
        let fileSystem = MemoryFileSystem()
        try fileSystem.copyFromRepository(GoldenStore.symbols.directory)
        let database = try Database.open(at: GoldenStore.symbols.directory, trees: [], fileSystem: fileSystem)
        let trees = database.version.generation.file.superblock.trees
        try #require(trees.map { $0.symbolsPage > 0 } == [true, false])
        let leaves = try database.version.leaves(of: trees[0].declaration)
        #expect(leaves.count > 3 && leaves.allSatisfy { $0.isPacked && $0.packed.symbolsPage > 0 })
        for (number, byteCount) in [(7, 0), (8, 1024), (9, 256), (3, 27)] {
            #expect(try database.version.value(forKey: UInt64(number), in: TreeNumber(7)) { $0.byteCount } == byteCount)
        }
        try await database.close()
    }

    @Test func `the golden store with branches has what its name says`() throws {
        let fileSystem = MemoryFileSystem()
        try fileSystem.copyFromRepository(GoldenStore.branches.directory)
        let inspection = try StoreInspection(at: GoldenStore.branches.directory, fileSystem: fileSystem)
        #expect(inspection.trees.map(\.height) == [3, 2, 1, 1, 0, 2])
        #expect(inspection.files.count { $0.role == .log } == 2)
        let dump = try inspection.files.filter { $0.role != .foreign }.flatMap {
            try FileDump.lines(of: GoldenStore.branches.directory + "/" + $0.name, fileSystem: fileSystem)
        }
        for words in [
            "LZ4 of", "stored as they are", "flags 1", "declare tree 6", "remove ", "closing mark at", ", empty",
        ] {
            #expect(dump.contains { $0.contains(words) }, "\(words)")
        }
    }
}

/// The folder that holds `Package.swift`.
let repositoryRoot = RepositoryFiles.root

extension MemoryFileSystem {
    /// A store kept in the repository, under the same path.
    func copyFromRepository(_ directory: String) throws {
        createDirectory(directory)
        for name in RepositoryFiles.names(in: directory) where !name.hasSuffix(".txt") {
            let bytes = try #require(RepositoryFiles.bytes(directory + "/" + name))
            try replace(directory + "/" + name, with: bytes)
        }
    }
}
