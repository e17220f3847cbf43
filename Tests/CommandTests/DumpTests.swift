import Foundation
import Testing

@Suite struct DumpTests {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "400", "--seed", "5").status == 0)
        #expect(try CommandRun("compact", library).status == 0)
    }

    @Test func `a header is both superblocks and the head of the log`() throws {
        let run = try CommandRun("dump", library, "header")
        #expect(run.status == 0 && run.talk.isEmpty)
        #expect(run.output.components(separatedBy: "magic \"BOOKDBSN\"").count == 3)
        #expect(run.output.contains("magic \"BOOKDBLG\""))
        #expect(run.output.contains("name \"author-order\""))
    }

    @Test func `a node is the page at its place, and the root by default`() throws {
        let root = try CommandRun("dump", library, "node", "title").output
        #expect(root.contains("tree \"title\", level 1, 0 is page 2\n"))
        #expect(root.contains("kind 2 (branch)") && root.contains("as in the catalogue"))
        let leaf = try CommandRun("dump", library, "node", "title:0").output
        #expect(leaf.contains("kind 1 (leaf)") && leaf.contains("as in page 2"))
        let number = try #require(leaf.firstMatch(of: /level 0, 0 is page (\d+)/)?.1)
        let page = try CommandRun("dump", library, "page", String(number)).output
        #expect(leaf.hasSuffix(page.split(separator: "\n", maxSplits: 1)[1]), "the same page by its number")
        #expect(try CommandRun("dump", library, "node", "1:1:0").output == root, "a tree has a number too")
        for node in ["title:9999", "title:7:0", "titel"] {
            let run = try CommandRun("dump", library, "node", node)
            #expect(run.status == 66 && run.output.isEmpty && run.talk.contains("→"), "\(node)")
        }
    }

    @Test func `a record is its fields, its row and where they lie`() throws {
        let page = try CommandRun("ls", library, "--limit", "1", "--json").document()
        let item = try #require((page["items"] as? [[String: Any]])?.first)
        let id = try #require(item["id"] as? String)
        let run = try CommandRun("dump", library, "record", id)
        #expect(run.status == 0)
        #expect(run.output.contains("record of work \(id), "))
        #expect(run.output.contains("tag 1, wire type 2: title \"\(try #require(item["title"] as? String))"))
        #expect(run.output.contains("list row of work \(id), facets"))
        #expect(run.output.contains(/in page \d+, slot \d+, byte \d+ of .*snapshot-/))
        let absent = try CommandRun("dump", library, "record", "000001-99999")
        #expect(absent.status == 66 && absent.talk.contains("has no record of 000001-99999"))
    }

    @Test func `a record that is only in the log is found in its commit`() throws {
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        #expect(try CommandRun("import", library, file).status == 0)
        let log = try CommandRun("dump", library, "log")
        #expect(log.status == 0 && log.output.contains("behind commit"))
        let commits = log.output.matches(of: /\ncommit (\d+) at \d+\n/).map { String($0.1) }
        let commit = try #require(commits.first)
        let one = try CommandRun("dump", library, "log", commit)
        #expect(one.output.contains("\ncommit \(commit) at ") && !one.output.contains("sequence"))
        #expect(try CommandRun("dump", library, "log", "1").status == 66, "the snapshot has it")
        let page = try CommandRun("ls", library, "--sort", "added", "--limit", "400", "--json").document()
        let ids = try #require(page["items"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        let newest = try #require(ids.max { $0.count == $1.count ? $0 < $1 : $0.count < $1.count })
        let record = try CommandRun("dump", library, "record", newest)
        #expect(record.status == 0)
        #expect(record.output.contains(/in commit \d+, operation \d+, frame at byte \d+ of .*log-/))
    }

    @Test func `a damaged library is dumped with what does not fit, and ends with 1`() throws {
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: library).first { $0.hasPrefix("snapshot-") })
        let url = URL(fileURLWithPath: library).appendingPathComponent(name)
        let original = try Data(contentsOf: url)

        var bytes = original
        bytes[8192 + 200] ^= 0x10
        try bytes.write(to: url)
        let page = try CommandRun("dump", library, "page", "2")
        #expect(page.status == 1 && page.output.contains("\n✗ the catalogue says "))
        #expect(page.talk.contains("→ bookdb verify"))

        bytes = original
        bytes[8192] = 7
        try bytes.write(to: url)
        let branch = try CommandRun("dump", library, "page", "2")
        #expect(branch.status == 1 && branch.output.contains("✗ kind 7 is no page"))
        let lost = try CommandRun("dump", library, "node", "title:0")
        #expect(lost.status == 66 || lost.output.contains("✗ page 2, a branch, cannot be read"))

        bytes = original
        bytes[20] ^= 1
        bytes[bytes.count - 4096 + 20] ^= 1
        try bytes.write(to: url)
        let header = try CommandRun("dump", library, "header")
        #expect(header.status == 1 && header.output.contains("✗ neither superblock is sound"))
        #expect(try CommandRun("dump", library, "page", "4").status == 1)
        #expect(try CommandRun("dump", library, "node", "title").status == 66)
        #expect(try CommandRun("dump", library, "record", "000001-1").status == 1)

        try original.prefix(5000).write(to: url)
        for part in [["header"], ["page", "0"], ["page", "1"], ["log"], ["record", "000001-1"]] {
            let run = try CommandRun(arguments: ["dump", library] + part)
            #expect(!run.wasKilled && [0, 1, 66].contains(run.status), "\(part): \(run.status)")
        }
    }
}
