#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import StorageEngine
import Testing

/// The files of a small store, byte for byte. `BOOKDB_WRITE_GOLDEN=1 swift test` writes them anew after a change of
/// format, which is a commit of its own.
@Suite struct GoldenTests {
    static let directory = repositoryRoot + "/Formats/golden"

    /// Three commits, a compaction, one more commit.
    static func makeStore(_ fileSystem: MemoryFileSystem) async throws {
        let trees = [
            TreeDeclaration(TreeNumber(1), "titles", facetCount: 2),
            TreeDeclaration(TreeNumber(2), "texts", placement: .cold),
        ]
        let identifier = Array("golden store 001".utf8)
        let database = try Database.open(
            at: "Golden.bookdb", trees: trees, options: Options(storeIdentifier: identifier), fileSystem: fileSystem)
        try await database.write { transaction in
            for (number, title) in ["emma", "persuasion", "mansfield park", "northanger abbey"].enumerated() {
                try transaction.put(
                    Array("row \(number)".utf8), forKey: Array(title.utf8),
                    facets: FacetSet(rawValue: UInt16(number % 4)),
                    in: TreeNumber(1))
            }
        }
        try await database.write { transaction in
            let text = String(repeating: "It is a truth universally acknowledged. ", count: 20)
            try transaction.put(Array(text.utf8), forKey: 1, in: TreeNumber(2))
            try transaction.put(Array("short".utf8), forKey: 2, in: TreeNumber(2))
        }
        try await database.write { try $0.remove(Array("persuasion".utf8), in: TreeNumber(1)) }
        try await database.compact()
        try await database.write { transaction in
            try transaction.put(
                Array("row 9".utf8), forKey: Array("pride and prejudice".utf8), facets: FacetSet(Facet(1)),
                in: TreeNumber(1))
        }
        try await database.close()
    }

    @Test func `the golden store has not changed by a byte`() async throws {
        let fileSystem = MemoryFileSystem()
        try await Self.makeStore(fileSystem)
        for name in try fileSystem.names(inDirectory: "Golden.bookdb").filter({ $0 != "lock" }).sorted() {
            let path = "Golden.bookdb/" + name
            let dump = try FileDump.lines(of: path, fileSystem: fileSystem).joined(separator: "\n") + "\n"
            try compare(fileSystem.bytes(of: path), with: name)
            try compare(Array(dump.utf8), with: name + ".txt")
        }
    }

    private func compare(_ bytes: [UInt8], with name: String) throws {
        let path = Self.directory + "/" + name
        if getenv("BOOKDB_WRITE_GOLDEN") != nil { try PosixFileSystem().replace(path, with: bytes) }
        #expect(try PosixFileSystem().bytes(of: path) == bytes, "\(name) differs")
    }

    @Test func `the golden store opens and reads`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Golden.bookdb"
            let fileSystem = PosixFileSystem()
            try fileSystem.createDirectory(path)
            for name in try fileSystem.names(inDirectory: Self.directory) where !name.hasSuffix(".txt") {
                try fileSystem.replace(path + "/" + name, with: fileSystem.bytes(of: Self.directory + "/" + name))
            }
            let database = try Database.open(at: path, trees: [])
            #expect(try database.version.count(in: TreeNumber(1)) == 4)
            #expect(try database.version.count(in: TreeNumber(1), facet: Facet(1)) == 3)
            let text = try database.version.value(forKey: 1, in: TreeNumber(2)) { $0.byteCount }
            #expect(text == 800)
            try await database.close()
            let report = try Verifier.verify(at: path)
            #expect(report.isSound)
        }
    }
}

/// The folder that holds `Package.swift`.
let repositoryRoot: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    while parts.count > 1,
        (try? PosixFileSystem().kind(of: (parts + ["Package.swift"]).joined(separator: "/"))) != .file
    {
        parts.removeLast()
    }
    return parts.joined(separator: "/")
}()
