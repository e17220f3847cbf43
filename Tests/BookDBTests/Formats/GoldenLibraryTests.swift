import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// The golden store that is a library. `BOOKDB_WRITE_GOLDEN=1 swift test --filter golden` writes it anew.
@Suite struct GoldenLibraryTests {
    @Test func `the golden library has not changed by a byte`() async throws {
        let fileSystem = MemoryFileSystem()
        try await GoldenLibrary.make(fileSystem)
        let names = try fileSystem.names(inDirectory: GoldenLibrary.directory)
        for name in names.filter({ !["lock", "history"].contains($0) }).sorted() {
            let path = GoldenLibrary.directory + "/" + name
            let file = try fileSystem.openFile(path, .reading)
            var bytes = [UInt8](repeating: 0, count: try file.byteCount())
            _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
            let dump = try FileDump.lines(of: path, fileSystem: fileSystem).joined(separator: "\n") + "\n"
            #expect(RepositoryFiles.isGolden(bytes, path), "\(path) differs")
            #expect(RepositoryFiles.isGolden(Array(dump.utf8), path + ".txt"), "\(path).txt differs")
            #expect(!dump.contains("✗"), "all of it fits")
        }
    }

    @Test func `the golden library opens, reads and is sound`() throws {
        let directory = RepositoryFiles.root + "/" + GoldenLibrary.directory
        #expect(try BookStore.verify(at: directory).isSound)
        let now = try BookStore(at: directory, access: .readOnly).snapshot
        #expect(
            now.works.list(by: .title).titles == [
                "9 Doors", "A Harbour Without Ships", "The Lamplighter's Almanac", "Řeka, která neteče",
                "Το φως της νύχτας", "Місто без мапи", "مكتبة الرمل الأزرق", "架空の灯台",
            ])
        let almanac = try #require(now.works.list(.titled("the lamp")).first)
        let details = try #require(try now.works.details(almanac.id))
        #expect(details.work.description?.utf8.count == 540)
        #expect(details.editions.count == 2 && details.entry?.tags == ["winter", "re-read"])
    }
}
