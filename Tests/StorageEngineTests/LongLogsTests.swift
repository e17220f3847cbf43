import TestSupport
import Testing

@testable import StorageEngine

/// A length is a number in a directory, and may be anything. A log is read through a window, and holes are passed over.
@Suite struct LongLogsTests {
    /// Makes the file so long, by a hole.
    private static func lengthen(_ path: String, to byteCount: Int) throws {
        let file = try PosixFileSystem().openFile(path, .writing)
        defer { file.close() }
        try file.truncate(byteCount: byteCount)
    }

    private static func open(
        _ directory: String, _ access: Access = .exclusive, _ fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> Database {
        try Database.open(
            at: directory, trees: numberTrees, options: Options(access: access, compaction: .manual),
            fileSystem: fileSystem)
    }

    @Test(arguments: [1_500_000_000, 40 << 30])
    func `a log whose length is a lie is read, written and closed at its true length`(byteCount: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/A"
            let database = try Self.open(path)
            try await database.put(0..<20)
            try await database.close()
            let log = try #require(try PosixFileSystem().files("log-", in: path).last)
            let trueByteCount = try PosixFileSystem().bytes(of: log).count
            try Self.lengthen(log, to: byteCount)
            let disk = FaultyFileSystem(PosixFileSystem())

            let reader = try Self.open(path, .readOnly, disk)
            #expect(reader.opening.damage == nil)
            #expect(try reader.version.count(in: numbers) == 20)
            #expect(try Verifier.verify(at: path, fileSystem: disk).isSound)
            #expect(try Salvage(at: path, fileSystem: disk).report.isWhole)
            #expect(try StoreInspection(at: path, fileSystem: disk).files.contains { $0.byteCount == byteCount })
            #expect(try FileDump.lines(of: log, fileSystem: disk).count < 200)

            let writer = try Self.open(path, .exclusive, disk)
            try await writer.put(20..<30)
            try await writer.close()
            let file = try PosixFileSystem().openFile(log, .reading)
            defer { file.close() }
            #expect(try file.byteCount() <= trueByteCount + 8192)
            let reopened = try Self.open(path, .readOnly)
            #expect(try reopened.version.count(in: numbers) == 30)
            #expect(disk.reads.largest <= 1 << 20)
            #expect(disk.reads.byteCount < 64 << 20)
        }
    }

    @Test func `rot far behind the end of a long log is found, and saved from`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/A"
            let database = try Self.open(path)
            try await database.put(0..<20)
            try await database.close()
            let log = try #require(try PosixFileSystem().files("log-", in: path).last)
            try Self.lengthen(log, to: 3_000_000_000)
            let file = try PosixFileSystem().openFile(log, .writing)
            try [UInt8](repeating: 7, count: 100).withUnsafeBytes { try file.write($0, at: 2_000_000_000) }
            file.close()
            let reader = try Self.open(path, .readOnly)
            #expect(try reader.version.count(in: numbers) == 20)
            let writer = try Self.open(path)
            #expect(writer.opening.tornByteCount > 1_000_000_000)
            try await writer.put(20..<21)
            try await writer.close()
            // Of what is cut as much is kept as may be.
            var kept = 0
            for name in try PosixFileSystem().files("aside-", in: path) {
                let aside = try PosixFileSystem().openFile(name, .reading)
                kept += try aside.byteCount()
                aside.close()
            }
            #expect(kept == SetAside.byteCountLimit)
        }
    }
}
