import BookDB
import Foundation
import Testing

@testable import BookDBCommand

/// `bookdb log`: what the log of a library still holds.
@Suite struct LogTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let kinds = #"""
        {"type":"kind","kind":"Account","fields":[{"number":1,"name":"name","type":"text"}]}
        {"type":"record","kind":"Account","id":"000009-1","fields":{"name":"Savings"}}
        {"type":"record","kind":"Account","id":"000009-2","fields":{"name":"House"}}

        """#

    private func taking(_ lines: String, into library: String) throws {
        let file = try folder.file("\(UUID()).jsonl", lines)
        let run = try CommandRun("import", library, file)
        #expect(run.status == 0, "\(run.talk)")
    }

    private func account(_ number: Int, _ name: String) -> String {
        #"{"type":"record","kind":"Account","id":"000009-\#(number)","fields":{"name":"\#(name)"}}"# + "\n"
    }

    private func logFile(of library: String) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: library).filter { $0.hasPrefix("log-") }
        return URL(fileURLWithPath: "\(library)/\(try #require(names.max()))")
    }

    /// Changes a bit where a text begins.
    private func rot(_ text: String, in library: String) throws {
        let url = try logFile(of: library)
        var bytes = try Data(contentsOf: url)
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: url)
    }

    @Test func `a library of kinds alone shows its commits, newest first`() throws {
        let library = folder.path("K.bookdb")
        try taking(Self.kinds, into: library)
        try taking(account(3, "Car"), into: library)
        let run = try CommandRun("log", library)
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("COMMIT") && lines[1].contains("1 Account inserted"), "\(run.output)")
        #expect(
            lines[2].contains("2 Account inserted")
                && run.talk.contains("2 commits; the log goes back to the library's first."))
        let changes = try CommandRun("log", library, "--changes", "--limit", "1")
        #expect(changes.output.contains("inserted  Account  000009-3  name Car"), "\(changes.output)")
        #expect(!changes.output.contains("000009-1") && changes.talk.contains("1 of 2 commits"), "\(changes.talk)")
        #expect(changes.output.allSatisfy { $0 != "\u{1B}" })
    }

    @Test func `a commit is shown with what its app calls it, and with the one that it takes back`() async throws {
        let library = folder.path("U.bookdb")
        let store = try BookStore(at: library, undo: .on)
        try await store.write { library in
            library.commitName = "Add\u{7} “Dune”"
            try library.insert(Work("Dune"))
        }
        try await store.undo()
        try await store.close()
        let table = try CommandRun("log", library)
        let lines = table.output.split(separator: "\n")
        #expect(lines[1].contains("1 work deleted") && lines[1].contains("undoes 1 “"), "\(table.output)")
        #expect(lines[2].contains("1 work inserted") && lines[2].contains("“Dune”"), "\(table.output)")
        #expect(table.output.allSatisfy { $0 != "\u{7}" })
        let changes = try CommandRun("log", library, "--changes", "--limit", "1")
        #expect(changes.output.contains("undoes 1") && changes.output.contains("deleted"), "\(changes.output)")
        let document = try CommandRun("log", library, "--json").document()
        let commits = try #require(document["commits"] as? [[String: Any]])
        #expect(commits[0]["undoes"] as? Int == 1 && commits[1]["undoes"] == nil)
        #expect(commits.map { $0["name"] as? String } == ["Add\u{7} “Dune”", "Add\u{7} “Dune”"])
    }

    @Test func `books and kinds are in one log, and derived trees are in none`() throws {
        let library = folder.path("B.bookdb")
        #expect(try CommandRun("seed", library, "--works", "20").status == 0)
        try taking(Self.kinds, into: library)
        let document = try CommandRun("log", library, "--json", "--changes").document()
        #expect(document["schema"] as? String == "bookdb.log/1" && document["total"] as? Int == 2)
        let commits = try #require(document["commits"] as? [[String: Any]])
        #expect(commits.map { $0["commit"] as? Int } == [2, 1])
        let records = try #require(commits[1]["records"] as? [[String: Any]])
        #expect(Set(records.compactMap { $0["kind"] as? String }) == ["work", "edition", "author", "entry"])
        #expect(records.first { $0["kind"] as? String == "work" }?["count"] as? Int == 20)
        let changes = try #require(commits[0]["changes"] as? [[String: Any]])
        #expect(changes.map { $0["text"] as? String } == ["name Savings", "name House"])
        #expect((document["end"] as? [String: Any])?["state"] as? String == "clean")
        let lines = try CommandRun("log", library, "--jsonl").documents()
        #expect(lines.map { $0["event"] as? String } == ["commit", "commit", "end"])
        let words = try CommandRun("log", library).output
        #expect(words.contains("20 works") && !words.contains("title"), "\(words)")
        let first = try CommandRun("log", library, "--changes").output.split(separator: "\n")
        let shown = first.filter { $0.hasPrefix("  inserted  ") }
        #expect(shown.count == 22, "a screen of the commit that filled the library, and all of the other")
        #expect(first.last?.hasPrefix("  and ") == true && first.last?.hasSuffix(" more; --jsonl has all") == true)
    }

    @Test func `what a compaction took out of the log is said to be in the snapshot`() throws {
        let library = folder.path("C.bookdb")
        try taking(Self.kinds, into: library)
        #expect(try CommandRun("compact", library).status == 0)
        let empty = try CommandRun("log", library)
        #expect(empty.status == 0 && empty.output.isEmpty)
        #expect(empty.talk.contains("The log holds no commits; older commits are in the snapshot of commit 1"))
        try taking(account(1, "Savings") + account(4, "Boat"), into: library)
        let run = try CommandRun("log", library, "--changes")
        #expect(run.output.contains("inserted  Account  000009-4") && run.talk.contains("snapshot of commit 1"))
    }

    @Test func `since takes a commit, a day, a time and so long ago`() throws {
        let library = folder.path("S.bookdb")
        for number in 1...4 { try taking(Self.kinds + account(number + 2, "n\(number)"), into: library) }
        func numbers(_ since: String) throws -> [Int] {
            let document = try CommandRun("log", library, "--since", since, "--json").document()
            return try #require(document["commits"] as? [[String: Any]]).compactMap { $0["commit"] as? Int }
        }
        #expect(try numbers("2") == [4, 3] && numbers("0") == [4, 3, 2, 1] && numbers("9").isEmpty)
        #expect(try numbers("1 hour ago") == [4, 3, 2, 1] && numbers("2999-01-01").isEmpty)
        #expect(try numbers("2020-01-01T10:00") == [4, 3, 2, 1])
        for wrong in ["yesterday", "2 moons ago", "2026-13-01", "-3 days ago", "2026-01-01T25:00"] {
            let run = try CommandRun("log", library, "--since=\(wrong)")
            #expect(run.status == 64 && run.talk.contains("is no commit and no moment"), "\(wrong): \(run.talk)")
        }
        let now = Date(timeIntervalSince1970: 1_000_000)
        #expect(try LogStart("90 seconds ago", now: now) == .moment(now.addingTimeInterval(-90)))
        #expect(try LogStart("1970-01-02T01:30:05Z", now: now) == .moment(Date(timeIntervalSince1970: 91_805)))
    }

    @Test func `a damaged log shows what precedes the damage, names the place and ends with 1`() throws {
        let library = folder.path("D.bookdb")
        try taking(Self.kinds, into: library)
        try taking(account(3, "Car"), into: library)
        try taking(account(4, "Boat"), into: library)
        try rot("Car", in: library)
        let run = try CommandRun("log", library)
        #expect(run.status == 1 && run.output.contains("2 Account inserted"), "\(run.output)")
        #expect(run.output.contains(/DAMAGE  byte [\d ]+ of log-/) && run.talk.contains("→ bookdb repair"))
        let document = try CommandRun("log", library, "--json")
        let end = try document.document()["end"] as? [String: Any]
        #expect(document.status == 1 && end?["state"] as? String == "damaged")
        #expect((end?["finding"] as? String)?.contains("durable once") == true)
        #expect(try CommandRun("log", library, "--follow").status == 1, "there is nothing to follow")
        // What answers as of the commit before says so to whoever looks at nothing but the status: a damaged library was the same as its older
        // copy.
        let copy = folder.path("E.bookdb")
        try FileManager.default.copyItem(atPath: library, toPath: copy)
        for arguments in [["diff", library, copy], ["ls", library], ["export", library, "--format", "jsonl"]] {
            let run = try CommandRun(arguments: arguments)
            #expect(
                run.status == 1 && run.talk.contains("is damaged, and what follows is as of commit"), "\(arguments)")
        }
    }

    /// A library of books whose second commit, of three, has rotted: that declared a kind.
    private func rotten() throws -> String {
        let library = folder.path("\(UUID()).bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        #expect(try CommandRun("import", library, file).status == 0)
        try taking(Self.kinds, into: library)
        try taking(account(3, "Boat"), into: library)
        try rot("Savings", in: library)
        return library
    }

    @Test(arguments: ["compact", "reindex"])
    func `a dry run on a damaged log ends as the command would`(command: String) throws {
        let library = try rotten()
        let dry = try CommandRun(command, library, "-n")
        let run = try CommandRun(command, library)
        #expect(run.status == 65 && run.output.isEmpty && run.talk.contains("damaged"), "\(run.talk)")
        #expect(dry.status == 65 && dry.output.isEmpty && dry.talk == run.talk, "\(dry.talk)")
        #expect(try CommandRun(command, library, "-n", "--json").status == 65)
    }

    /// `help exit-codes` says 1 of what is answered as of an earlier commit, and such an answer was 66.
    @Test func `what is not found as of an earlier commit may be in what was lost`() throws {
        let library = try rotten()
        let lost = "It may be in what the log has lost."
        for arguments in [["get", library, "000009-1"], ["search", library, "x", "--kind", "Account"]] {
            let run = try CommandRun(arguments: arguments)
            #expect(run.status == 1 && run.talk.contains(lost), "\(run.talk)")
        }
        let list = try CommandRun("ls", library, "--kind", "Account")
        #expect(list.status == 1 && list.talk.contains(lost), "\(list.talk)")
        #expect(list.talk.contains("none has as far as the log can be read"), "\(list.talk)")
        #expect(try CommandRun("diff", library, folder.path("None.bookdb")).status == 66)
    }

    @Test func `a torn log is said to be torn, which is no damage`() throws {
        let library = folder.path("T.bookdb")
        try taking(Self.kinds, into: library)
        let url = try logFile(of: library)
        let bytes = try Data(contentsOf: url)
        let used = try #require(bytes.lastIndex { $0 != 0 }) + 1
        let end = (used + 7) / 8 * 8
        try (bytes.prefix(used) + Data(count: end - used) + Data("BDFR, half a frame".utf8)).write(to: url)
        let run = try CommandRun("log", library)
        #expect(run.status == 0 && run.output.contains("2 Account inserted"))
        #expect(
            run.output.contains("write that is not finished, from byte") && run.output.contains("No commit needs them.")
        )
    }

    @Test func `a follower beside a writer shows each commit once, across a compaction`() async throws {
        let library = folder.path("F.bookdb")
        try taking(Self.kinds, into: library)
        let output = folder.path("followed")
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        let follower = Process()
        follower.executableURL = BuiltCommand.url
        follower.arguments = ["log", library, "--follow", "--json", "--changes"]
        follower.standardOutput = FileHandle(forWritingAtPath: output)
        follower.standardError = FileHandle.nullDevice
        follower.standardInput = FileHandle.nullDevice
        try follower.run()
        defer { follower.terminate() }
        func documents() throws -> [[String: Any]] {
            try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").compactMap {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }
        func expectCount(_ count: Int) async throws {
            for _ in 0..<12_000 where try documents().count < count { try await Task.sleep(for: .milliseconds(50)) }
            #expect(try documents().count == count)
        }
        try await expectCount(1)
        try taking(account(3, "Car"), into: library)
        try await expectCount(2)
        #expect(try CommandRun("compact", library).status == 0)
        try taking(account(4, "Boat"), into: library)
        try await expectCount(3)
        #expect(try documents().map { $0["commit"] as? Int } == [1, 2, 3])
        let changes = try documents().last?["changes"] as? [[String: Any]]
        #expect(changes?.map { $0["id"] as? String } == ["000009-4"])
        follower.interrupt()
        follower.waitUntilExit()
        #expect(follower.terminationReason == .exit && follower.terminationStatus == 130)
    }

    @Test func `a library that is not there has no log, and a limit is a number from 1 on`() throws {
        let absent = try CommandRun("log", folder.path("none.bookdb"))
        #expect(absent.status == 66 && absent.talk.contains("→"), "\(absent.talk)")
        #expect(try CommandRun("log", folder.path("none.bookdb"), "--limit", "0").status == 64)
        #expect(try CommandRun("log", folder.path("none.bookdb"), "--json", "--jsonl").status == 64)
    }
}
