import StorageEngine
import Testing

/// What `inspect` can say of a store's last openings, closings, rescues and cuts.
@Suite struct StoreHistoryTests {
    private static let path = "A/history"

    private static func open(_ fileSystem: any FileSystem, _ access: Access = .exclusive) throws -> Database {
        try Database.open(
            at: "A", trees: numberTrees, options: .patient(access), fileSystem: fileSystem)
    }

    private static func kinds(_ fileSystem: any FileSystem) throws -> [StoreEvent.Kind] {
        try StoreInspection(at: "A", fileSystem: fileSystem).history.map(\.kind)
    }

    @Test func `a session that writes is recorded, one that reads leaves no trace`() async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Self.open(fileSystem)
        #expect(try Self.kinds(fileSystem) == [])
        try await database.put(0..<1)
        #expect(try Self.kinds(fileSystem) == [.opened])
        try await database.close()
        #expect(try Self.kinds(fileSystem) == [.opened, .closed])
        let before = try fileSystem.bytes(of: Self.path)
        try await Self.open(fileSystem).close()
        try await Self.open(fileSystem, .readOnly).close()
        #expect(try fileSystem.bytes(of: Self.path) == before)
        database = try Self.open(fileSystem)
        try await database.put(1..<2)
        let last = try #require(try StoreInspection(at: "A", fileSystem: fileSystem).history.last)
        #expect(last.kind == .opened)
        #expect(last.number == 2)
        #expect(last.commitNumber == 1)
        #expect(last.byteCount == database.opening.logByteCount)
        try await database.close()
    }

    @Test func `two that share a store keep each other's events`() async throws {
        let fileSystem = FaultyFileSystem()
        let (first, second) = (try Self.open(fileSystem, .shared), try Self.open(fileSystem, .shared))
        try await first.put(0..<1)
        try await second.put(1..<2)
        try await first.close()
        try await second.put(2..<3)
        try await second.close()
        #expect(try Self.kinds(fileSystem) == [.opened, .opened, .closed, .closed])
    }

    @Test func `rescues and cuts are told with the next commit`() async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Self.open(fileSystem)
        try await database.put(0..<1)
        fileSystem.fail { call, path in
            call == .flush && path == "A/log-0000000000000001"
                ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
        }
        try await database.put(1..<2)
        try await database.put(2..<3)
        fileSystem.fail(nil)
        #expect(try Self.kinds(fileSystem) == [.opened, .rescued])
        let crashed = try fileSystem.copy()
        var bytes = try crashed.bytes(of: "A/log-0000000000000002")
        let end = bytes.lastIndex { $0 != 0 }!
        bytes[end + 9] = 7
        try crashed.replace("A/log-0000000000000002", with: bytes)
        try await database.close()
        database = try Self.open(crashed)
        try await database.put(3..<4)
        #expect(try Self.kinds(crashed) == [.opened, .rescued, .opened, .cut])
        try await database.close()
    }

    @Test func `the record is bounded, and nothing minds what its file holds`() async throws {
        let fileSystem = FaultyFileSystem()
        for number in 0..<70 {
            let database = try Self.open(fileSystem)
            try await database.put(number..<number + 1)
            try await database.close()
        }
        let history = try StoreInspection(at: "A", fileSystem: fileSystem).history
        #expect(history.map(\.number) == Array(140 - 64..<140))
        for bytes in [[], [1, 2, 3], [UInt8](repeating: 0xFF, count: 5000)] {
            try fileSystem.replace(Self.path, with: bytes)
            let database = try Self.open(fileSystem)
            try await database.put(100..<101)
            try await database.close()
            #expect(try Self.kinds(fileSystem).suffix(2) == [.opened, .closed])
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        }
        fileSystem.fail { _, path in path == Self.path ? .inputOutput(operation: "open", path: path, code: 5) : nil }
        let database = try Self.open(fileSystem)
        try await database.put(101..<102)
        try await database.close()
    }
}
