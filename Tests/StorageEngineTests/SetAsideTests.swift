import TestSupport
import Testing

@testable import StorageEngine

/// What recovery cuts off a log stays beside the store, within a limit.
@Suite struct SetAsideTests {
    @Test func `a torn tail is kept byte for byte`() async throws {
        let (fileSystem, frames) = try await LogRecoveryTests.crashedStore()
        let last = try #require(frames.last)
        let end = LogRecoveryTests.end(of: try fileSystem.bytes(of: LogRecoveryTests.log))
        var bytes = try fileSystem.bytes(of: LogRecoveryTests.log)
        bytes[last + 60] ^= 1
        try fileSystem.replace(LogRecoveryTests.log, with: bytes)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        let aside = try fileSystem.files("aside-", in: "A")
        #expect(aside.count == 1)
        let kept = try fileSystem.bytes(of: try #require(aside.first))
        #expect(kept.count == database.opening.tornByteCount)
        #expect(kept.elementsEqual(bytes[last..<last + kept.count]) && last + kept.count <= end)
        try await database.close()
    }

    @Test func `a disk without room for what is cut does not keep a store shut`() async throws {
        let (memory, frames) = try await LogRecoveryTests.crashedStore()
        var bytes = try memory.bytes(of: LogRecoveryTests.log)
        bytes[try #require(frames.last) + 60] ^= 1
        try memory.replace(LogRecoveryTests.log, with: bytes)
        let disk = FaultyFileSystem(memory)
        disk.fail { call, path in call == .write && path.contains("aside-") ? .diskFull(path: path) : nil }
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        #expect(database.opening.tornByteCount > 0 && database.opening.hasRecovered)
        #expect(try memory.files("aside-", in: "A").isEmpty, "nor is half of it left")
        let count = try database.version.count(in: numbers)
        try await database.put(100_000..<100_001)
        try await database.close()
        let again = try Database.open(at: "A", trees: numberTrees, fileSystem: memory)
        #expect(try again.version.count(in: numbers) == count + 1)
        try await again.close()
    }

    /// An opening that had to cut something off stopped at it, and called it damage.
    @Test(arguments: ["aside-old", "aside-000000000000000a-64"])
    func `what cannot be opened beside a store does not keep it shut after a crash`(name: String) async throws {
        let (memory, frames) = try await LogRecoveryTests.crashedStore()
        var bytes = try memory.bytes(of: LogRecoveryTests.log)
        bytes[try #require(frames.last) + 60] ^= 1
        try memory.replace(LogRecoveryTests.log, with: bytes)
        try memory.replace("A/" + name, with: [1])
        let disk = FaultyFileSystem(memory)
        disk.fail { call, path in
            call == .open && path.hasSuffix(name) ? .notARegularFile(path: path, found: "a directory") : nil
        }
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        #expect(database.opening.hasRecovered)
        try await database.close()
        #expect(try memory.bytes(of: "A/" + name) == [1])
    }

    @Test func `of many cuts the newest are kept, 16 MiB in all, and of one that is longer its beginning`() throws {
        let fileSystem = MemoryFileSystem()
        fileSystem.createDirectory("A")
        let files = StoreFiles(directory: "A")
        let limit = SetAside.byteCountLimit
        let cut = SetAside(files: files, fileSystem: fileSystem)
        func keep(_ byteCount: Int, of sequence: UInt64) throws {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 251) }
            try fileSystem.replace(files.log(sequence), with: bytes)
            let log = try fileSystem.openFile(files.log(sequence), .reading)
            try cut.keep(log, 0..<byteCount, of: sequence)
            #expect(try fileSystem.bytes(of: files.aside(sequence, 0)) == Array(bytes.prefix(limit)))
        }
        func kept() throws -> [String] { try fileSystem.files("aside-", in: "A") }
        for sequence in 1...3 as ClosedRange<UInt64> { try keep(limit / 3, of: sequence) }
        #expect(try kept() == [1, 2, 3].map { files.aside($0, 0) })
        try keep(limit / 3, of: 4)
        #expect(try kept() == [2, 3, 4].map { files.aside($0, 0) })
        try keep(limit + 5000, of: 5)
        #expect(try kept() == [files.aside(5, 0)])
    }
}
