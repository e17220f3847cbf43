import StorageEngine
import Synchronization
import Testing

/// What a store tells of itself.
@Suite struct NoticeTests {
    private let told = Told()

    private func options() -> Options {
        var options = Options(compaction: .manual)
        options.onNotice = { [told] in told.add($0) }
        return options
    }

    @Test func `openings, compactions and closings are told`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.compact()
        try await database.close()
        #expect(told.words == ["opened", "compacted", "closed"])
    }

    @Test func `a compaction that fails is told with how many did`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { call, path in call == .rename ? .diskFull(path: path) : nil }
        for _ in 0..<2 { await #expect(throws: StorageError.self) { try await database.compact() } }
        fileSystem.fail(nil)
        try await database.close()
        #expect(told.words == ["opened", "compaction failed 1", "compaction failed 2", "closed"])
    }

    @Test func `a full disk is told once, and its end`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        fileSystem.fail { call, path in [.reserve, .write].contains(call) ? .diskFull(path: path) : nil }
        for number in 0..<5 { try await database.put(number..<number + 1, .memory) }
        await database.settle()
        fileSystem.fail(nil)
        try await database.put(5..<6)
        try await database.close()
        #expect(told.words == ["opened", "stalled", "resumed", "closed"])
    }

    @Test func `a stall is told to be over when what waited is written, however often that is tried`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        fileSystem.fail { call, path in [.reserve, .write].contains(call) ? .diskFull(path: path) : nil }
        try await database.put(0..<1, .memory)
        await database.settle()
        for number in 1..<4 {
            await #expect(throws: StorageError.self) { try await database.put(number..<number + 1) }
            #expect(database.status.stall != nil)
        }
        await #expect(throws: StorageError.self) { try await database.close() }
        #expect(told.words == ["opened", "stalled", "closed with an error"])
    }

    @Test func `a rescue is told, and refused writes when it fails too`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        fileSystem.fail { call, path in
            call == .flush && path == "A/log-0000000000000001"
                ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
        }
        try await database.put(0..<10)
        fileSystem.fail { call, path in
            call == .flush ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        #expect(told.words == ["opened", "rescued 2", "refusing"])
        fileSystem.fail(nil)
        try? await database.close()
        #expect(told.words.count == 4 && told.words.last?.hasPrefix("closed") == true)
    }

    /// The kinds of notices, as words.
    private final class Told: Sendable {
        private let list = Mutex<[String]>([])

        var words: [String] { list.withLock { $0 } }

        func add(_ notice: StoreNotice) {
            let word =
                switch notice {
                case .opening: "opening"
                case .opened: "opened"
                case .openingFailed: "opening failed"
                case .readInstead: "read instead"
                case .compacted: "compacted"
                case .compactionFailed(_, let count): "compaction failed \(count)"
                case .stalled: "stalled"
                case .resumed: "resumed"
                case .rescued(let generation, _): "rescued \(generation)"
                case .followingFailed: "following failed"
                case .damageMet(let damage): "damage met on page \(damage.page ?? 0)"
                case .refusing: "refusing"
                case .closed(nil): "closed"
                case .closed(_?): "closed with an error"
                }
            list.withLock { $0.append(word) }
        }
    }
}
