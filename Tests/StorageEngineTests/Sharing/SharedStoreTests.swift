import CrashSimulation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Stores that several processes write to. Two openings of one process keep each other out as those of two do.
struct SharedStoreTests {
    private let disk = FaultyFileSystem()

    private func open(
        _ access: Access = .shared, waitingFor limit: Duration? = nil,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) throws -> Database {
        var options = Options.patient(access)
        if let limit { options.lockLimit = limit }
        return try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: disk, onPublish: onPublish)
    }

    private func count(_ database: Database) throws -> Int { try database.version.count(in: numbers) }

    /// Adds one to a number in the store, read in the same transaction.
    private func increment(_ database: Database, _ durability: Durability = .flushed) async throws {
        try await database.write(durability) { transaction in
            let old = try transaction.value(forKey: 7, in: numbers) { $0.loadBigEndian(at: 0) } ?? 0
            try transaction.put([UInt8].key(old + 1), forKey: 7, in: numbers)
        }
    }

    private func number(_ version: Version) throws -> UInt64 {
        try version.value(forKey: 7, in: numbers) { $0.loadBigEndian(at: 0) } ?? 0
    }

    @Test(arguments: [Durability.memory, .ordered, .flushed])
    func `those who write in turns see what each other wrote`(durability: Durability) async throws {
        let (first, second) = (try open(), try open())
        for round in 0..<20 {
            try await increment(first, durability)
            try await increment(second, durability)
            #expect(try number(second.version) == UInt64(2 * round + 2))
        }
        #expect(second.version.commitNumber == 40)
        try await first.close()
        try await increment(second)
        try await second.close()
        let again = try open(.exclusive)
        #expect(try number(again.version) == 41 && again.version.commitNumber == 41)
        try await again.close()
    }

    @Test func `nothing is held between commits`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<10)
        try await second.put(10..<20)
        try await first.put(20..<30)
        for name in ["A/lock", "A/turn", "A/compacting"] { try disk.lock(name).unlock() }
        try await first.close()
        try await second.close()
    }

    @Test func `a transaction that throws leaves the store to others`() async throws {
        struct Abandoned: Error {}
        let (first, second) = (try open(), try open())
        await #expect(throws: Abandoned.self) {
            try await first.write { transaction in
                try transaction.put([1], forKey: 1, in: numbers)
                throw Abandoned()
            }
        }
        try await second.put(0..<1)
        try await first.write { _ in }
        #expect(try count(first) == 1)
        try await first.close()
        try await second.close()
    }

    @Test func `commits of others are told in their order, each with its version`() async throws {
        let told = Mutex<[(UInt64, Int)]>([])
        let first = try open()
        let second = try open { commit in
            let count = (try? commit.version.count(in: numbers)) ?? -1
            told.withLock { $0.append((commit.commitNumber, count)) }
        }
        for number in 0..<5 { try await first.put(number..<number + 1) }
        try await second.put(5..<6)
        #expect(told.withLock { $0.map(\.0) } == [1, 2, 3, 4, 5, 6])
        #expect(told.withLock { $0.map(\.1) } == [1, 2, 3, 4, 5, 6])
        try await first.close()
        try await second.close()
    }

    @Test func `an exclusive writer keeps others out, and the error names it`() async throws {
        let first = try open(waitingFor: .milliseconds(200))
        try await first.put(0..<10)
        let exclusive = try open(.exclusive)
        let thrown = await #expect(throws: StorageError.self) { try await first.put(10..<20) }
        guard case .inUse(path: "A", _) = thrown else { throw try #require(thrown) }
        #expect(throws: StorageError.self) { try open(waitingFor: .milliseconds(200)) }
        try await exclusive.put(10..<12)
        try await exclusive.close()
        try await first.put(12..<20)
        #expect(try count(first) == 20)
        try await first.close()
    }

    @Test func `one who writes moves on when another has compacted`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<100)
        try await second.put(100..<200)
        let held = second.version
        try await first.compact()
        try await second.put(200..<300)
        #expect(second.version.generation.number == 2 && first.version.generation.number == 2)
        #expect(try count(second) == 300)
        try await first.compact()
        try await first.compact()
        try await second.put(300..<400)
        #expect(second.version.generation.number == 4)
        #expect(try count(second) == 400 && held.count(in: numbers) == 200)
        try await second.compact()
        try await first.put(400..<500)
        #expect(try count(first) == 500)
        try await first.close()
        try await second.close()
        #expect(try open(.readOnly).version.count(in: numbers) == 500)
    }

    @Test func `one process compacts at a time`() async throws {
        let (first, second) = (try open(), try open(waitingFor: .milliseconds(200)))
        try await first.put(0..<100)
        let other = try disk.lock("A/compacting")
        await #expect(throws: StorageError.self) { try await second.compact() }
        other.unlock()
        try await first.compact()
        try await first.close()
        try await second.close()
    }

    @Test func `a load of one is seen by another, which waits for it`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<10)
        try await second.put(10..<20)
        try await first.load { load in
            load.replace(numbers)
            let collector = load.makeCollector()
            for number in 0..<5000 as Range<UInt64> {
                try collector.put(Array("loaded".utf8), forKey: .key(number), in: numbers)
            }
        }
        try await second.put(5000..<5001)
        #expect(try count(second) == 5001)
        try await first.put(5001..<5002)
        #expect(try count(first) == 5002)
        try await first.close()
        try await second.close()
    }

    @Test func `one goes on when the other had to move to new files`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<10)
        try await second.put(10..<20)
        let failed = Flag()
        disk.fail { call, path in
            guard call == .flush, path.contains("log-"), !failed.isSet else { return nil }
            failed.set(true)
            return .inputOutput(operation: "flush", path: path, code: 5)
        }
        try await first.put(20..<30)
        #expect(first.version.generation.number == 2)
        try await second.put(30..<40)
        #expect(try count(second) == 40 && second.version.generation.number == 2)
        try await first.put(40..<50)
        #expect(try count(first) == 50)
        try await first.close()
        try await second.close()
    }

    @Test func `what one left half written when it died is cut by the next who writes`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<10)
        try await second.put(10..<20)
        let path = try #require(try disk.files("log-", in: "A").last)
        let log = try disk.openFile(path, .writing)
        let scan = try LogReader.scan(log, watermark: 0, mayGrow: false).scan
        try log.write(Array("BDFR torn, by somebody who was killed".utf8), at: scan.end)
        try await first.put(20..<30)
        #expect(try count(first) == 30)
        try await second.put(30..<40)
        #expect(try count(second) == 40)
        try await first.close()
        try await second.close()
        #expect(try disk.files("aside-", in: "A").count == 1)
    }

    @Test func `a commit that was written and never acknowledged becomes everybody's`() async throws {
        let (first, second) = (try open(), try open())
        try await first.put(0..<10)
        try await second.put(10..<20)
        try disk.appendUnacknowledged(commit: 3)
        try await first.put(30..<40)
        #expect(try count(first) == 31 && first.version.commitNumber == 4)
        try await second.write { _ in }
        #expect(try count(second) == 31)
        try await first.close()
        try await second.close()
    }

    @Test func `what nobody vouched for is written once more with the first of one's own`() async throws {
        let disk = RecordingDisk(directory: "A", files: [:])
        let first = try Database.open(
            at: "A", trees: numberTrees, options: .patient(), fileSystem: disk)
        try await first.put(0..<10)
        let place = try disk.appendUnacknowledged(commit: 2)
        let before = disk.operations.count
        try await first.put(30..<40)
        let writes = disk.operations[before...].compactMap { operation -> Int? in
            if case .write(_, let byteOffset, _) = operation { byteOffset } else { nil }
        }
        #expect(writes.contains(place))
        try await first.close()
    }

    @Test func `a commit in memory is in the log before anybody hears of it`() async throws {
        let isWritten = Mutex(false)
        let told = Mutex<[Bool]>([])
        let store = try open(onPublish: { _ in told.withLock { $0.append(isWritten.withLock { $0 }) } })
        try await store.put(0..<10)
        told.withLock { $0 = [] }
        disk.fail { call, path in
            if call == .write, path.contains("log-") { isWritten.withLock { $0 = true } }
            return nil
        }
        try await store.write(.memory) { try $0.put([1], forKey: 3, in: numbers) }
        #expect(told.withLock { $0 } == [true])
        disk.fail(nil)
        try await store.close()
    }

    @Test func `a commit behind one's own asks the disk nothing`() async throws {
        let first = try open()
        try await increment(first)
        // Of the log alone: where nothing tells of a file, how far it goes is looked up four times a second.
        let reads = CallCounter()
        disk.fail { call, path in
            if call == .read, path.contains("log-") { _ = reads.count() }
            return nil
        }
        for _ in 0..<10 { try await increment(first) }
        #expect(reads.value == 0)
        // Not before: it reads beside, until it has what was written.
        let second = try open()
        try await increment(second)
        let before = reads.value
        try await increment(first)
        #expect(reads.value > before)
        #expect(try number(first.version) == 13)
        try await first.close()
        try await second.close()
    }

    @Test func `one who waits comes before one who has just written`() throws {
        let files = StoreFiles(directory: "A")
        try disk.createDirectory("A", sharing: .owner)
        let first = try WriteLock(files, disk, isShared: true, waitingFor: .zero)
        #expect(throws: StorageError.self) { try WriteLock(files, disk, isShared: true, waitingFor: .zero) }
        first.letGo()
        let second = try WriteLock(files, disk, isShared: true, waitingFor: .zero)
        #expect(try !first.take() && second.isWanted())
        second.letGo()
        #expect(try !second.take() && first.take())
        first.letGo()
        #expect(try second.take() && !second.isWanted())
    }

    @Test func `what one is writing is no leftover for another who opens`() async throws {
        let first = try open()
        try await first.put(0..<10)
        let (compacting, path) = (try disk.lock("A/compacting"), "A/snapshot-0000000000000002.00000001.tmp")
        try disk.replace(path, with: [1, 2, 3])
        try await open().close()
        #expect(try disk.kind(of: path) == .file)
        compacting.unlock()
        try await open().close()
        #expect(try disk.kind(of: path) == .absent)
        try await first.close()
    }

    @Test func `no two write to files of one name`() throws {
        let options = Options(access: .shared)
        let names = (0..<100).map { _ in Database.files(at: "A", options).temporarySnapshot(7) }
        #expect(Set(names).count == 100)
        #expect(names.allSatisfy { StoreFiles.kind(ofName: String($0.dropFirst(2))) == .temporary })
    }
}

extension FileSystem {
    /// Writes a commit behind the log of the store at `A` that nobody has flushed or said to be there, as one does who then dies.
    ///
    /// - Returns: where it lies.
    @discardableResult
    fileprivate func appendUnacknowledged(commit: UInt64) throws -> Int {
        let lock = try lock("A/lock")
        defer { lock.unlock() }
        let log = try openFile(#require(try files("log-", in: "A").last), .writing)
        let scan = try LogReader.scan(log, watermark: 0, mayGrow: false).scan
        var operations = OperationEncoder()
        operations.put(
            tree: numbers, key: [UInt8].key(99).span.bytes, facets: 0, value: Array("unacknowledged".utf8).span.bytes)
        var frame: [UInt8] = []
        _ = LogFrame.append(
            payload: operations.bytes, commit: commit, watermark: commit - 2, time: 0, salt: scan.header.salt,
            previousChecksum: scan.lastChecksum, to: &frame)
        try log.write(frame, at: scan.end)
        return scan.end
    }
}

/// Stores that are open to be read, or at rest, while others write: each shows what the head of the log says.
struct FollowingTests {
    private let disk = FaultyFileSystem()

    /// What a store tells, and a call that lets it look for news.
    private final class Told: Sendable {
        private let list = Mutex<[UInt64]>([])

        var commits: [UInt64] { list.withLock { $0 } }

        func add(_ commit: PublishedCommit) { list.withLock { $0.append(commit.commitNumber) } }
    }

    private func open(_ access: Access, _ told: Told = Told()) throws -> Database {
        try Database.open(
            at: "A", trees: numberTrees, options: .patient(access), fileSystem: disk, onPublish: told.add)
    }

    @Test(arguments: [Access.shared, .readOnly])
    func `a store at rest shows what others write, each commit by itself`(access: Access) async throws {
        let (writer, told) = (try open(.shared), Told())
        try await writer.put(0..<10)
        let follower = try open(access, told)
        for number in 1..<6 { try await writer.put(number * 10..<number * 10 + 10) }
        await follower.follow()
        #expect(told.commits == [2, 3, 4, 5, 6])
        #expect(try follower.version.count(in: numbers) == 60)
        try await writer.compact()
        try await writer.put(60..<70)
        await follower.follow()
        #expect(told.commits == [2, 3, 4, 5, 6, 7] && follower.version.commitNumber == 7)
        try await follower.close()
        try await writer.put(70..<80)
        await follower.follow()
        #expect(told.commits.last == 7)
        try await writer.close()
    }

    @Test(arguments: [Access.shared, .readOnly])
    func `one that was left far behind is shown the whole at once`(access: Access) async throws {
        let (writer, told) = (try open(.shared), Told())
        try await writer.put(0..<10)
        let follower = try open(access, told)
        let held = follower.version
        for number in 1..<4 {
            try await writer.put(number * 10..<number * 10 + 10)
            try await writer.compact()
        }
        await follower.follow()
        if access == .shared { try await follower.write { _ in } }
        // It may have met one or two on the way, and what it had begun to read is there still.
        #expect(told.commits.first == 2 && told.commits.last == 4 && told.commits == told.commits.sorted())
        #expect(try follower.version.count(in: numbers) == 40 && held.count(in: numbers) == 10)
        try await writer.put(40..<50)
        await follower.follow()
        #expect(told.commits.last == 5 && told.commits == told.commits.sorted())
        try await follower.close()
        try await writer.close()
    }

    @Test(arguments: [Access.shared, .readOnly])
    func `what is not acknowledged yet is not shown`(access: Access) async throws {
        let (writer, told) = (try open(.shared), Told())
        try await writer.put(0..<10)
        let follower = try open(access, told)
        try await writer.put(10..<20)
        try disk.appendUnacknowledged(commit: 3)
        await follower.follow()
        #expect(told.commits == [2])
        try await writer.put(20..<30)
        await follower.follow()
        #expect(told.commits == [2, 3, 4])
        try await follower.close()
        try await writer.close()
    }

    @Test func `a follower reads a commit's frame and no more than a page beside it`() async throws {
        let writer = try open(.shared)
        try await writer.put(0..<10)
        let follower = try open(.readOnly)
        for number in 1..<20 {
            let path = try #require(try disk.files("log-", in: "A").last)
            let before = (try disk.bytes(of: path).lastNonZero, disk.reads.byteCount)
            try await writer.put(number * 50..<number * 50 + 50)
            let written = try disk.bytes(of: path).lastNonZero - before.0
            let start = disk.reads.byteCount
            await follower.follow()
            #expect(disk.reads.byteCount - start <= written + 4096)
        }
        #expect(try follower.version.count(in: numbers) == 960)
        try await follower.close()
        try await writer.close()
    }

    @Test func `the system tells a follower of writes`() async throws {
        try await withTemporaryDirectory { directory in
            func open(_ access: Access, _ told: Told) throws -> Database {
                try Database.open(
                    at: directory + "/A", trees: numberTrees, options: .patient(access),
                    onPublish: told.add)
            }
            let writer = try open(.shared, Told())
            try await writer.put(0..<10)
            let all = [Told(), Told()]
            let followers = [try open(.shared, all[0]), try open(.readOnly, all[1])]
            for number in 1..<30 { try await writer.put(number * 10..<number * 10 + 10, .memory) }
            for (follower, told) in zip(followers, all) {
                while told.commits.count < 29 { await pause() }
                #expect(told.commits == Array(2...30))
                #expect(try follower.version.count(in: numbers) == 300)
            }
            for store in followers + [writer] { try await store.close() }
        }
    }
}

extension [UInt8] {
    fileprivate var lastNonZero: Int { lastIndex { $0 != 0 } ?? 0 }
}
