import StorageEngine
import TestSupport
import Testing

/// What holds of every specification page.
@Suite struct FormatPageTests {
    @Test(arguments: FormatPage.all)
    func `a page has a grammar, an example, versions and errata`(name: String) throws {
        let page = try #require(FormatPage(name))
        let firstSection = page.lines.firstIndex { $0.hasPrefix("## ") } ?? page.lines.count
        let grammar = page.lines[..<firstSection].filter { $0.hasPrefix("    ") }
        #expect(grammar.contains { $0.contains(" = ") }, "a grammar before the first section")
        for heading in ["## Example", "## Versions", "## Errata"] {
            #expect(page.lines.contains(heading), "\(heading)")
        }
    }

    @Test(arguments: FormatPage.all)
    func `examples in hexadecimal are lines of the golden dumps`(name: String) throws {
        let page = try #require(FormatPage(name))
        let dumps = Set(
            ["small", "branches", "empty", "library", "symbols"].flatMap { store in
                RepositoryFiles.names(in: "Formats/golden/" + store).filter { $0.hasSuffix(".txt") }.flatMap {
                    String(decoding: RepositoryFiles.bytes("Formats/golden/\(store)/\($0)") ?? [], as: UTF8.self)
                        .split(separator: "\n").map(String.init)
                }
            })
        #expect(dumps.count > 1000)
        for line in page.lines where line.hasPrefix("    ") {
            let text = String(line.dropFirst(4))
            let isField = text.prefix(8).allSatisfy(\.isHexDigit) && text.dropFirst(8).hasPrefix("  ")
            if isField { #expect(dumps.contains(text), "\(text)") }
        }
    }

    @Test func `every file and page that a page links to is there`() throws {
        for name in FormatPage.all + ["README.md", "DUMP.md"] {
            let page = try #require(FormatPage(name))
            for link in page.lines.joined(separator: "\n").split(separator: "](").dropFirst() {
                let path = "Formats/" + String(link.prefix { $0 != ")" })
                #expect(
                    RepositoryFiles.bytes(path) != nil || !RepositoryFiles.names(in: path).isEmpty, "\(name): \(path)")
            }
        }
    }

    @Test func `the names of a store's files are those of its page`() throws {
        let table = try #require(FormatPage("STORE.md")?.table("The store: a directory"))
        #expect(
            table.rows.map { $0[0] } == [
                "`lock`", "`turn`", "`compacting`", "`head`", "`history`", "`snapshot-` + 16 hexadecimal digits",
                "`search-` + 16 hexadecimal digits",
                "`log-` + 16 hexadecimal digits", "`cache`", "`launches`, `answers`", "`*.tmp`, `*.tmp.cold`",
                "`aside-` + 16 digits `-` offset", "`staged-` + 16 hexadecimal digits", "`restore`", "`restore-former`",
                "`restored`",
            ])
        let fileSystem = MemoryFileSystem()
        try fileSystem.copyFromRepository(GoldenStore.small.directory)
        let names = [
            "lock", "turn", "compacting", "head", "history", "snapshot-0000000000000001", "search-0000000000000001",
            "log-00000000000000ff",
            "log-1.tmp",
            "search-1.tmp.cold", "aside-0000000000000001-64", "y", "staged-0000000000010002", "restore",
            "restore-former",
            "restored",
        ]
        for name in names { try fileSystem.replace(GoldenStore.small.directory + "/" + name, with: []) }
        let inspection = try StoreInspection(at: GoldenStore.small.directory, fileSystem: fileSystem)
        let roles = Dictionary(inspection.files.map { ($0.name, $0.role.rawValue) }) { one, _ in one }
        #expect(
            names.map { roles[$0] } == [
                "lock", "lock", "lock", "lock", "history", "snapshot", "search", "log", "temporary", "temporary",
                "aside", "foreign", "restore",
                "restore", "restore", "restore",
            ])
    }
}
