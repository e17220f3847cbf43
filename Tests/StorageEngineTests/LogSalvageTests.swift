import StorageEngine
import Testing

/// What a salvage saves of a damaged log: ten commits, each of one number.
@Suite struct LogSalvageTests {
    private static let log = LogRecoveryTests.log

    @Test func `a commit that has rotted is missing, and those behind it are saved`() async throws {
        let (fileSystem, frames) = try await LogRecoveryTests.crashedStore()
        let bytes = try fileSystem.bytes(of: Self.log)
        for (index, frame) in frames.enumerated().dropLast() {
            var rotten = bytes
            rotten[frame + 60] ^= 0x10
            try fileSystem.replace(Self.log, with: rotten)
            let salvage = try Salvage(at: "A", fileSystem: fileSystem)
            let commit = UInt64(index) + 1
            #expect(salvage.report.missingCommits == [commit...commit])
            let place = try #require(salvage.report.places.first)
            #expect(salvage.report.places.count == 1 && place.damage.byteOffset == frame)
            let contents = try salvage.contents([numbers])
            #expect(contents.commits == (1...10).filter { $0 != commit })
            #expect(contents.numbers(in: numbers) == Set((0..<10).filter { $0 != index }))
        }
    }

    /// The sixty-fifth of them ended the search.
    @Test func `commits behind many first bytes of frames that are none are saved`() async throws {
        let (fileSystem, frames) = try await LogRecoveryTests.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        bytes.insert(contentsOf: FalseFrames.beginnings(70), at: frames[5])
        try fileSystem.replace(Self.log, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(try salvage.contents([numbers]).commits == Array(1...10))
    }

    @Test func `several gaps are several ranges`() async throws {
        let (fileSystem, frames) = try await LogRecoveryTests.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        for index in [1, 2, 6] { bytes[frames[index] + 20] ^= 1 }
        try fileSystem.replace(Self.log, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.missingCommits == [2...3, 7...7])
        #expect(try salvage.contents([numbers]).commits == [1, 4, 5, 6, 8, 9, 10])
    }

    @Test func `a torn tail and what lies behind an unflushed gap stay out, and are no damage`() async throws {
        let (torn, frames) = try await LogRecoveryTests.crashedStore()
        let bytes = try torn.bytes(of: Self.log)
        try torn.replace(Self.log, with: Array(bytes[..<(frames[9] + 70)]))
        var salvage = try Salvage(at: "A", fileSystem: torn)
        #expect(salvage.report.isWhole && salvage.report.tornByteCount > 0)
        #expect(try salvage.contents([numbers]).commits == Array(1...9))

        let (reordered, starts) = try await LogRecoveryTests.crashedStore(.ordered)
        var unordered = try reordered.bytes(of: Self.log)
        unordered[starts[4] + 60] ^= 0x10
        try reordered.replace(Self.log, with: unordered)
        salvage = try Salvage(at: "A", fileSystem: reordered)
        #expect(salvage.report.isWhole && salvage.report.tornByteCount > 0)
        #expect(try salvage.contents([numbers]).commits == Array(1...4))
    }

    @Test func `a segment's head may rot: its frames are proved by its name`() async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        for offset in 0..<64 { bytes[offset] = 0x55 }
        try fileSystem.replace(Self.log, with: bytes)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(try salvage.contents([numbers]).commits == Array(1...10))
        #expect(salvage.report.places.count == 1 && salvage.report.missingCommits.isEmpty)
    }

    @Test func `of a missing segment the commits are named, and the next segment is saved`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        for segment in 0..<3 {
            for number in 0..<4 { try await database.put(segment * 4 + number..<segment * 4 + number + 1) }
            // A compaction that is cancelled leaves one more segment and the old snapshot.
            let compaction = Task { try await database.compact() }
            compaction.cancel()
            _ = try? await compaction.value
        }
        try await database.close()
        let logs = try fileSystem.files("log", in: "A")
        try #require(logs.count > 2)
        fileSystem.remove(logs[1])
        var salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.missingCommits == [5...8])
        #expect(salvage.report.places.map(\.damage.file) == [logs[1]])
        #expect(try salvage.contents([numbers]).numbers(in: numbers) == Set(0..<12).subtracting(4..<8))
        // And without the snapshot, which was empty, the log alone gives the same.
        for snapshot in try fileSystem.files("snapshot", in: "A") { fileSystem.remove(snapshot) }
        salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.basis == .log && salvage.report.missingCommits == [5...8])
        #expect(try salvage.contents([numbers]).numbers(in: numbers) == Set(0..<12).subtracting(4..<8))
    }

    @Test func `the log behind a snapshot is laid over it, once`() async throws {
        let fileSystem = try await DamageTests.store()
        let database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        try await database.put(2990..<3100, value: "newer")
        try await database.write { try $0.remove(5, in: numbers) }
        try await database.close()
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        let contents = try salvage.contents([numbers])
        #expect(contents.numbers(in: numbers) == Set(0..<3100).subtracting([5]))
        #expect(salvage.report.logCommitCount == 2)
    }

    @Test func `a segment whose generation never came to be tells of no missing commits`() async throws {
        let base = MemoryFileSystem()
        let fileSystem = FaultyFileSystem(base)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        // The log cannot be flushed, and the snapshot that was to save it gets no name.
        fileSystem.fail { call, path in
            let fails =
                switch call {
                case .flush: path == Self.log
                case .remove: !path.hasSuffix(".cold")
                case .rename: path.contains("snapshot")
                default: false
                }
            return fails ? .inputOutput(operation: "\(call)", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        #expect(try base.files("log", in: "A").count == 2)
        let salvage = try Salvage(at: "A", fileSystem: base)
        #expect(salvage.report.isWhole, "\(salvage.report)")
        #expect(try salvage.contents([numbers]).numbers(in: numbers).isSuperset(of: 0..<10))
    }
}
