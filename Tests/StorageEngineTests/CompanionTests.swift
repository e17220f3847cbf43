import StorageEngine
import Synchronization
import TestSupport
import Testing

/// The file beside a snapshot that can be made from it again.
@Suite struct CompanionTests {
    private static let path = "A"

    /// What the companion of these tests holds: the commit number, many times.
    private static func body(_ commitNumber: UInt64) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: commitNumber), count: 200_000)
    }

    private static let companion = Companion(of: numbers) { (version, output) throws(StorageError) in
        try output.append(body(version.commitNumber))
        return true
    }

    private final class Content: Sendable {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    private func open(_ fileSystem: any FileSystem, _ companion: Companion? = Self.companion) throws -> Database {
        var options = Options(compaction: .manual)
        options.companion = companion
        return try Database.open(at: Self.path, trees: numberTrees, options: options, fileSystem: fileSystem)
    }

    private func content(_ version: Version) -> [UInt8]? {
        version.companion { file in
            file.withBytes(0..<file.byteCount) { Content($0.copyBytes(0..<$0.byteCount)) }
        }?.bytes
    }

    @Test func `a compaction makes one, and versions of before keep theirs`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem)
        #expect(content(database.version) == nil)
        try await database.put(0..<10)
        try await database.compact()
        let first = database.version
        try await database.put(10..<20)
        #expect(content(database.version) == Self.body(1))
        try await database.compact()
        #expect(content(database.version) == Self.body(2))
        #expect(content(first) == Self.body(1))
        #expect(try fileSystem.files("search-", in: Self.path) == ["A/search-0000000000000003"])
        try await database.close()
        let reader = try Database.open(
            at: Self.path, trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(content(reader.version) == Self.body(2))
    }

    @Test func `one that its own checksums vouch for is compared with one that is made again`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem)
        try await database.put(0..<10)
        #expect(Self.companion.isAsMade(of: database.version, in: Self.path, fileSystem) == nil, "there is none")
        try await database.compact()
        try await database.put(10..<20)
        let version = database.version
        #expect(Self.companion.isAsMade(of: version, in: Self.path, fileSystem) == true)
        let others = [
            Companion(of: numbers) { (_, output) throws(StorageError) in
                try output.append(Self.body(7))
                return true
            },
            Companion(of: numbers) { (_, output) throws(StorageError) in
                try output.append([1])
                return true
            },
            Companion(of: numbers) { (_, _) throws(StorageError) in false },
        ]
        for other in others { #expect(other.isAsMade(of: version, in: Self.path, fileSystem) == false) }
        try await database.close()
        let file = "A/search-0000000000000002"
        var bytes = try fileSystem.bytes(of: file)
        bytes[100_000] ^= 1
        try fileSystem.replace(file, with: bytes)
        #expect(Self.companion.isAsMade(of: version, in: Self.path, fileSystem) == nil, "no search would believe it")
    }

    @Test func `a version that was never asked keeps its companion when the next replaces it`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        let first = database.version
        try await database.put(10..<20)
        try await database.compact()
        #expect(content(first) == Self.body(1))
        try await database.close()
    }

    @Test func `bytes that are not what was written are no bytes, and the others still are`() async throws {
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        try await database.close()
        let path = try #require(fileSystem.files("search-", in: Self.path).first)
        let sound = try fileSystem.bytes(of: path)
        var bytes = sound
        bytes[4096 + 70_000] ^= 1
        try fileSystem.replace(path, with: bytes)
        database = try open(fileSystem)
        let found = database.version.companion { file in
            Content([
                file.withBytes(0..<65_536) { $0.byte(at: 0) } ?? 99,
                file.withBytes(65_000..<66_000) { $0.byte(at: 0) } ?? 99,
                file.withBytes(131_072..<200_000) { $0.byte(at: 0) } ?? 99,
                file.withBytes(199_999..<200_001) { $0.byte(at: 0) } ?? 99,
            ])
        }
        #expect(found?.bytes == [1, 99, 1, 99])
        try await database.close()
        // The header, the table, the length: another file.
        for place in [0, 9, 20, 33, 41, 45, 49, 4092, sound.count - 1] {
            bytes = sound
            bytes[place] ^= 4
            try fileSystem.replace(path, with: bytes)
            database = try open(fileSystem)
            #expect(content(database.version) == nil, "byte \(place)")
            try await database.close()
        }
        try fileSystem.replace(path, with: Array(sound.dropLast()))
        database = try open(fileSystem)
        #expect(content(database.version) == nil)
        try await database.close()
    }

    @Test func `the companion of another snapshot is not used, and an opening removes those left over`() async throws {
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        let path = try #require(fileSystem.files("search-", in: Self.path).first)
        let older = try fileSystem.bytes(of: path)
        try await database.put(10..<20)
        try await database.compact()
        try await database.close()
        try fileSystem.replace("A/search-0000000000000003", with: older)
        try fileSystem.replace("A/search-0000000000000002", with: older)
        try fileSystem.replace("A/search-0000000000000009", with: older)
        try fileSystem.replace("A/search-0000000000000004.tmp", with: older)
        database = try open(fileSystem)
        #expect(content(database.version) == nil)
        #expect(try fileSystem.files("search-", in: Self.path) == ["A/search-0000000000000003"])
        #expect(try StoreInspection(at: Self.path, fileSystem: fileSystem).files.contains { $0.role == .search })
        try await database.close()
    }

    @Test func `one that cannot be made leaves a compaction as it is`() async throws {
        let fileSystem = MemoryFileSystem()
        let failing = Companion(of: numbers) { (_, output) throws(StorageError) in
            try output.append([1, 2, 3])
            throw .diskFull(path: "A")
        }
        let needless = Companion(of: numbers) { (_, _) throws(StorageError) in false }
        for companion in [failing, needless] {
            let database = try open(fileSystem, companion)
            try await database.put(0..<10)
            try await database.compact()
            #expect(try fileSystem.files("search-", in: Self.path) == [])
            #expect(content(database.version) == nil)
            try await database.close()
        }
    }

    /// All values of the tree, read while the trees behind it may still be written.
    private static func values(leastConcurrentCount: Int) -> Companion {
        Companion(of: numbers, leastConcurrentCount: leastConcurrentCount) { (version, output) throws(StorageError) in
            var bytes: [UInt8] = []
            try version.scan(numbers) { _, value in
                bytes += value.copyBytes(0..<value.byteCount)
                return true
            }
            try output.append(bytes)
            return true
        }
    }

    @Test func `one made while other trees are written is what it would be behind them`() async throws {
        var found: [[UInt8]?] = []
        for leastCount in [1, .max] {
            let fileSystem = MemoryFileSystem()
            let database = try open(fileSystem, Self.values(leastConcurrentCount: leastCount))
            try await database.put(0..<5000)
            try await database.compact()
            found.append(content(database.version))
            #expect(try fileSystem.names(inDirectory: Self.path).allSatisfy { !$0.hasSuffix(".tmp") })
            try await database.close()
        }
        #expect(found[0] != nil)
        #expect(found[0] == found[1])
    }

    @Test func `values of the cold region are waited for`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem, Self.values(leastConcurrentCount: 1))
        let value = [UInt8](repeating: 7, count: 10_000)
        try await database.write { transaction in
            for number in 0..<40 { try transaction.put(value, forKey: UInt64(number), in: numbers) }
        }
        try await database.compact()
        #expect(content(database.version)?.count == 400_000)
        try await database.close()
    }

    @Test func `a file that cannot be read before it is complete is read then`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try open(fileSystem, Self.values(leastConcurrentCount: 1))
        try await database.put(0..<5000)
        let isFirst = Atomic(true)
        fileSystem.fail { call, path in
            let isUnfinished = call == .map && path.hasSuffix(".tmp") && isFirst.exchange(false, ordering: .relaxed)
            return isUnfinished ? .inputOutput(operation: "mmap", path: path, code: 12) : nil
        }
        try await database.compact()
        #expect(content(database.version) != nil)
        try await database.close()
    }

    @Test func `a compaction that fails behind the tree leaves no companion`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try open(fileSystem, Self.values(leastConcurrentCount: 1))
        try await database.put(0..<5000)
        fileSystem.fail { call, path in
            call == .flush && path.contains("snapshot-") ? .diskFull(path: path) : nil
        }
        await #expect(throws: StorageError.self) { try await database.compact() }
        #expect(try fileSystem.files("search-", in: Self.path) == [])
        fileSystem.fail(nil)
        try await database.compact()
        #expect(content(database.version) != nil)
        try await database.close()
    }

    @Test func `a companion of which a power cut left a part harms nothing`() async throws {
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        try await database.close()
        let path = try #require(fileSystem.files("search-", in: Self.path).first)
        let sound = try fileSystem.bytes(of: path)
        for kept in [0, 1, 4095, 4096, 5000, 100_000, sound.count - 4] {
            // Some file systems cut, some leave zeros.
            for tail in [0, sound.count - kept] {
                try fileSystem.replace(path, with: Array(sound.prefix(kept)) + [UInt8](repeating: 0, count: tail))
                database = try open(fileSystem)
                let bytes = content(database.version)
                #expect(bytes == nil || bytes == Self.body(1))
                #expect(try database.version.count(in: numbers) == 10)
                try await database.close()
            }
        }
    }
}

extension CompanionFile {
    fileprivate func withBytes<Value>(_ range: Range<Int>, _ body: (RawSpan) -> Value) -> Value? {
        var value: Value?
        lendBytes(range) { value = body($0) }
        return value
    }
}
