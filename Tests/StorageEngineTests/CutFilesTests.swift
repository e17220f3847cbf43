import TestSupport
import Testing

@testable import StorageEngine

/// Every file of a small store missing, or cut to a length up to 5,000 bytes, under everything that reads a store.
///
/// Nothing traps, nothing claims more than holds, and whatever calls the store sound shows every commit up to one of them.
/// `BOOKDB_CUTS=all` tries each length.
@Suite struct CutFilesTests {
    private static let texts = TreeNumber(2)
    private static let trees = numberTrees + [TreeDeclaration(texts, "texts", placement: .cold)]
    private static let snapshotCommit: UInt64 = 2
    private static let lastCommit: UInt64 = 6
    private static let snapshot = "snapshot-0000000000000002"
    private static let log = "log-0000000000000002"

    /// Six commits of ten numbers and a text; the first two are in the snapshot.
    private static let original = Task {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        for commit in 0..<Int(lastCommit) {
            try await database.write { transaction in
                for number in commit * 10..<commit * 10 + 10 {
                    try transaction.put([UInt8(number)], forKey: UInt64(number), in: numbers)
                }
                try transaction.put(Array(repeating: UInt8(commit), count: 700), forKey: UInt64(commit), in: texts)
            }
            if commit + 1 == snapshotCommit { try await database.compact() }
        }
        try await database.close()
        return fileSystem
    }

    /// The store with one of its files changed.
    private struct Cut {
        let name: String
        let length: Int?
        let fileSystem: MemoryFileSystem

        init(_ original: MemoryFileSystem, _ name: String, _ length: Int?) throws {
            self.name = name
            self.length = length
            fileSystem = try original.copy(of: "A")
            if let length {
                try fileSystem.replace("A/" + name, with: Array(original.bytes(of: "A/" + name)[..<length]))
            } else {
                fileSystem.remove("A/" + name)
            }
        }

        /// Whether the head of a file that the store needs is gone. Only the end of the log may be missing without a trace.
        var hasLostHead: Bool {
            name == CutFilesTests.snapshot || length.map { $0 < LogSegmentFormat.headerByteCount } ?? true
        }

        var words: Comment { "\(name) \(length.map { "cut to \($0)" } ?? "missing")" }
    }

    private func forEachCut(_ name: String, _ body: (Cut) async throws -> Void) async throws {
        let original = try await Self.original.value
        for length in CutLengths.of(fileWith: try original.bytes(of: "A/" + name).count) {
            try await body(Cut(original, name, length))
        }
    }

    /// Checks that a version is the store as of its commit, to the last entry.
    private func expectState(_ version: Version, _ words: Comment) throws {
        let commit = Int(version.commitNumber)
        #expect(try version.count(in: numbers) == commit * 10 && version.count(in: Self.texts) == commit, words)
        for number in 0..<commit * 10 {
            #expect(try version.value(forKey: UInt64(number), in: numbers) { $0.copyBytes() } == [UInt8(number)], words)
        }
        for number in 0..<commit {
            let text = try version.value(forKey: UInt64(number), in: Self.texts) { $0.copyBytes() }
            #expect(text == Array(repeating: UInt8(number), count: 700), words)
        }
    }

    // MARK: Opening

    @Test(arguments: [snapshot, log])
    func `an opening shows the store as of a commit, or says what is wrong`(name: String) async throws {
        var newest: UInt64 = 0
        try await forEachCut(name) { cut in
            let reader = try? Database.open(
                at: "A", trees: [], options: Options(access: .readOnly), fileSystem: cut.fileSystem)
            if let reader {
                try expectState(reader.version, cut.words)
                #expect(!cut.hasLostHead || reader.opening.damage != nil, cut.words)
                if cut.length != nil { #expect(reader.version.commitNumber >= newest, "a longer log lost a commit") }
                newest = reader.version.commitNumber
            }
            let shown = reader.flatMap { $0.opening.damage == nil ? $0.version.commitNumber : nil }
            guard let shown else {
                #expect(throws: StorageError.self, cut.words) {
                    try Database.open(at: "A", trees: [], fileSystem: cut.fileSystem)
                }
                return
            }
            let writer = try Database.open(
                at: "A", trees: [], options: Options(compaction: .manual), fileSystem: cut.fileSystem)
            try expectState(writer.version, cut.words)
            #expect(writer.version.commitNumber == shown, cut.words)
            try await writer.close()
        }
    }

    // MARK: Tools

    @Test(arguments: [snapshot, log])
    func `what is verified as sound opens whole, and an inspection finds no fault with its heads`(
        name: String
    ) async throws {
        try await forEachCut(name) { cut in
            let report = try Verifier.verify(at: "A", fileSystem: cut.fileSystem)
            #expect(!cut.hasLostHead || !report.isSound, cut.words)
            if report.isSound {
                let reader = try Database.open(
                    at: "A", trees: [], options: Options(access: .readOnly), fileSystem: cut.fileSystem)
                #expect(reader.opening.damage == nil && reader.version.commitNumber == report.commitNumber, cut.words)
            }
            do throws(StorageError) {
                let inspection = try StoreInspection(at: "A", fileSystem: cut.fileSystem)
                #expect(inspection.damage.isEmpty == !cut.hasLostHead, cut.words)
            } catch {
                #expect(cut.hasLostHead && error.damage != nil, "\(cut.words): \(error)")
            }
        }
    }

    @Test(arguments: [snapshot, log])
    func `a salvage invents nothing, and is whole only where nothing is known to be lost`(name: String) async throws {
        try await forEachCut(name) { cut in
            let salvage: Salvage
            do throws(StorageError) {
                salvage = try Salvage(at: "A", fileSystem: cut.fileSystem)
            } catch {
                #expect(cut.hasLostHead && error.damage != nil, "\(cut.words): \(error)")
                return
            }
            let contents = try salvage.contents([numbers, Self.texts])
            for (key, value) in contents.trees[numbers] ?? [:] { #expect(value == [key[7]], cut.words) }
            let found = contents.numbers(in: numbers)
            #expect(found.isSubset(of: Set(0..<Self.lastCommit * 10)), cut.words)
            #expect(!cut.hasLostHead || !salvage.report.isWhole, cut.words)
            #expect(salvage.report.isNothing == found.isEmpty, cut.words)
            if cut.name == Self.snapshot {
                #expect(found.isSuperset(of: Self.snapshotCommit * 10..<Self.lastCommit * 10), "the log holds these")
                #expect(cut.length != nil || salvage.report.missingCommits == [1...Self.snapshotCommit])
            } else {
                #expect(found.isSuperset(of: 0..<Self.snapshotCommit * 10), "the snapshot holds these")
                #expect((salvage.report.lostEnd != nil) == cut.hasLostHead, cut.words)
            }
            guard salvage.report.isWhole else { return }
            let reader = try Database.open(
                at: "A", trees: [], options: Options(access: .readOnly), fileSystem: cut.fileSystem)
            #expect(UInt64(found.count) == reader.version.commitNumber * 10, cut.words)
        }
    }

    @Test(arguments: [snapshot, log])
    func `a dump of the heads marks a head that does not fit`(name: String) async throws {
        try await forEachCut(name) { cut in
            let dump = try StoreDump(at: "A", fileSystem: cut.fileSystem)
            let header = try dump.header { _ in }
            if cut.hasLostHead, cut.length != nil || cut.name == Self.snapshot {
                #expect(header != .shown(misfits: 0), cut.words)
            }
            for page in 0..<4 { _ = try dump.page(page) { _ in } }
            for tree in ["numbers", "texts"] { _ = try dump.node(tree, level: nil, index: nil) { _ in } }
            _ = try dump.log(commit: nil) { _ in }
            _ = try dump.log(commit: Self.lastCommit) { _ in }
            _ = try dump.lookUp([0, 0, 0, 0, 0, 0, 0, 1], in: numbers)
        }
    }

    // MARK: Found this way

    @Test func `a snapshot shorter than a page is salvaged and verified like any other`() async throws {
        let cut = try Cut(await Self.original.value, Self.snapshot, 100)
        let salvage = try Salvage(at: "A", fileSystem: cut.fileSystem)
        #expect(salvage.report.places.map(\.role) == [.snapshot, .log])
        #expect(salvage.report.missingCommits == [1...2] && salvage.report.logCommitCount == 4)
        #expect(try !Verifier.verify(at: "A", fileSystem: cut.fileSystem).isSound)
    }

    @Test func `a store that was never compacted lost all it had with its log, and a salvage says so`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.close()
        fileSystem.remove("A/log-0000000000000001")
        let report = try Salvage(at: "A", fileSystem: fileSystem).report
        #expect(report.isNothing && !report.isWhole)
        #expect(report.lostEnd?.file == "A/log-0000000000000001" && report.lostEnd?.finding == "the segment is missing")
    }

    @Test func `an empty log beside a snapshot is told of by every tool`() async throws {
        let cut = try Cut(await Self.original.value, Self.log, 0)
        let finding = Damage(file: "A/" + Self.log, byteOffset: 0, finding: "the file is empty")
        #expect(try Salvage(at: "A", fileSystem: cut.fileSystem).report.lostEnd == finding)
        #expect(try StoreInspection(at: "A", fileSystem: cut.fileSystem).damage == [finding])
        #expect(try Verifier.verify(at: "A", fileSystem: cut.fileSystem).damage == [finding])
        #expect(throws: StorageError.damaged(finding)) {
            try Database.open(at: "A", trees: [], options: Options(access: .readOnly), fileSystem: cut.fileSystem)
        }
    }
}
