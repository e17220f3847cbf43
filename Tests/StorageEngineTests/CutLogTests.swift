import Synchronization
import Testing

@testable import StorageEngine

/// A log that ends before it did: a copy of the store that was not finished, or a segment that somebody removed.
@Suite struct CutLogTests {
    private static let log = "A/log-0000000000000001"

    /// Three sessions of three commits each.
    private static func store() async throws -> FaultyFileSystem {
        let fileSystem = FaultyFileSystem()
        for session in 0..<3 {
            let database = try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
            for number in 0..<3 { try await database.put(session * 30 + number * 10..<session * 30 + number * 10 + 10) }
            try await database.close()
        }
        return fileSystem
    }

    /// Whoever reads the store says that it is damaged, and nobody writes to it.
    private static func expectDamaged(_ fileSystem: FaultyFileSystem, _ words: String) async throws {
        func isLoss(_ damage: Damage?) -> Bool { damage?.finding.contains("durable once and cannot be read") == true }
        let before = try fileSystem.bytes(of: log)
        let writing = #expect(throws: StorageError.self, "\(words)") {
            try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        }
        guard case .damaged(let refused)? = writing else { Issue.record("\(words)"); return }
        #expect(isLoss(refused))
        let reader = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(isLoss(reader.opening.damage), "\(words)")
        #expect(try reader.version.count(in: numbers) < 90)
        try await reader.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.damage.contains { isLoss($0) } && report.tornByteCount == 0, "\(words)")
        guard case .damaged(let damage) = try StoreLog(at: "A", fileSystem: fileSystem).end else {
            Issue.record("\(words): the log ends well")
            return
        }
        #expect(isLoss(damage))
        let backup = await #expect(throws: StorageError.self) {
            _ = try await Database.backup(at: "A", to: "B", fileSystem: fileSystem)
        }
        guard case .backupRefused? = backup else { Issue.record("\(words)"); return }
        #expect(try Salvage(at: "A", fileSystem: fileSystem).report.missingCommits.last?.upperBound == 9, "\(words)")
        #expect(try fileSystem.bytes(of: log) == before, "\(words)")
    }

    @Test func `a log that was cut anywhere before its last closing mark is damaged`() async throws {
        let whole = try await Self.store()
        let bytes = try whole.bytes(of: Self.log)
        var ends: [Int] = []
        var marks: [Int] = []
        var reader = try LogReader(try whole.openFile(Self.log, .reading))
        let scan = try LogScan(&reader, watermark: 0)
        try reader.forEachFrame(of: scan) { frame, _ in
            if frame.isWatermarkOnly { marks.append(frame.end) } else { ends.append(frame.bodyEnd) }
        }
        #expect(ends.count == 9 && marks.count == 3)
        for cut in [ends[0], ends[4], ends[7], ends[0] + 20, ends[5] + 8, ends[8] - 16] + marks.dropLast() {
            let fileSystem = try whole.faultyCopy()
            try fileSystem.replace(Self.log, with: Array(bytes[..<cut]))
            try await Self.expectDamaged(fileSystem, "cut at \(cut)")
        }
        // Nothing is missing but the mark.
        let fileSystem = try whole.faultyCopy()
        try fileSystem.replace(Self.log, with: Array(bytes[..<ends[8]]))
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 90)
        try await database.close()
    }

    /// Its closing was told under the identity of the store that was there before.
    @Test func `a log that was cut after a live restore is damaged`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        _ = try await database.backup(to: "B")
        try await database.restore(RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem)))
        for number in 1..<4 { try await database.put(number * 10..<number * 10 + 10) }
        try await database.close()
        let log = try #require(try fileSystem.files("log-", in: "A").last)
        var reader = try LogReader(try fileSystem.openFile(log, .reading))
        var ends: [Int] = []
        try reader.forEachFrame(of: try LogScan(&reader, watermark: 1)) { frame, _ in ends.append(frame.bodyEnd) }
        try fileSystem.replace(log, with: Array(try fileSystem.bytes(of: log)[..<ends[0]]))
        let refused = #expect(throws: StorageError.self) {
            try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        }
        #expect(refused?.damage?.finding.contains("durable once and cannot be read") == true)
    }

    @Test func `without a history, and with one of another store or snapshot, a log ends where it ends`() async throws {
        let whole = try await Self.store()
        let cut = Array(try whole.bytes(of: Self.log)[..<5_000])
        let compacted = try whole.faultyCopy()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: compacted)
        try await database.compact()
        try await database.close()
        let other = try await Self.store()
        for (history, words) in [
            (nil, "none"), (try other.bytes(of: "A/history"), "of another store"),
            ([UInt8](repeating: 0xAA, count: 4096), "of nothing"),
        ] {
            let fileSystem = try whole.faultyCopy()
            try fileSystem.replace(Self.log, with: cut)
            try fileSystem.remove("A/history")
            if let history { try fileSystem.replace("A/history", with: history) }
            let store = try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
            #expect(try store.version.count(in: numbers) < 90, "\(words)")
            try await store.put(0..<1)
            try await store.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound, "\(words)")
        }
        // Its snapshot holds all that the earlier one was closed with.
        let again = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: compacted)
        #expect(try again.version.count(in: numbers) == 90)
        try await again.close()
    }

    /// It had read the log, and the history then told of what was written meanwhile.
    @Test func `a reader beside one who writes and closes meets no damage`() async throws {
        let whole = try await Self.store()
        let bytes = try whole.bytes(of: Self.log)
        var reader = try LogReader(try whole.openFile(Self.log, .reading))
        var ends: [Int] = []
        try reader.forEachFrame(of: try LogScan(&reader, watermark: 0)) { frame, _ in ends.append(frame.bodyEnd) }
        let fileSystem = try whole.faultyCopy()
        let short = Array(bytes[..<ends[4]])
        let grows = Mutex(true)
        fileSystem.fail { call, path in
            guard call == .open, path == "A/history", grows.withLock({ $0 }) else { return nil }
            try? fileSystem.replace(Self.log, with: bytes)
            return nil
        }
        try fileSystem.replace(Self.log, with: short)
        let store = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(store.opening.damage == nil)
        try await store.close()
        try fileSystem.replace(Self.log, with: short)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).damage == [])
        grows.withLock { $0 = false }
        try fileSystem.replace(Self.log, with: short)
        #expect(try !Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }
}

extension FaultyFileSystem {
    fileprivate func faultyCopy() throws -> FaultyFileSystem { FaultyFileSystem(try copy()) }
}
