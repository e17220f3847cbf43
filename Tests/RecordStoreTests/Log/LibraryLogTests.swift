import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// The log of a library in terms of records, read without opening it.
@Suite struct LibraryLogTests {
    private let fileSystem = MemoryFileSystem()
    private static let path = DamageableLibrary.path

    private func open() throws -> RecordLibrary {
        try RecordLibrary(at: Self.path, fileSystem: fileSystem, device: 0xB00C)
    }

    private func log() throws -> LibraryLog { try RecordLibrary.log(at: Self.path, fileSystem: fileSystem) }

    /// `inserted LedgerAccount 00b00c-1 name Savings`, and so on, a line a change.
    private func words(_ commits: [LoggedCommit]) -> [String] {
        commits.map { commit in
            let changes = commit.changes.map { "\($0.what) \($0.kind) \($0.id) \($0.text)" }
            return "\(commit.number): " + changes.joined(separator: "; ")
        }
    }

    @Test func `a log says which records each commit inserted, updated and deleted`() async throws {
        let store = try open()
        let savings = try await store.insert(LedgerAccount(name: "Savings"))
        try await store.update(savings) { $0.name = "Reserve" }
        try await store.write { library in
            let other = try library.insert(LedgerAccount(name: "Other"))
            try library.insert(LedgerTransfer(account: other, amount: 5, note: "Rent"))
            try library.delete(savings)
        }
        var log = try log()
        let commits = try log.commits()
        #expect(
            words(commits) == [
                "1: inserted LedgerAccount 00b00c-1 name Savings",
                "2: updated LedgerAccount 00b00c-1 name Reserve",
                "3: inserted LedgerAccount 00b00c-2 name Other; "
                    + "inserted LedgerTransfer 00b00c-3 account 00b00c-2, date 1970-01-01, amount 5.00, note Rent, "
                    + "method cash, isPending false; deleted LedgerAccount 00b00c-1 name Reserve",
            ])
        #expect(
            commits[2].counts.map { "\($0.kind) \($0.what) \($0.count)" } == [
                "LedgerAccount inserted 1", "LedgerAccount deleted 1", "LedgerTransfer inserted 1",
            ])
        #expect(log.end == .clean && log.snapshotCommit == 0 && log.heads.map(\.number) == [1, 2, 3])
        #expect(commits.allSatisfy { $0.byteCount > 0 && $0.byteCount.isMultiple(of: 8) })
        #expect(try words(log.commits(1..<2)) == [words(commits)[1]], "some commits are the same by themselves")
        try await store.close()
    }

    @Test func `what the snapshot has tells an update from an insertion`() async throws {
        let store = try open()
        let savings = try await store.insert(LedgerAccount(name: "Savings"))
        let other = try await store.insert(LedgerAccount(name: "Other"))
        try await store.compact()
        try await store.update(savings) { $0.name = "Reserve" }
        try await store.delete(other)
        try await store.insert(LedgerAccount(name: "Third"))
        try await store.close()
        var log = try log()
        #expect(log.snapshotCommit == 2 && log.snapshotDate != nil)
        #expect(
            try words(log.commits()) == [
                "3: updated LedgerAccount 00b00c-1 name Reserve", "4: deleted LedgerAccount 00b00c-2 name Other",
                "5: inserted LedgerAccount 00b00c-3 name Third",
            ])

        let library = DamageableLibrary(fileSystem: fileSystem)
        let snapshot = try library.snapshotPath
        try library.flip(20, of: snapshot)
        try library.flip(library.bytes(of: snapshot).count - 4096 + 20, of: snapshot)
        var unknown = try self.log()
        #expect(unknown.snapshotDate == nil)
        guard case .damaged(let file, _, _) = unknown.end else {
            Issue.record("a snapshot that cannot be read is damage")
            return
        }
        #expect(file == snapshot)
        let commits = try unknown.commits()
        #expect(commits.map { $0.changes.map(\.what) } == [[.written], [.deleted], [.written]])
    }

    @Test func `a torn tail hides no commit`() async throws {
        let store = try open()
        for number in 0..<3 { try await store.insert(LedgerAccount(name: "n\(number)")) }
        // As a crash leaves it: no closing mark, and the beginning of a write.
        let library = try DamageableLibrary(fileSystem: fileSystem).copy()
        try await store.close()
        let path = try library.logPath
        let file = try library.fileSystem.openFile(path, .writing)
        let used = try #require(try library.bytes(of: path).lastIndex { $0 != 0 }) + 1
        let end = (used + 7) / 8 * 8
        let torn = Array("BDFR and a half".utf8)
        try torn.withUnsafeBytes { try file.write($0, at: end) }
        var log = try RecordLibrary.log(at: Self.path, fileSystem: library.fileSystem)
        #expect(log.end == .torn(file: path, byteOffset: end, byteCount: torn.count))
        #expect(try log.commits().count == 3)
    }

    @Test func `a damaged frame ends the log where it lies`() async throws {
        let store = try open()
        for number in 0..<5 { try await store.insert(LedgerAccount(name: "n\(number)")) }
        try await store.close()
        let library = DamageableLibrary(fileSystem: fileSystem)
        let path = try library.logPath
        let bytes = try library.bytes(of: path)
        let name = try #require((0..<bytes.count - 2).first { Array(bytes[$0..<$0 + 2]) == Array("n3".utf8) })
        try library.flip(name, of: path)
        var log = try log()
        guard case .damaged(_, let byteOffset, let finding) = log.end else {
            Issue.record("\(log.end)")
            return
        }
        #expect(byteOffset < name && finding.contains("commits 4 to 5 were durable once"), "\(finding)")
        #expect(try log.commits().map(\.number) == [1, 2, 3])
    }

    @Test func `a commit that changes no record has no changes`() async throws {
        let store = try open()
        try await store.insert(LedgerTransfer(amount: 1))
        try await store.transact { (library) throws(LibraryError) in
            try library.apply { (transaction) throws(LibraryError) in
                for order in try transaction.orders(ofKind: "LedgerTransfer") {
                    try transaction.store(order, ofKind: Array("LedgerTransfer".utf8))
                }
            }
        }
        try await store.close()
        var log = try log()
        let commits = try log.commits()
        #expect(commits.count > 1 && commits.dropFirst().allSatisfy(\.changes.isEmpty), "\(words(commits))")
    }

    @Test func `a follower reads through compactions and names what is in no log`() async throws {
        let store = try open()
        try await store.insert(LedgerAccount(name: "before"))
        var log = try log()
        #expect(try log.follow().isEmpty, "what the log had is not new")
        let id = try await store.insert(LedgerAccount(name: "first"))
        #expect(try told(log.follow()) == ["2: inserted LedgerAccount 00b00c-2 name first"])
        try await store.compact()
        try await store.update(id) { $0.name = "second" }
        #expect(try told(log.follow()) == ["3: updated LedgerAccount 00b00c-2 name second"])
        try await store.delete(id)
        try await store.insert(LedgerAccount(name: "third"))
        #expect(
            try told(log.follow()) == [
                "4: deleted LedgerAccount 00b00c-2 name second", "5: inserted LedgerAccount 00b00c-3 name third",
            ])
        // Two segments further: what was between is in the snapshot alone.
        try await store.insert(LedgerAccount(name: "fourth"))
        try await store.compact()
        try await store.insert(LedgerAccount(name: "fifth"))
        try await store.compact()
        try await store.insert(LedgerAccount(name: "sixth"))
        #expect(
            try told(log.follow()) == [
                "6: inserted LedgerAccount 00b00c-4 name fourth", "7 to 7",
                "8: inserted LedgerAccount 00b00c-6 name sixth",
            ])
        #expect(try log.follow().isEmpty && log.heads.map(\.number) == [1, 2, 3, 4, 5, 6, 8])
        // What was passed over is there all the same: it was told as inserted when it changed, and not at all when it went.
        let fifth = ID<LedgerAccount>(device: 0xB00C, counter: 5)
        try await store.update(fifth) { $0.name = "changed" }
        try await store.delete(fifth)
        #expect(
            try told(log.follow()) == [
                "9: updated LedgerAccount 00b00c-5 name changed", "10: deleted LedgerAccount 00b00c-5 name changed",
            ])
        try await store.close()
        #expect(try log.follow().isEmpty, "a closing mark is no commit")
    }

    /// The segment that had it was let go, and removed.
    @Test func `a follower tells what a record was that is deleted behind a compaction`() async throws {
        let store = try open()
        var log = try log()
        var ids: [ID<LedgerAccount>] = []
        for name in ["one", "two", "three"] { ids.append(try await store.insert(LedgerAccount(name: name))) }
        _ = try log.follow()
        for (id, name) in zip(ids, ["one", "two", "three"]) {
            try await store.compact()
            try await store.insert(LedgerAccount(name: "beside \(name)"))
            _ = try log.follow()
            try await store.delete(id)
            let told = try told(log.follow())
            #expect(told.count == 1 && told[0].hasSuffix("deleted LedgerAccount \(id) name \(name)"), "\(told)")
        }
        #expect(try words(log.commits()).last?.hasSuffix("name three") == true)
        try await store.close()
    }

    /// Behind the snapshot that it rested on came one of commits in no log, before it had taken another.
    @Test func `a follower tells of what came between a compaction and a gap what was there before`() async throws {
        let store = try open()
        let id = try await store.insert(LedgerAccount(name: "early"))
        var log = try log()
        try await store.insert(LedgerAccount(name: "first"))
        try await store.compact()
        #expect(try told(log.follow()).count == 1)
        try await store.delete(id)
        try await store.compact()
        try await store.insert(LedgerAccount(name: "unseen"))
        try await store.compact()
        #expect(try told(log.follow()) == ["3: deleted LedgerAccount \(id) name early", "4 to 4"])
        try await store.close()
    }

    /// What followed a gap was put under what came before it.
    @Test func `a follower that has taken nothing yet tells what came before a gap and behind it`() async throws {
        let store = try open()
        let early = try await store.insert(LedgerAccount(name: "early"))
        let brief = try await store.insert(LedgerAccount(name: "brief"))
        try await store.delete(brief)
        var log = try log()
        let id = try await store.insert(LedgerAccount(name: "first"))
        try await store.compact()
        try await store.update(early) { $0.name = "late" }
        try await store.compact()
        #expect(try told(log.follow()) == ["4: inserted LedgerAccount \(id) name first", "5 to 5"])
        #expect(try log.follow().isEmpty)
        try await store.delete(early)
        #expect(try told(log.follow()) == ["6: deleted LedgerAccount \(early) name late"])
        #expect(log.snapshotDate != nil && log.snapshotCommit == 0)
        // One that begins behind a gap has nothing from before it.
        var other = try self.log()
        try await store.insert(LedgerAccount(name: "more"))
        try await store.compact()
        try await store.update(id) { $0.name = "second" }
        try await store.compact()
        try await store.update(id) { $0.name = "third" }
        #expect(
            try told(other.follow()).suffix(2) == ["8 to 8", "9: updated LedgerAccount \(id) name third"])
        // What a compaction has removed is left out of what is asked for again, and the rest is told as it was.
        #expect(try words(other.commits()).last == "9: updated LedgerAccount \(id) name third")
        #expect(try words(log.commits()) == ["6: deleted LedgerAccount \(early) name late"])
        try await store.close()
    }

    @Test func `a follower goes on in the library that a restore puts in the place of its own`() async throws {
        let store = try open()
        try await store.insert(LedgerAccount(name: "kept"))
        try await store.backup(to: "B")
        for name in ["first", "second"] { try await store.insert(LedgerAccount(name: name)) }
        var log = try log()
        try await store.insert(LedgerAccount(name: "third"))
        try await store.restore(from: "B")
        let id = try await store.insert(LedgerAccount(name: "behind"))
        #expect(try told(log.follow()) == ["4: inserted LedgerAccount 00b00c-4 name third"])
        #expect(try told(log.follow()) == ["restored"])
        #expect(log.heads.map(\.number) == [2], "what was written before it was asked is among the heads")
        try await store.update(id) { $0.name = "changed" }
        #expect(try told(log.follow()) == ["3: updated LedgerAccount \(id) name changed"])
        try await store.close()
    }

    private func told(_ news: [LibraryLog.News]) -> [String] {
        news.flatMap { item in
            switch item {
            case .commit(let commit): words([commit])
            case .passedOver(let numbers): ["\(numbers.lowerBound) to \(numbers.upperBound)"]
            case .replaced: ["restored"]
            }
        }
    }
}
