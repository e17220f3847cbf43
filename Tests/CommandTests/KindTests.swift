import Foundation
import Testing

/// The command shows the records of an app whose code it has not got.
@Suite struct KindTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let lines = #"""
        {"type":"kind","kind":"Account","fields":[{"number":1,"name":"name","type":"text"}]}
        {"type":"record","kind":"Account","id":"000009-1","fields":{"name":"Savings"}}
        {"type":"kind","kind":"Transfer","fields":[{"number":1,"name":"account","type":"identifier"},{"number":2,"name":"date","type":"day"},{"number":3,"name":"amount","type":"money"},{"number":4,"name":"note","type":"text"}],"links":[{"field":1,"name":"account","to":"Account","onDelete":"cascade"}]}
        {"type":"record","kind":"Transfer","id":"000009-2","fields":{"account":"000009-1","date":"2026-11-24","amount":"-12.50","note":"Rent"}}
        {"type":"record","kind":"Transfer","id":"000009-3","fields":{"account":"000009-1","date":"2026-11-25","amount":"3.00"}}

        """#

    private func library() throws -> String {
        let library = folder.path("K.bookdb")
        let file = try folder.file("k.jsonl", Self.lines)
        #expect(try CommandRun("import", library, file).status == 0)
        return library
    }

    @Test func `inspect lists kinds with their fields, and trees when they are asked for`() throws {
        let library = try library()
        let words = try CommandRun("inspect", library).output
        #expect(words.contains("Transfer        2") && words.contains("account, date, amount, note"), "\(words)")
        #expect(!words.contains("TREES") && !words.contains("0 works"))
        #expect(try CommandRun("inspect", library, "--trees").output.contains("app-fields"))
        let document = try CommandRun("inspect", library, "--json").document()
        let kinds = try #require(document["kinds"] as? [[String: Any]])
        #expect(kinds.map { $0["name"] as? String } == ["Account", "Transfer"])
        #expect((kinds[1]["links"] as? [[String: Any]])?.first?["to"] as? String == "Account")
        #expect((document["trees"] as? [Any])?.isEmpty == false)
    }

    @Test func `ls and get show records by the names of their fields`() throws {
        let library = try library()
        let first = try CommandRun("ls", library, "--kind", "Transfer", "--limit", "1")
        #expect(first.output.contains("AMOUNT") && first.output.contains("-12.50"), "\(first.output)")
        #expect(first.talk.contains("1–1 of 2 records") && first.talk.contains("--offset 1"))
        let second = try CommandRun("ls", library, "--kind", "Transfer", "--offset", "1", "--json").document()
        let items = try #require(second["items"] as? [[String: Any]])
        #expect(second["total"] as? Int == 2 && items.map { $0["id"] as? String } == ["000009-3"])
        let sheet = try CommandRun("get", library, "000009-2")
        #expect(sheet.output.contains("Transfer 000009-2") && sheet.output.contains("note     Rent"), "\(sheet.output)")
        let line = try CommandRun("get", library, "000009-2", "--json").output
        #expect(Self.lines.contains(line))
        #expect(try CommandRun("get", library, "000009-8").status == 66)
        let near = try CommandRun("ls", library, "--kind", "Transfr")
        #expect(near.status == 66 && near.talk.contains("Did you mean 'Transfer'?"), "\(near.talk)")
        #expect(try CommandRun("ls", library, "--kind", "Transfer", "--order", "newest").status == 66)
        #expect(try CommandRun("ls", library, "--order", "newest").status == 64)
        #expect(try CommandRun("ls", library, "--kind", "Transfer", "--sort", "year").status == 64)
    }
}
