import StorageEngine
import Testing

/// Torn tails, rot and reorderings, made by hand in the bytes of a log.
@Suite struct LogRecoveryTests {
    static let log = "A/log-0000000000000001"

    /// A store of ten durable commits that was not closed, as a power cut leaves it; and where its frames begin.
    static func crashedStore(
        _ durability: Durability = .flushed
    ) async throws -> (fileSystem: MemoryFileSystem, frames: [Int]) {
        let live = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: live)
        var starts: [Int] = []
        for number in 0..<10 {
            try await database.put(number..<number + 1, durability)
            starts.append(try end(of: live.bytes(of: log)))
        }
        let crashed = MemoryFileSystem()
        crashed.createDirectory("A")
        for name in try live.names(inDirectory: "A") {
            try crashed.replace("A/" + name, with: live.bytes(of: "A/" + name))
        }
        try await database.close()
        return (crashed, [64] + starts.dropLast())
    }

    /// Behind the last byte that is not zero, at a multiple of eight.
    static func end(of log: [UInt8]) -> Int {
        var end = log.count
        while end > 0, log[end - 1] == 0 { end -= 1 }
        return (end + 7) / 8 * 8
    }

    @Test func `every flushed commit survives a crash`() async throws {
        let (fileSystem, _) = try await Self.crashedStore()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(database.opening.replayedCommits == 10)
        #expect(try database.version.count(in: numbers) == 10)
        try await database.close()
    }

    @Test func `a torn last record is dropped and the commits before it survive`() async throws {
        let (original, frames) = try await Self.crashedStore()
        let bytes = try original.bytes(of: Self.log)
        for cut in stride(from: frames[9] + 1, to: Self.end(of: bytes) - 8, by: 9) {
            let fileSystem = MemoryFileSystem()
            fileSystem.createDirectory("A")
            try fileSystem.replace(
                "A/snapshot-0000000000000001", with: original.bytes(of: "A/snapshot-0000000000000001"))
            try fileSystem.replace(Self.log, with: Array(bytes[..<cut]))
            let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            #expect(try database.version.count(in: numbers) == 9)
            #expect(database.opening.tornByteCount > 0)
            try await database.put(9..<10)
            try await database.close()
            let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            #expect(try reopened.version.count(in: numbers) == 10)
            #expect(reopened.opening.tornByteCount == 0)
            try await reopened.close()
        }
    }

    /// As a torn frame has them whose values do. The sixty-fifth made rot of it, which kept the store from being written to.
    @Test func `many first bytes of frames within a torn tail are no rot`() async throws {
        let (fileSystem, _) = try await Self.crashedStore()
        let bytes = try fileSystem.bytes(of: Self.log)
        let torn = FalseFrames.beginnings(70)
        try fileSystem.replace(Self.log, with: Array(bytes[..<Self.end(of: bytes)]) + torn)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(database.opening.tornByteCount == torn.count)
        #expect(try database.version.count(in: numbers) == 10)
        try await database.close()
    }

    @Test func `padding that a crash tore is no damage, and recovery writes it anew`() async throws {
        let (fileSystem, frames) = try await Self.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        let end = Self.end(of: bytes)
        try #require(frames[9] < end && bytes[end - 1] == 0, "the last frame has padding")
        bytes[end - 1] = 0x5A
        try fileSystem.replace(Self.log, with: bytes)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(database.opening.replayedCommits == 10)
        try await database.put(10..<11)
        #expect(try fileSystem.bytes(of: Self.log)[end - 1] == 0)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await database.close()
    }

    @Test func `rot in a commit that was durable is found, named and never cut`() async throws {
        let (fileSystem, frames) = try await Self.crashedStore()
        let bytes = try fileSystem.bytes(of: Self.log)
        for frame in frames.dropLast(2) {
            var rotten = bytes
            rotten[frame + 60] ^= 0x10
            try fileSystem.replace(Self.log, with: rotten)
            let error = #expect(throws: StorageError.self) {
                try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            }
            let damage = try #require(error?.damage)
            #expect(damage.file == Self.log)
            #expect(damage.byteOffset == frame)
            #expect(damage.finding.contains("durable once"))
            let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
            #expect(report.damage.count == 1)
            let reader = try Database.open(
                at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
            #expect(reader.opening.damage != nil)
            #expect(try reader.version.count(in: numbers) == frames.firstIndex(of: frame)!)
            #expect(try fileSystem.bytes(of: Self.log) == rotten)
        }
    }

    @Test func `sound frames behind an unflushed gap are set aside, not replayed`() async throws {
        let (fileSystem, frames) = try await Self.crashedStore(.ordered)
        var bytes = try fileSystem.bytes(of: Self.log)
        for index in frames[4]..<frames[5] { bytes[index] = 0 }
        try fileSystem.replace(Self.log, with: bytes)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 4)
        #expect(database.opening.setAsideByteCount > 0)
        #expect(try fileSystem.files("aside", in: "A").count == 1)
        try await database.put(20..<21)
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 5)
        try await reopened.close()
    }

    /// A piece of the file is gone, and all that follows has moved.
    @Test(arguments: [1, 3, 4, 7, 8, 63])
    func `frames behind a gap are found at whatever place they come to lie`(lostByteCount: Int) async throws {
        let (fileSystem, frames) = try await Self.crashedStore()
        var bytes = try fileSystem.bytes(of: Self.log)
        bytes.removeSubrange(frames[4] + 20..<frames[4] + 20 + lostByteCount)
        try fileSystem.replace(Self.log, with: bytes)
        let refusal = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        }
        #expect(refusal?.damage?.byteOffset == frames[4])
        #expect(refusal?.damage?.finding.contains("commits 5 to 9 were durable once") == true)
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.missingCommits == [5...5])
        #expect(salvage.report.lastCommit == 10)
    }

    @Test func `a closed log that lost its last commits is damaged, not torn`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        for number in 0..<10 { try await database.put(number..<number + 1) }
        try await database.close()
        let sound = try fileSystem.bytes(of: Self.log)
        // The closing mark has the last page for itself. Any other page that is lost is missed.
        let pages = stride(from: 0, to: sound.count - 4096, by: 4096)
        for page in pages {
            var bytes = sound
            for index in max(64, page)..<page + 4096 { bytes[index] = 0 }
            try fileSystem.replace(Self.log, with: bytes)
            #expect(throws: StorageError.self) {
                try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            }
            #expect(try !Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        }
        #expect(pages.contains(0))
    }

    @Test func `a closed log that lost its closing mark, or any of its last bytes, has every commit`() async throws {
        for lostByteCount in [1, 8, 56, 512, 4095, 4096] {
            let fileSystem = MemoryFileSystem()
            var database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            for number in 0..<10 { try await database.put(number..<number + 1) }
            try await database.close()
            let sound = try fileSystem.bytes(of: Self.log)
            let kept = Array(sound.dropLast(lostByteCount))
            for bytes in [kept, kept + [UInt8](repeating: 0, count: lostByteCount)] {
                try fileSystem.replace(Self.log, with: bytes)
                database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
                #expect(try database.version.count(in: numbers) == 10)
                // Of the mark itself a byte may be left.
                #expect(lostByteCount == 4095 || database.opening.tornByteCount == 0)
                try await database.close()
            }
        }
    }

    @Test func `a log of another store is not replayed`() async throws {
        let (first, _) = try await Self.crashedStore()
        let (second, _) = try await Self.crashedStore()
        try first.replace(Self.log, with: second.bytes(of: Self.log))
        #expect(throws: StorageError.self) { try Database.open(at: "A", trees: numberTrees, fileSystem: first) }
    }

    @Test func `a missing segment between two others is damage`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        // Compactions that stop before the rename leave one more segment each.
        fileSystem.fail { call, path in call == .rename && path.contains("snapshot") ? .diskFull(path: path) : nil }
        for number in 10..<13 {
            _ = try? await database.compact()
            try await database.put(number..<number + 1)
        }
        fileSystem.fail(nil)
        try await database.close()
        #expect(try fileSystem.files("log", in: "A").count == 4)
        try fileSystem.remove("A/log-0000000000000002")
        #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        }
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(!report.isSound)
    }
}
