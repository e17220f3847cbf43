import Foundation
import Testing

/// `repair`, `reindex`, and what `verify` and `export` say of damage.
@Suite struct RepairTests {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "120").status == 0)
        #expect(try CommandRun("compact", library).status == 0)
    }

    @Test func `verify names the list's damage and reindex puts it right`() throws {
        let page = try page(in: "index.title", from: 3)
        let run = try CommandRun("verify", library)
        #expect(run.status == 1)
        #expect(run.output.contains("DAMAGE  page \(page), bytes "))
        #expect(run.output.contains("inside the list by title, “"))
        #expect(run.output.contains("nothing is lost: it is made from the records, and they are all sound"))
        #expect(run.output.contains("– list rows    not checked below the damage"))
        #expect(run.talk == "→ bookdb reindex \(library) --only title\n")
        #expect(run.output.split(separator: "\n").filter { !$0.contains(library) }.allSatisfy { $0.count <= 90 })

        let place = try damage()
        #expect(place["part"] as? String == "index.title" && place["recordsLost"] as? Int == 0)
        #expect(place["page"] as? Int == page && place["offset"] as? Int == page * 4096)
        #expect(place["length"] as? Int == 4096 && place["fix"] as? [String] == ["reindex", "--only", "title"])
        #expect((place["file"] as? String)?.hasPrefix(library) == true)

        let before = try contents()
        let dry = try CommandRun("reindex", library, "--only", "title", "-n")
        #expect(dry.status == 0 && dry.output.contains("Nothing was changed."))
        #expect(try contents() == before)
        let reindex = try CommandRun("reindex", library, "--only", "title")
        #expect(reindex.status == 0 && reindex.output.contains("title           120  the list by title"))
        #expect(try CommandRun("verify", library).status == 0)
    }

    @Test func `reindex knows its trees`() throws {
        let near = try CommandRun("reindex", library, "--only", "titel")
        #expect(near.status == 64 && near.talk.contains("Did you mean 'title'?"))
        let none = try CommandRun("reindex", library, "--only", "works")
        #expect(none.status == 64 && none.talk.contains("author-order"))
        let document = try CommandRun("reindex", library, "--json").document()
        #expect(document["schema"] as? String == "bookdb.reindex/1")
        #expect((document["trees"] as? [[String: Any]])?.count == 17)
        #expect(try CommandRun("reindex", folder.path("Nowhere")).status == 66)
        #expect(!FileManager.default.fileExists(atPath: folder.path("Nowhere")))
    }

    @Test func `of damaged records verify, export and reindex name repair, which saves the rest untouched`() throws {
        let sound = try CommandRun("export", library, "--format", "jsonl").output.split(separator: "\n")
        _ = try page(in: "records.books")
        let verify = try CommandRun("verify", library)
        let saved = folder.path("L.repaired.bookdb")
        #expect(verify.status == 1 && verify.output.contains("of the records of works cannot be read: of “"))
        #expect(verify.talk == "→ bookdb repair \(library) --output \(saved)\n")
        for arguments in [
            ["export", library, "--format", "jsonl"], ["reindex", library], ["reindex", library, "-n"],
        ] {
            let run = try CommandRun(arguments: arguments)
            #expect(run.status == 65 && run.talk.hasSuffix("→ bookdb repair \(library) --output \(saved)\n"))
        }

        let before = try contents()
        let lost = folder.path("lost.jsonl")
        let run = try CommandRun("repair", library, "--output", saved, "--lost", lost)
        #expect(run.status == 1)
        #expect(run.output.contains("MADE ANEW") && run.output.contains("found sound"))
        #expect(try contents() == before, "the damaged library was not touched")
        #expect(try CommandRun("verify", saved).status == 0)
        let items = try String(contentsOfFile: lost, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        // Of an edition without an ISBN no index tells anything.
        let gone = items.filter { $0["madeAnew"] as? Bool != true }
        #expect(items.contains { $0["kind"] as? String == "work" })
        #expect(gone.allSatisfy { $0["kind"] as? String == "edition" })
        let exported = try CommandRun("export", saved, "--format", "jsonl").output.split(separator: "\n")
        #expect(exported.count == sound.count - gone.count)
        let changed = Set(sound).subtracting(exported)
        let names = items.flatMap { item -> [String] in
            guard let id = item["id"] as? String else { return [] }
            return [item["kind"] as? String == "entry" ? "\"work\":\"\(id)\"" : "\"id\":\"\(id)\""]
        }
        #expect(changed.allSatisfy { line in names.contains { line.contains($0) } })
    }

    @Test func `repair of a sound library saves every record and ends with 0`() throws {
        let run = try CommandRun("repair", library, "-o", folder.path("S.bookdb"), "--json")
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["schema"] as? String == "bookdb.repair/1" && document["complete"] as? Bool == true)
        let works = (document["records"] as? [String: [String: Any]])?["works"]
        #expect(works?["saved"] as? Int == 120 && works?["lost"] as? Int == 0)
        #expect(
            try CommandRun("export", folder.path("S.bookdb"), "--format", "jsonl").output
                == CommandRun("export", library, "--format", "jsonl").output)
    }

    @Test func `a dry run writes nothing, and nothing is overwritten`() throws {
        let dry = try CommandRun("repair", library, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("Nothing was written."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["L.bookdb"])
        #expect(try CommandRun("repair", library).status == 64)
        #expect(try CommandRun("repair", library, "-n", "--lost", folder.path("x")).status == 64)
        let onto = try CommandRun("repair", library, "-o", library)
        #expect(onto.status == 73 && onto.talk.contains("was not overwritten"))
        let taken = try folder.file("lost.jsonl", "mine")
        #expect(try CommandRun("repair", library, "-o", folder.path("S.bookdb"), "--lost", taken).status == 73)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
        #expect(try CommandRun("repair", folder.path("Nowhere"), "-n").status == 66)
        let file = try folder.file("file", "text")
        #expect(try CommandRun("repair", file, "-n").status == 65)
        #expect(try CommandRun("repair", library, "-o", folder.path("no/where/S.bookdb")).status == 66)
    }

    // MARK: Pieces

    /// Damages a page that `verify` says is of that part, and tells which. Page 1 is the list's root.
    private func page(in part: String, from first: Int = 1) throws -> Int {
        let pageCount = try Data(contentsOf: snapshot).count / 4096
        for page in first..<pageCount - 1 {
            try flip(page)
            if try damage()["part"] as? String == part { return page }
            try flip(page)
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private var snapshot: URL {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: library)
            return try URL(fileURLWithPath: library).appendingPathComponent(
                #require(names.filter { $0.hasPrefix("snapshot") }.max()))
        }
    }

    private func flip(_ page: Int) throws {
        var bytes = try Data(contentsOf: snapshot)
        bytes[page * 4096 + 33] ^= 1
        try bytes.write(to: snapshot)
    }

    private func damage() throws -> [String: Any] {
        let document = try CommandRun("verify", library, "--json").document()
        return (document["damage"] as? [[String: Any]])?.first ?? [:]
    }

    /// Every file with its bytes and when it was changed.
    private func contents() throws -> [String: [Data]] {
        var contents: [String: [Data]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: library) {
            let path = "\(library)/\(name)"
            let changed = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            contents[name] = [try Data(contentsOf: URL(fileURLWithPath: path)), Data("\(changed!)".utf8)]
        }
        return contents
    }
}
