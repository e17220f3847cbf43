import TestSupport
import Testing

@testable import StorageEngine

/// Two copies of one library, each changed on its own, whose files come together: what a conflict of a file synchroniser or a
/// restore in parts leaves. Every file is sound; they are not of one store.
@Suite struct SiblingCopiesTests {
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case compaction, load

        var testDescription: String { rawValue }
    }

    private static func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// The same library changed in one way, and in another. Both are closed, at the same commit, generation and segment.
    private static func siblings(_ change: Change) async throws -> [MemoryFileSystem] {
        let original = MemoryFileSystem()
        let database = try open(original)
        try await database.put(0..<50)
        try await database.compact()
        try await database.close()
        var siblings: [MemoryFileSystem] = []
        for name in ["the one", "other"] {
            let fileSystem = try original.copy(of: "A")
            let database = try open(fileSystem)
            switch change {
            case .compaction:
                try await database.put(10..<20, value: name)
                try await database.compact()
            case .load:
                try await database.load { load in
                    let collector = load.makeCollector()
                    for number in 100..<2000 {
                        try collector.put(
                            Array("\(name) \(number)".utf8), forKey: .key(UInt64(number)), in: numbers)
                    }
                }
            }
            try await database.put(20..<30, value: name)
            try await database.close()
            siblings.append(fileSystem)
        }
        return siblings
    }

    @Test(arguments: Change.allCases)
    func `the log of a sibling copy is not replayed onto a snapshot that it does not continue`(
        change: Change
    ) async throws {
        let siblings = try await Self.siblings(change)
        let log = try #require(try siblings[0].files("log-", in: "A").last)
        #expect(try siblings[1].files("log-", in: "A") == [log])
        let mixed = try siblings[0].copy(of: "A")
        try mixed.replace(log, with: siblings[1].bytes(of: log))

        let before = try mixed.bytes(of: log)
        let refusal = #expect(throws: StorageError.self) { try Self.open(mixed) }
        #expect(refusal?.damage?.file == log)
        #expect(refusal?.damage?.finding.contains("different copies of the store") == true)
        #expect(try mixed.bytes(of: log) == before)

        // A reader shows what the snapshot holds, and says that there is more.
        let reader = try Database.open(
            at: "A", trees: [], options: Options(access: .readOnly), fileSystem: mixed)
        #expect(reader.opening.damage?.file == log)
        let value = try reader.version.value(forKey: .key(25), in: numbers) {
            String(decoding: $0.copyBytes(0..<$0.byteCount), as: UTF8.self)
        }
        #expect(value == "value 25")

        let report = try Verifier.verify(at: "A", fileSystem: mixed)
        #expect(report.damage.contains { $0.file == log })

        let salvage = try Salvage(at: "A", fileSystem: mixed)
        #expect(!salvage.report.isWhole && salvage.report.logCommitCount == 0)
        let saved = try salvage.contents([numbers]).trees[numbers]
        #expect(saved?[.key(25)] == Array("value 25".utf8))
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"), arguments: Change.allCases)
    func `a reader made from the pages alone tells siblings apart, too`(change: Change) async throws {
        let siblings = try await Self.siblings(change)
        let log = try #require(try siblings[0].files("log-", in: "A").last)
        let mixed = try siblings[0].copy(of: "A")
        try mixed.replace(log, with: siblings[1].bytes(of: log))
        for (fileSystem, isSound) in [(siblings[0], true), (mixed, false)] {
            try await withTemporaryDirectory { directory in
                for path in try fileSystem.files("", in: "A") {
                    try PosixFileSystem().replace(
                        directory + "/" + path.dropFirst(2), with: fileSystem.bytes(of: path))
                }
                let run = try PythonReader(["verify", directory])
                #expect((run.status == 0) == isSound, "\(run.output)\(run.talk)")
            }
        }
    }

    /// A backup from before the last compaction gives back one file.
    @Test func `a file from an older backup does no harm, or is told`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<50)
        try await database.compact()
        try await database.put(50..<60)
        let backup = try fileSystem.copy()
        try await database.compact()
        try await database.put(60..<70)
        try await database.close()
        for old in try backup.files("", in: "A") {
            let mixed = try fileSystem.copy(of: "A")
            // Under the names of today's files, too, as a person might put it back.
            for place in Set([old] + (try mixed.files(old.contains("log-") ? "log-" : "snapshot-", in: "A"))) {
                try mixed.replace(place, with: backup.bytes(of: old))
                do {
                    let opened = try Self.open(mixed)
                    #expect(try opened.version.count(in: numbers) == 70, "\(old) as \(place)")
                    try await opened.close()
                } catch {
                    #expect((error as? StorageError)?.damage != nil, "\(error)")
                    #expect(try !Verifier.verify(at: "A", fileSystem: mixed).isSound)
                }
            }
        }
    }
}
