import LibrarySupport
import Foundation
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// What a repair does with what an earlier one left, on a real disk.
struct UnfinishedRepairTests {
    private let fileSystem = PosixFileSystem()

    private func withLibrary(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try BookStore(at: folder + "/L.bookdb")
        try await store.add("Emma", by: "Jane Austen")
        try await store.close()
        try await body(folder)
    }

    private func write(_ path: String) throws { try Data([1]).write(to: URL(filePath: path)) }

    private func names(_ path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: path))
    }

    /// It blocked every later repair to the same path.
    @Test func `what a killed repair left is removed, and the next one starts over`() async throws {
        try await withLibrary { folder in
            let (library, output, left) = (folder + "/L.bookdb", folder + "/S.bookdb", folder + "/S.bookdb.unfinished")
            let files = [".repair", "lock", "log-0000000000000001", "snapshot-0000000000000001.tmp"]
            for names in [[], [".repair"], files] {
                try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
                for name in names { try write(left + "/" + name) }
                let report = try await BookStore.repair(at: library, to: output)
                #expect(report.isComplete && !FileManager.default.fileExists(atPath: left))
                #expect(try self.names(output).isDisjoint(with: [".repair", "log-0000000000000001"]))
                #expect(try BookStore(at: output, access: .readOnly).snapshot.works.list().titles == ["Emma"])
                try FileManager.default.removeItem(atPath: output)
            }
        }
    }

    @Test func `what no repair left is not touched`() async throws {
        try await withLibrary { folder in
            let (library, output, left) = (folder + "/L.bookdb", folder + "/S.bookdb", folder + "/S.bookdb.unfinished")
            // A library of that name, one with a mark and a file that no repair makes, and a file.
            try await BookStore(at: left).close()
            let before = try names(left)
            await #expect(throws: LibraryError.exists(path: left)) {
                try await BookStore.repair(at: library, to: output)
            }
            #expect(try names(left) == before)
            for name in [".repair", "notes.txt"] { try write(left + "/" + name) }
            await #expect(throws: LibraryError.exists(path: left)) {
                try await BookStore.repair(at: library, to: output)
            }
            #expect(try names(left) == before.union([".repair", "notes.txt"]))
            try FileManager.default.removeItem(atPath: left)
            try write(left)
            await #expect(throws: LibraryError.exists(path: left)) {
                try await BookStore.repair(at: library, to: output)
            }
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test func `a repair that runs is left alone by another to the same path`() async throws {
        try await withLibrary { folder in
            let (library, output, left) = (folder + "/L.bookdb", folder + "/S.bookdb", folder + "/S.bookdb.unfinished")
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
            let lock = try fileSystem.lock(left + "/.repair")
            try write(left + "/log-0000000000000001")
            let error = await libraryError { try await BookStore.repair(at: library, to: output) }
            #expect(error == .inUse(path: left, processIdentifier: ProcessInfo.processInfo.processIdentifier))
            #expect(try names(left) == [".repair", "log-0000000000000001"])
            lock.unlock()
            let report = try await BookStore.repair(at: library, to: output)
            #expect(report.isComplete)
        }
    }

    @Test func `a repaired library is its owner's alone, whatever the damaged one was`() async throws {
        try await withLibrary { folder in
            let output = folder + "/S.bookdb"
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/L.bookdb")
            _ = try await BookStore.repair(at: folder + "/L.bookdb", to: output)
            #expect(try fileSystem.permissions(of: output) == 0o700)
            for name in try names(output) { #expect(try fileSystem.permissions(of: output + "/" + name) == 0o600) }
        }
    }
}
