import Foundation
import Testing

/// The command says what two libraries do not have alike.
@Suite struct DiffTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let lines = #"""
        {"type":"kind","kind":"Account","fields":[{"number":1,"name":"name","type":"text"}]}
        {"type":"record","kind":"Account","id":"000009-1","fields":{"name":"Savings"}}
        {"type":"record","kind":"Account","id":"000009-2","fields":{"name":"Current"}}

        """#

    private func library(_ name: String, _ lines: String = DiffTests.lines) throws -> String {
        let library = folder.path(name)
        let file = try folder.file(name + ".jsonl", lines)
        #expect(try CommandRun("import", library, file).status == 0)
        return library
    }

    private func changed() throws -> String {
        try library(
            "B.bookdb",
            Self.lines.replacingOccurrences(of: "Savings", with: "Rainy days") + #"""
                {"type":"kind","kind":"Note","fields":[{"number":1,"name":"text","type":"text"}]}
                {"type":"record","kind":"Note","id":"000009-3","fields":{"text":"Rent is due"}}

                """#)
    }

    @Test func `libraries with the same records are the same, with status 0`() throws {
        let (one, other) = (try library("A.bookdb"), try library("B.bookdb"))
        let run = try CommandRun("diff", one, other)
        #expect(run.status == 0 && run.talk.isEmpty, "\(run.talk)")
        #expect(run.output.contains("have the same records. Compared by hash sums: "), "\(run.output)")
        let document = try CommandRun("diff", one, other, "--json").document()
        #expect(document["same"] as? Bool == true && (document["records"] as? [Any])?.isEmpty == true)
    }

    @Test func `differing libraries show counts, declarations and fields, with status 1`() throws {
        let (one, other) = (try library("A.bookdb"), try changed())
        let run = try CommandRun("diff", one, other)
        #expect(run.status == 1 && run.talk.isEmpty, "\(run.talk)")
        for words in [
            "KIND     only in the first", "kind Note: – → “Note”, 1 record", "~ Account 000009-1",
            "    name: Savings → Rainy days", "+ Note 000009-3", "    text: Rent is due",
            "differ. Compared by hash sums: ",
        ] { #expect(run.output.contains(words), "\(words)\n\(run.output)") }
        #expect(!run.output.contains("000009-2"))
    }

    @Test func `stat shows counts alone, and a limit the first differences`() throws {
        let (one, other) = (try library("A.bookdb"), try changed())
        let stat = try CommandRun("diff", one, other, "--stat")
        #expect(stat.status == 1 && stat.output.contains("Account") && !stat.output.contains("000009-"))
        let first = try CommandRun("diff", one, other, "--limit", "1")
        #expect(first.output.contains("000009-1") && !first.output.contains("000009-3"))
        #expect(first.output.contains("and 1 more"), "\(first.output)")
        #expect(try CommandRun("diff", one, other, "--limit", "-1").status == 64)
        #expect(try CommandRun("diff", one, other, "--stat", "--limit", "1").status == 64)
    }

    @Test func `json is one document that begins with its schema`() throws {
        let (one, other) = (try library("A.bookdb"), try changed())
        let run = try CommandRun("diff", one, other, "--json")
        #expect(run.status == 1 && run.output.hasPrefix(#"{"schema":"bookdb.diff/1","#))
        let document = try run.document()
        let records = try #require(document["records"] as? [[String: Any]])
        #expect(records.map { $0["change"] as? String } == ["changed", "onlyInSecond"])
        let field = try #require((records[0]["fields"] as? [[String: Any]])?.first)
        #expect(field["first"] as? String == "Savings" && field["second"] as? String == "Rainy days")
        #expect((document["kinds"] as? [[String: Any]])?.map { $0["byHashSums"] as? Bool } == [true, true])
        #expect((document["declarations"] as? [[String: Any]])?.first?["part"] as? String == "kind")
        #expect(document["differingRecords"] as? Int == 2)
        #expect(try CommandRun("diff", one, other, "--json", "--stat").document()["records"] == nil)
    }

    @Test func `a missing library has status 66, and a library that is open can be compared`() throws {
        let one = try library("A.bookdb")
        #expect(try CommandRun("diff", one, folder.path("None.bookdb")).status == 66)
        #expect(try CommandRun("diff", one).status == 64)
        #expect(try CommandRun("diff", one, one).status == 0)
    }
}
