import StorageEngine
import Synchronization
import Testing

/// What a store tells of itself.
@Suite struct NoticeTests {
    private let told = Told()

    private func options(_ access: Access = .exclusive) -> Options {
        var options = Options.patient(access)
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
        // The first is what stalls it: those that come before that is known are told with it.
        try await database.put(0..<1, .memory)
        await database.settle()
        for number in 1..<5 { try await database.put(number..<number + 1, .memory) }
        await database.settle()
        fileSystem.fail(nil)
        try await database.put(5..<6)
        try await database.close()
        #expect(told.words == ["opened", "stalled", "resumed", "closed"])
        #expect(told.waitingCounts.contains(5), "how many wait is told whenever that changes: \(told.waitingCounts)")
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

    @Test
    func `a disk that takes nothing is told once, though every write throws, and its end by the first that does not`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        fileSystem.fail { call, path in [.reserve, .write].contains(call) ? .diskFull(path: path) : nil }
        for _ in 0..<3 { await #expect(throws: StorageError.self) { try await database.put(0..<1) } }
        #expect(database.status.stall != nil && database.status.unwrittenCommitCount == 0)
        #expect(told.words == ["opened", "stalled"])
        fileSystem.fail(nil)
        try await database.put(0..<1)
        #expect(database.status.stall == nil)
        try await database.close()
        #expect(told.words == ["opened", "stalled", "resumed", "closed"])
    }

    @Test(arguments: [false, true])
    func `what the disk did not take is tried again when that is asked for, and room is found without a commit`(
        isMarked: Bool
    ) async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        if isMarked { try await database.close() }
        let log = "A/log-0000000000000001"
        let size = try fileSystem.bytes(of: log).count
        if isMarked {
            database = try Database.open(at: "A", trees: numberTrees, options: options(), fileSystem: fileSystem)
        }
        await database.tryAgain()
        #expect(try fileSystem.bytes(of: log).count == size, "nothing was to be tried")
        fileSystem.fail { call, path in [.reserve, .write].contains(call) ? .diskFull(path: path) : nil }
        await #expect(throws: StorageError.self) { try await database.put(10..<5_000) }
        await database.tryAgain()
        #expect(database.status.stall != nil)
        fileSystem.fail(nil)
        await database.tryAgain()
        #expect(database.status.stall == nil)
        if isMarked { #expect(try fileSystem.bytes(of: log).count == size, "nothing follows the closing mark") }
        fileSystem.fail { call, path in [.reserve, .write].contains(call) ? .diskFull(path: path) : nil }
        try await database.put(10..<20, .memory)
        try await database.put(20..<5_000, .memory)
        await database.settle()
        #expect(database.status.stall != nil && database.status.unwrittenCommitCount > 0)
        fileSystem.fail(nil)
        await database.tryAgain()
        #expect(database.status.stall == nil && database.status.unwrittenCommitCount == 0)
        try await database.close()
        if isMarked { #expect(told.words == ["opened", "stalled", "resumed", "stalled", "resumed", "closed"]) }
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `what keeps a process that shares a store from it is told until it is let in`() async throws {
        let fileSystem = FaultyFileSystem()
        let options = options(.shared)
        let database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
        let other = try Database.open(
            at: "A", trees: numberTrees, options: .patient(), fileSystem: fileSystem)
        try await other.put(0..<10)
        fileSystem.fail { call, path in
            call == .read && path.contains("log-") ? .inputOutput(operation: "pread", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        #expect(database.status.stall != nil)
        fileSystem.fail(nil)
        try await database.put(10..<20)
        #expect(database.status.stall == nil)
        try await other.close()
        try await database.close()
        #expect(told.words.filter { $0 != "following failed" } == ["opened", "stalled", "resumed", "closed"])
    }

    @Test func `what a process that died has left is told by the one that shared the store with it`() async throws {
        let fileSystem = FaultyFileSystem()
        let options = options(.shared)
        let database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem)
        let dying = try Database.open(
            at: "A", trees: numberTrees, options: .patient(), fileSystem: fileSystem)
        for number in 0..<20 { try await dying.put(number * 10..<number * 10 + 10) }
        try await dying.compact()
        try await dying.put(200..<210)
        // What it was writing when it died.
        let log = "A/log-0000000000000002"
        let bytes = try fileSystem.bytes(of: log)
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        let file = try fileSystem.openFile(log, .writing)
        try file.write([UInt8](repeating: 7, count: 100), at: (end + 15) / 16 * 16)
        file.close()
        try await database.put(210..<220)
        #expect(try database.version.count(in: numbers) == 220)
        #expect(told.words.filter { $0 != "following failed" } == ["opened", "recovered"])
        let events = try StoreInspection(at: "A", fileSystem: fileSystem).history.map(\.kind)
        #expect(events.contains(.cut), "\(events)")
        try await database.close()
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
        private let counts = Mutex<[Int]>([])

        /// Of commits that waited while the log took none.
        var waitingCounts: [Int] { counts.withLock { $0 } }

        var words: [String] { list.withLock { $0 } }

        func add(_ notice: StoreNotice) {
            if case .waiting(let count) = notice { return counts.withLock { $0.append(count) } }
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
                case .waiting: "waiting"
                case .rescued(let generation, _): "rescued \(generation)"
                case .recovered: "recovered"
                case .followingFailed: "following failed"
                case .followingResumed: "following resumed"
                case .damageMet(let damage): "damage met on page \(damage.page ?? 0)"
                case .refusing: "refusing"
                case .closed(nil): "closed"
                case .closed(_?): "closed with an error"
                }
            list.withLock { $0.append(word) }
        }
    }
}
