import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Libraries as a later version may leave them, and what this one does with them.
@Suite struct LibraryFeaturesTests {
    private let path = "Library.bookdb"

    private func library(_ bits: UInt64, _ name: [UInt8]) async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        try await store.add("Emma", by: "Jane Austen")
        try await store.write { try $0.put(.bigEndian(bits), forKey: name, in: LibraryTree.meta) }
        try await store.close()
        return fileSystem
    }

    @Test(arguments: [true, false])
    func `a library that may only be read is read, and refused for writing`(isCompacted: Bool) async throws {
        let fileSystem = try await library(4, LibraryMeta.Name.readOnlyFeatures)
        if isCompacted {
            // By who writes trees alone, and looks into none.
            let database = try Database.open(
                at: path, trees: LibraryContents.books.allTrees, fileSystem: fileSystem)
            try await database.compact()
            try await database.close()
        }
        let expected = LibraryError.unknownFeatures(path: path, bits: 4, canBeRead: true)
        for access in [BookStore.Access.exclusive, .shared] {
            #expect(await libraryError { try BookStore(at: path, access: access, fileSystem: fileSystem) } == expected)
        }
        let store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        #expect(store.snapshot.works.list().titles == ["Emma"])
        #expect(try store.snapshot.exportedLines().contains { $0.contains("Emma") })
        try await store.close()
        #expect(try BookStore.verify(at: path, fileSystem: fileSystem).isSound)
        let repair = await libraryError {
            try await BookStore.repair(at: path, to: "Repaired.bookdb", fileSystem: fileSystem)
        }
        #expect(repair == expected, "what it makes could not be opened")
    }

    @Test func `a backup of such a library is not staged here, and the library that is there stays`() async throws {
        let fileSystem = try await library(4, LibraryMeta.Name.readOnlyFeatures)
        _ = try await Database.backup(at: path, to: "Backup", fileSystem: fileSystem)
        let store = try BookStore(at: "Other.bookdb", fileSystem: fileSystem)
        try await store.add("Persuasion", by: "Jane Austen")
        let names = {
            try fileSystem.names(inDirectory: "Other.bookdb").filter { !["compacting", "history"].contains($0) }
                .sorted()
        }
        let before = try names()
        let plan = try RestorePlan(.newest, from: Backup(at: "Backup", fileSystem: fileSystem))
        let options = LibrarySettings(.exclusive, fileSystem: fileSystem).options(of: .books, at: "Other.bookdb")
        await #expect(throws: StorageError.unknownFeatures(path: "Other.bookdb", bits: 4, canBeRead: true)) {
            _ = try await Database.stageRestore(
                plan, at: "Other.bookdb", replacing: true, options: options, fileSystem: fileSystem)
        }
        #expect(try names() == before)
        let live = await libraryError { try await store.restore(from: "Backup") }
        guard case .unknownFeatures = live else {
            Issue.record("\(String(describing: live))")
            return
        }
        try await store.add("Sanditon", by: "Jane Austen")
        try await store.close()
        let again = try BookStore(at: "Other.bookdb", fileSystem: fileSystem)
        #expect(again.snapshot.works.list().titles == ["Persuasion", "Sanditon"] && again.restoreFailure == nil)
        try await again.close()
    }

    @Test func `a library that cannot be read without a feature is refused, and is not damaged`() async throws {
        let fileSystem = try await library(1 << 40, LibraryMeta.Name.incompatibleFeatures)
        let expected = LibraryError.unknownFeatures(path: path, bits: .max, canBeRead: false)
        for access in [BookStore.Access.exclusive, .shared, .readOnly] {
            #expect(await libraryError { try BookStore(at: path, access: access, fileSystem: fileSystem) } == expected)
        }
        #expect("\(expected)".contains("update BookDB"))
        let repair = await libraryError {
            try await BookStore.repair(at: path, to: "Repaired.bookdb", fileSystem: fileSystem)
        }
        #expect(repair == expected)
    }

    /// Another process has opened the library by a later version, and says so in a commit.
    @Test func `a process that was there before sees a feature with its next transaction`() async throws {
        let fileSystem = try await library(0, LibraryMeta.Name.readOnlyFeatures)
        let (old, other) = (
            BookStore(try BookStore.open(path, .patient(.shared, fileSystem))),
            BookStore(try BookStore.open(path, .patient(.shared, fileSystem)))
        )
        try await old.add("Persuasion", by: "Jane Austen")
        try await other.write { library in
            try library.put(.bigEndian(2), forKey: LibraryMeta.Name.readOnlyFeatures, in: LibraryTree.meta)
        }
        let errors = [
            await libraryError { try await old.add("Sanditon", by: "Jane Austen") },
            await libraryError { try await old.load { _ = try $0.insert(Author("Nobody")) } },
            await libraryError { try await old.setFiling(.swedish) },
        ]
        for error in errors {
            guard case .unknownFeatures(_, bits: 2, canBeRead: true) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(old.snapshot.works.list().titles == ["Emma", "Persuasion"])
        try await old.close()
        try await other.close()
    }

    @Test func `who follows a library goes on where it may read, and shows no commit that it could not`() async throws {
        let fileSystem = try await library(0, LibraryMeta.Name.readOnlyFeatures)
        let writer = BookStore(try BookStore.open(path, .patient(.shared, fileSystem)))
        let reader = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        for (name, title) in [
            (LibraryMeta.Name.readOnlyFeatures, "Persuasion"), (LibraryMeta.Name.incompatibleFeatures, "Sanditon"),
        ] {
            try await writer.write { library in
                _ = try library.insert(Work(title: title, authors: []))
                try library.put(.bigEndian(2), forKey: name, in: LibraryTree.meta)
            }
            await reader.database.follow()
        }
        #expect(reader.snapshot.works.list().titles == ["Emma", "Persuasion"])
        await reader.database.follow()
        #expect(reader.snapshot.works.list().titles == ["Emma", "Persuasion"])
        try await reader.close()
        try await writer.close()
    }

    // MARK: Identifiers

    @Test func `a library that was restored gives out no identifier that the one before had given out`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem, device: 0xB00C)
        let first = try await store.add("Emma", by: "Jane Austen")
        _ = try await Database.backup(at: path, to: "Backup", fileSystem: fileSystem)
        let lost = try await store.add("Persuasion", by: "Jane Austen")
        #expect(lost.device == first.device)

        var seen: Set<ID<Work>> = [first, lost]
        var devices: Set<UInt32> = [first.device]
        for round in 0..<3 {
            try await store.restore(from: "Backup")
            // Nothing is written by that alone.
            let commit = store.snapshot.commitNumber
            try await store.write { _ in }
            #expect(store.snapshot.commitNumber <= commit + 1)
            for title in ["Sanditon", "Lady Susan"] {
                let id = try await store.add("\(title) \(round)", by: "Jane Austen")
                #expect(seen.insert(id).inserted && id.device != first.device)
                devices.insert(id.device)
            }
            expectSound(store.snapshot)
        }
        #expect(devices.count == 4, "one device for each store, but for one case in sixteen million")
        try await store.close()
        let again = try BookStore(at: path, fileSystem: fileSystem)
        let id = try await again.add("The Watsons", by: "Jane Austen")
        #expect(devices.contains(id.device) && seen.insert(id).inserted)
        try await again.close()
    }

    @Test func `one that was restored to its beginning gives out none, either`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem, device: 0xB00C)
        _ = try await Database.backup(at: path, to: "Backup", fileSystem: fileSystem)
        let lost = try await store.add("Emma", by: "Jane Austen")
        try await store.restore(from: "Backup")
        #expect(store.snapshot.works.list().isEmpty)
        let id = try await store.add("Emma", by: "Jane Austen")
        #expect(id.device != lost.device)
        try await store.restore(from: "Backup")
        #expect(try await store.add("Emma", by: "Jane Austen").device != id.device)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a load into a restored library draws a device, too`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try BookStore(at: path, fileSystem: fileSystem, device: 0xB00C)
        try await store.fill(withSample: 50)
        _ = try await Database.backup(at: path, to: "Backup", fileSystem: fileSystem)
        let before = Set(store.snapshot.works.list().map(\.id))
        try await store.restore(from: "Backup")
        let names = { [path] in try fileSystem.names(inDirectory: path).filter { $0.hasPrefix("snapshot-") } }
        let snapshots = try names()
        try await store.load { library in
            for number in 0..<1_000 { _ = try library.insert(Work(title: "Number \(number)", authors: [])) }
        }
        #expect(try names() != snapshots, "not an ordinary transaction")
        let after = Set(store.snapshot.works.list().map(\.id))
        #expect(after.count == 1_050 && after.subtracting(before).allSatisfy { $0.device != 0xB00C })
        expectSound(store.snapshot)
        try await store.close()
        store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        expectSound(store.snapshot)
        try await store.close()
    }
}
