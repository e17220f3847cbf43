#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LibrarySupport
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// What any earlier version wrote is read and written to for ever.
@Suite struct FrozenLibraryTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["BOOKDB_FREEZE"] != nil, "only when a version is frozen"))
    func `a frozen library is made once`() async throws {
        let version = try #require(ProcessInfo.processInfo.environment["BOOKDB_FREEZE"])
        try await FrozenLibrary(version: version).make()
    }

    @Test func `there are frozen libraries`() { #expect(!FrozenLibrary.all.isEmpty) }

    @Test(arguments: FrozenLibrary.all)
    func `a frozen library is read as it was, where it lies`(frozen: FrozenLibrary) async throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: frozen.library).sorted()
        let verification = try BookStore.verify(at: frozen.library)
        #expect(verification.isSound, "\(verification)")
        let store = try BookStore(at: frozen.library, access: .readOnly)
        #expect(try store.snapshot.exportedLines() == frozen.export)
        #expect(try FrozenLibrary.lists(store.snapshot) == frozen.lists)
        #expect(try !store.snapshot.works.search("the").first(5).isEmpty)
        try await store.close()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: frozen.library).sorted() == names)
    }

    @Test(arguments: FrozenLibrary.all)
    func `a frozen library is written to, laid out anew, and holds what it held`(frozen: FrozenLibrary) async throws {
        try await frozen.withCopy { path in
            var store = try BookStore(at: path, undo: .on)
            #expect(try store.snapshot.exportedLines() == frozen.export)
            let (shelf, work) = try await store.write { library in
                (
                    try library.insert(FrozenShelf(name: "Cellar")),
                    try library.insert(Work(title: "A new one", authors: []))
                )
            }
            await #expect(throws: LibraryError.self) {
                try await store.write { _ = try $0.insert(FrozenShelf(name: "CELLAR")) }
            }
            expectSound(store.snapshot)
            try await store.write { library in
                try library.delete(shelf)
                try library.delete(work)
            }
            #expect(try store.snapshot.exportedLines() == frozen.export)
            try await store.compact()
            try await store.close()

            store = try BookStore(at: path, access: .readOnly)
            #expect(try store.snapshot.exportedLines() == frozen.export)
            #expect(try FrozenLibrary.lists(store.snapshot) == frozen.lists)
            try await store.close()
            let verification = try BookStore.verify(at: path)
            #expect(verification.isSound, "\(verification)")
        }
    }

    @Test(arguments: FrozenLibrary.all)
    func `a frozen backup is restored, the newest and the oldest of it`(frozen: FrozenLibrary) async throws {
        try await frozen.withCopy { path in
            let plan = try BookStore.planRestore(from: frozen.backup)
            let oldest = try #require(plan.backup.reaches.map(\.commits.lowerBound).min())
            for (name, point) in [("/newest", RestorePoint.newest), ("/oldest", .commit(oldest))] {
                _ = try await BookStore.stageRestore(from: frozen.backup, to: point, at: path + name)
                let store = try BookStore(at: path + name)
                expectSound(store.snapshot)
                if point == .newest {
                    #expect(try store.snapshot.exportedLines() == frozen.export)
                } else {
                    #expect(store.snapshot.works.list().count == 600)
                }
                try await store.close()
            }
        }
    }
}
