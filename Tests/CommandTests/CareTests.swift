import BookDB
import Foundation
import Testing

@Suite struct CareTests {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "400").status == 0)
    }

    @Test func `verify finds a sound library sound`() throws {
        let run = try CommandRun("verify", library, "--json")
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["schema"] as? String == "bookdb.verify/1")
        #expect(document["sound"] as? Bool == true)
        let checks = try #require(document["checks"] as? [[String: Any]])
        #expect(!checks.isEmpty && checks.allSatisfy { $0["ok"] as? Bool == true })
        #expect(try CommandRun("verify", library).output.contains("is sound"))
    }

    @Test func `verify ends with 1 when a byte of the snapshot has changed`() throws {
        #expect(try CommandRun("compact", library).status == 0)
        try changeBytes(ofLargestFileIn: library)
        let run = try CommandRun("verify", library, "--json")
        #expect(run.status == 1)
        #expect(try run.document()["sound"] as? Bool == false)
        let words = try CommandRun("verify", library)
        #expect(words.status == 1)
        #expect(words.output.contains("✗"))
    }

    @Test func `inspect tells counts, files and trees`() throws {
        let run = try CommandRun("inspect", library, "--json")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("{\"schema\":\"bookdb.inspect/1\""))
        let document = try run.document()
        #expect((document["counts"] as? [String: Any])?["works"] as? Int == 400)
        #expect((document["files"] as? [[String: Any]])?.isEmpty == false)
        #expect((document["trees"] as? [[String: Any]])?.isEmpty == false)
        let words = try CommandRun("inspect", library, "--trees").output
        #expect(words.contains("400 works") && words.contains("WHERE THE BYTES WENT"))
        // The path of the library is as long as it is.
        let lines = words.split(separator: "\n").filter { !$0.contains(library) }
        #expect(lines.count > 20 && lines.allSatisfy { $0.count <= 90 })
    }

    @Test func `inspect tells of launches, and that none was noted`() throws {
        let words = try CommandRun("inspect", library, "--launches")
        #expect(words.status == 0 && words.output.contains("launch.firstFrame()"))
        let run = try CommandRun("inspect", library, "--launches", "--json")
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["schema"] as? String == "bookdb.launches/1" && document["standsOut"] as? Bool == false)
        #expect(try CommandRun("inspect", folder.path("None.bookdb"), "--launches").status == 66)
    }

    @Test func `inspect tells what the jobs of the newest launch did, and when there was something to read`()
        async throws
    {
        let store = try BookStore(at: library)
        store.launch.afterFirstFrame("suggestions") { "3 works to read" }
        store.launch.firstFrame()
        await store.launch.finished()
        try await store.close()
        let words = try CommandRun("inspect", library, "--launches").output
        #expect(words.contains("readable") && words.contains("suggestions") && words.contains("3 works to read"))
        #expect(words.contains("compaction") && words.split(separator: "\n").allSatisfy { $0.count <= 90 })
        let document = try CommandRun("inspect", library, "--launches", "--json").document()
        let launch = try #require((document["launches"] as? [[String: Any]])?.last)
        #expect(launch["firstReadableNanoseconds"] is Int && launch["firstReadNanoseconds"] is NSNull)
        let jobs = try #require(launch["afterFirstFrame"] as? [[String: Any]])
        let own = try #require(jobs.first { $0["name"] as? String == "suggestions" })
        #expect(own["state"] as? String == "succeeded" && own["outcome"] as? String == "3 works to read")
    }

    @Test func `inspect tells what happened to a library, the newest first`() throws {
        #expect(try CommandRun("compact", library).status == 0)
        let words = try CommandRun("inspect", library).output
        let events = words.split(separator: "\n").drop { !$0.hasPrefix("HISTORY") }.dropFirst().prefix {
            $0.hasPrefix("  ")
        }
        #expect(events.first?.hasPrefix("  closed") == true && events.contains { $0.hasPrefix("  opened") }, "\(words)")
        let history = try #require(
            try CommandRun("inspect", library, "--json").document()["history"] as? [[String: Any]])
        #expect(history.first?["kind"] as? String == "opened" && history.last?["kind"] as? String == "closed")
        #expect(history.allSatisfy { ($0["process"] as? Int ?? 0) > 0 })
    }

    @Test func `compact keeps every record and a dry run changes nothing`() throws {
        let before = try CommandRun("export", library, "--format", "jsonl").output
        let files = try contents(of: library)
        let dry = try CommandRun("compact", library, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("Nothing was changed."))
        #expect(try contents(of: library) == files)
        let run = try CommandRun("compact", library, "--json")
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["schema"] as? String == "bookdb.compact/1")
        #expect(document["bytesBefore"] is Int && document["bytesAfter"] is Int)
        #expect(try CommandRun("export", library, "--format", "jsonl").output == before)
        #expect(try CommandRun("verify", library).status == 0)
    }

    private func contents(of folder: String) throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            sizes[name] = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int
        }
        return sizes
    }

    /// Inverts some bytes in every page of the library's largest file.
    private func changeBytes(ofLargestFileIn folder: String) throws {
        let name = try #require(try contents(of: folder).max { $0.value < $1.value }?.key)
        let url = URL(fileURLWithPath: "\(folder)/\(name)")
        var bytes = try Data(contentsOf: url)
        for offset in stride(from: 12288 + 100, to: bytes.count, by: 4096) { bytes[offset] ^= 0xFF }
        try bytes.write(to: url)
    }
}
