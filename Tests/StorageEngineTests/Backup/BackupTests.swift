import TestSupport
import Testing

@testable import StorageEngine

@Suite struct BackupTests {
    @Test(arguments: [BackupForm.directory, .file])
    func `a backup restores to what the store held`(form: BackupForm) async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<500)
        try await store.compact()
        try await store.put(400..<600, value: "new")
        let report = try await store.backup(to: "B", as: form)
        #expect(report.commitNumber == 2 && !report.isIncrement)
        #expect(report.reaches.map(\.commits) == [1...2])
        try Backup(at: "B", fileSystem: fileSystem).verify()
        let expected = try store.version.strings()
        // The store goes on, and its files go.
        try await store.put(0..<600, value: "later")
        try await store.compact()
        let restored = try await fileSystem.restored()
        #expect(restored.contents == expected && restored.commit == 2)
        let earlier = try await fileSystem.restored(.commit(1), to: "R1")
        #expect(earlier.contents.count == 500)
        try await store.close()
    }

    @Test func `a later backup copies only what is new, and none of the files that are there`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<2_000)
        try await store.compact()
        let first = try await store.backup(to: "B")
        let before = try fileSystem.image(of: "B")
        let nothing = try await store.backup(to: "B")
        #expect(nothing.copiedByteCount == 0 && nothing.isIncrement)
        try await store.put(0..<1)
        try await store.put(1..<2)
        let second = try await store.backup(to: "B")
        #expect(second.copiedByteCount < 1_000 && second.byteCount > first.byteCount)
        let after = try fileSystem.image(of: "B")
        for (name, bytes) in before where name != "manifest" { #expect(after[name] == bytes, "\(name)") }
        try await store.compact()
        let third = try await store.backup(to: "B")
        #expect(third.copiedByteCount > 10_000)
        #expect(third.reaches.map(\.commits) == [1...3])
        // Commits that no backup saw before a compaction took them are a gap.
        try await store.put(2..<3)
        try await store.put(3..<4)
        try await store.compact()
        try await store.put(4..<5)
        #expect(try await store.backup(to: "B").reaches.map(\.commits) == [1...3, 5...6])
        #expect(try await fileSystem.restored(.commit(2)).commit == 2)
        #expect(try await fileSystem.restored(.commit(5), to: "R5").commit == 5)
        let error = #expect(throws: StorageError.self) {
            try RestorePlan(.commit(4), from: Backup(at: "B", fileSystem: fileSystem))
        }
        #expect("\(error!)".contains("commits 1 to 3, commits 5 to 6"), "\(error!)")
        try await store.close()
    }

    @Test func `a store that another process writes to, or nobody, is backed up by its path`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        for number in 0..<20 { try await store.put(number..<number + 1, number % 2 == 0 ? .flushed : .memory) }
        await store.settle()
        #expect(try await fileSystem.backUp().commitNumber == 20)
        #expect(try await fileSystem.restored().contents == store.version.strings())
        try await store.close()
        let closed = try await fileSystem.backUp()
        #expect(closed.commitNumber == 20 && closed.isIncrement)
        let report = try await fileSystem.openStore("A", .readOnly).backup(to: "C")
        #expect(report.commitNumber == 20)
    }

    @Test func `a commit is restored that marks of closing follow, and then another segment`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try fileSystem.openStore()
        try await store.put(0..<10)
        try await store.put(0..<5, value: "second")
        let expected = try store.version.strings()
        _ = try await store.backup(to: "B")
        // A stretch of the log without a commit.
        try await store.close()
        _ = try await fileSystem.backUp()
        store = try fileSystem.openStore()
        // With the segment after it.
        try await store.compact()
        _ = try await store.backup(to: "B")
        try await store.put(5..<9, value: "third")
        _ = try await store.backup(to: "B")
        #expect(try await fileSystem.restored(.commit(2)).contents == expected)
        #expect(try await fileSystem.restored(.commit(1), to: "R1").contents.count == 10)
        #expect(try await fileSystem.restored(.newest, to: "R3").contents == store.version.strings())
        try await store.close()
    }

    @Test func `a backup beside a writer and compactions equals the commit that it names`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<3_000)
        let writing = Task {
            for number in 0..<400 { try await store.put(number..<number + 3, .ordered, value: "\(number)") }
        }
        let compacting = Task { for _ in 0..<6 { try await store.compact() } }
        for round in 0..<12 {
            let least = store.version.commitNumber
            let report = try await store.backup(
                to: round % 3 == 0 ? "F\(round)" : "B", as: round % 3 == 0 ? .file : .directory)
            #expect(report.commitNumber >= least)
            let restored = try await fileSystem.restored(
                .newest, from: round % 3 == 0 ? "F\(round)" : "B", to: "R\(round)")
            #expect(restored.commit == report.commitNumber)
            // Commit n + 2 puts n to n + 2.
            let expected = Self.contents(after: report.commitNumber)
            #expect(restored.contents == expected, "round \(round), commit \(report.commitNumber)")
        }
        try await writing.value
        try await compacting.value
        try await store.close()
    }

    private static func contents(after commit: UInt64) -> [String: String] {
        var contents: [String: String] = [:]
        func put(_ range: Range<Int>, _ value: String) {
            for number in range { contents["\([UInt8].key(UInt64(number)))"] = "\(value) \(number)" }
        }
        put(0..<3_000, "value")
        for number in 0..<max(0, Int(commit) - 1) { put(number..<number + 3, "\(number)") }
        return contents
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random histories are restored to random commits as a model has them`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var store = try fileSystem.openStore()
        var model: [UInt64: [String: String]] = [0: [:]]
        var reaches: [BackupReach] = []
        for step in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try await store.compact()
            case 1:
                try await store.close()
                store = try fileSystem.openStore()
            case 2:
                try await store.load { load in
                    let collector = load.makeCollector()
                    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: step % 2 == 0 ? 9_000 : 5)
                    try collector.put(value, forKey: .key(UInt64(step)), in: numbers)
                }
            case 3, 4:
                reaches = try await store.backup(to: "B").reaches
                #expect(reaches.last?.commits.upperBound == store.version.commitNumber)
            default:
                let start = Int.random(in: 0..<50, using: &random)
                let durability = [Durability.flushed, .ordered, .memory].randomElement(using: &random)!
                try await store.put(start..<start + Int.random(in: 1..<9, using: &random), durability, value: "\(step)")
            }
            model[store.version.commitNumber] = try store.version.strings()
        }
        reaches = try await store.backup(to: "B").reaches
        try Backup(at: "B", fileSystem: fileSystem).verify()
        for commit in reaches.flatMap({ Array($0.commits) }) {
            let restored = try await fileSystem.restored(.commit(commit), to: "R\(commit)")
            #expect(restored.contents == model[commit], "commit \(commit) of \(reaches)")
        }
        try await store.close()
    }

    @Test func `a restore to a time takes the newest commit that was made by then`() async throws {
        let fileSystem = SettableFileSystem()
        fileSystem.set(time: 1_000)
        let store = try fileSystem.openStore()
        for number in 0..<10 {
            fileSystem.set(time: 2_000 + 100 * UInt64(number))
            try await store.put(number..<number + 1)
        }
        _ = try await store.backup(to: "B")
        let backup = try Backup(at: "B", fileSystem: fileSystem)
        #expect(backup.reaches.map(\.times) == [1_000...2_900])
        for (time, commit) in [(1_000, 0), (1_999, 0), (2_000, 1), (2_450, 5), (2_900, 10), (9_999, 10)]
            as [(UInt64, UInt64)]
        {
            #expect(try RestorePlan(.time(time), from: backup).commitNumber == commit, "\(time)")
        }
        #expect(throws: StorageError.self) { try RestorePlan(.time(999), from: backup) }
        try await store.close()
    }

    @Test func `a restore to a time goes by every commit, and says what it cannot know`() async throws {
        let fileSystem = SettableFileSystem()
        fileSystem.set(time: 1_000)
        let store = try fileSystem.openStore()
        func put(_ number: Int, at time: UInt64) async throws {
            fileSystem.set(time: time)
            try await store.put(number..<number + 1)
        }
        // The clock was a day ahead once.
        for (number, time) in [(1, 2_000), (2, 90_000), (3, 2_100), (4, 2_200), (5, 2_300)] as [(Int, UInt64)] {
            try await put(number, at: time)
        }
        // As by another process, which does not know what was flushed.
        await store.settle()
        _ = try await fileSystem.backUp()
        func plan(_ time: UInt64) throws -> UInt64 {
            try RestorePlan(.time(time), from: Backup(at: "B", fileSystem: fileSystem)).commitNumber
        }
        #expect(try plan(2_050) == 1)
        #expect(try plan(2_150) == 3)
        #expect(try plan(2_200) == 4)
        #expect(try plan(95_000) == 5)
        // Commit 6 is in no backup, and 5 was the last of one: a power cut might have taken it back.
        try await put(6, at: 3_100)
        try await put(7, at: 3_200)
        try await store.compact()
        try await put(8, at: 4_000)
        _ = try await store.backup(to: "B")
        #expect(try plan(2_200) == 4)
        for time in [2_201, 3_100] as [UInt64] {
            let error = #expect(throws: StorageError.self) { try plan(time) }
            let words = error.map { "\($0)" } ?? "nothing"
            #expect(
                words.contains("Commits 5 to 6 were never backed up") && words.contains("commit 4 or 7"), "\(words)")
        }
        #expect(try plan(3_200) == 7)
        #expect(try plan(4_000) == 8)
        try await store.close()
    }

    @Test func `damage behind the moment that is restored to keeps nothing back`() async throws {
        let fileSystem = SettableFileSystem()
        fileSystem.set(time: 1_000)
        let store = try fileSystem.openStore()
        for number in 1...6 {
            fileSystem.set(time: 1_000 + 100 * UInt64(number))
            try await store.put(number..<number + 1)
            _ = try await store.backup(to: "B")
        }
        let parts = try BackupManifest.read(inDirectory: "B", fileSystem).parts.filter { $0.kind == .log }
        let last = try #require(parts.last { $0.firstCommit >= 4 })
        var bytes = try fileSystem.base.bytes(of: "B/" + last.name)
        bytes[bytes.count - 10] ^= 1
        try fileSystem.base.replace("B/" + last.name, with: bytes)
        let backup = try Backup(at: "B", fileSystem: fileSystem)
        for (time, commit) in [(1_050, 0), (1_100, 1), (1_350, 3)] as [(UInt64, UInt64)] {
            #expect(try RestorePlan(.time(time), from: backup).commitNumber == commit)
        }
        #expect(throws: StorageError.self) { try RestorePlan(.time(1_600), from: backup) }
        try await store.close()
    }

    @Test func `a part that somebody has taken away, or cut, is copied again as long as the store has it`() async throws
    {
        for isCut in [false, true] {
            let fileSystem = MemoryFileSystem()
            let store = try fileSystem.openStore()
            for number in 0..<6 {
                try await store.put(number..<number + 1)
                if number % 2 == 0 { _ = try await store.backup(to: "B") }
            }
            let lost = try fileSystem.names(inDirectory: "B").filter { BackupPart.isPart($0) }.sorted()
            for name in lost {
                let copy = try fileSystem.copy()
                copy.createDirectory("B")
                for (name, bytes) in try fileSystem.image(of: "B") { try copy.replace("B/" + name, with: bytes) }
                if isCut {
                    try copy.replace("B/" + name, with: Array(try copy.bytes(of: "B/" + name).dropLast()))
                } else {
                    copy.remove("B/" + name)
                }
                let other = try copy.openStore()
                try await other.put(10..<20)
                _ = try await other.backup(to: "B")
                try Backup(at: "B", fileSystem: copy).verify()
                #expect(try await copy.restored().contents == other.version.strings(), "\(name)")
                try await other.close()
            }
            try await store.close()
        }
    }

    @Test func `a place within a store is none for a backup, and a directory there is nobody's leftover`() async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<1)
        for form in [BackupForm.file, .directory] {
            let error = await #expect(throws: StorageError.self) { try await store.backup(to: "A/B", as: form) }
            #expect(error?.refusal?.contains("A is a store") == true)
        }
        try await store.close()
        fileSystem.createDirectory("A/B.tmp", sharing: .owner)
        try fileSystem.replace("A/B.tmp/lock", with: [1])
        let again = try fileSystem.openStore()
        #expect(again.isWritable)
        try await again.close()
        #expect(try fileSystem.bytes(of: "A/B.tmp/lock") == [1])
    }

    /// The newest commit of each backup was given up by the next one, since nothing behind it in the log vouched for it.
    @Test func `every durable commit that was backed up can be restored, whatever is compacted later`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        var contents: [UInt64: [String: String]] = [:]
        for round in 0..<3 {
            for number in 0..<2 { try await store.put(4 * round + number..<4 * round + number + 1) }
            let report = try await store.backup(to: "B")
            #expect(report.commitNumber == store.version.commitNumber)
            contents[report.commitNumber] = try store.version.strings()
            // These are in no backup but the snapshot.
            for number in 2..<4 { try await store.put(4 * round + number..<4 * round + number + 1) }
            try await store.compact()
        }
        _ = try await store.backup(to: "B")
        for (commit, strings) in contents {
            #expect(try await fileSystem.restored(.commit(commit)).contents == strings)
        }
        try await store.close()
    }

    /// The log was said to be on the medium as far as the snapshot that did not get its name.
    @Test func `a rescue that fails brings nothing to the medium, and no backup is told so`() async throws {
        let fileSystem = FaultyFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<3)
        fileSystem.fail { call, path in
            switch call {
            case .flush where path.hasSuffix("log-0000000000000001"):
                .inputOutput(operation: "fsync", path: path, code: 5)
            case .rename where path.contains("snapshot-"): .inputOutput(operation: "rename", path: path, code: 5)
            default: nil
            }
        }
        await #expect(throws: StorageError.self) { try await store.put(3..<6) }
        fileSystem.fail(nil)
        let writer = try await store.openWriter()
        #expect(await writer.durableCommit()?.number == 1)
        try? await store.close()
    }

    @Test func `what a power cut took back of the store is given up by the next backup, and nothing else`() async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        let flushed = try fileSystem.copy()
        try await store.put(5..<6, .ordered)
        await store.settle()
        _ = try await store.backup(to: "B")
        // The sixth commit is gone, and another one has its number.
        for (name, bytes) in try fileSystem.image(of: "B") {
            flushed.createDirectory("B")
            try flushed.replace("B/" + name, with: bytes)
        }
        let other = try flushed.openStore()
        #expect(other.version.commitNumber == 5)
        try await other.put(70..<80)
        let report = try await other.backup(to: "B")
        #expect(report.commitNumber == 6 && report.isIncrement)
        #expect(try await flushed.restored().contents == other.version.strings())
        try await other.close()
    }
}
