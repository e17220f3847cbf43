import Foundation
import TestSupport
import Testing

/// The table beside other stores is a package of its own, which needs theirs and which no test builds. What it asks of BookDB is compiled here.
@Suite(.enabled(if: SampleCompiler.isHere, "the modules of this build were not found beside the tests"))
struct PeerBenchmarkTests {
    private static let folder = "Benchmarks/Peers/Sources/PeerBenchmarks"

    /// BookDB's side of it, and what that refers to.
    private static var paths: [String] {
        let others = ["GRDB", "LMDB", "RocksDB", "SQLite", "KeyValue", "Trigram", "Blocking"]
        let chosen = ["Data", "Ledger", "Peers"].flatMap { folder in
            SampleCode.paths(below: "\(Self.folder)/\(folder)", suffix: ".swift").filter { path in
                let name = URL(filePath: path).lastPathComponent
                return !others.contains { name.hasPrefix($0) }
            }
        }
        // These name all stores, or time them.
        let left = [
            "Peers", "LedgerStores", "LedgerGroup", "LedgerReadGroup", "LedgerWriteGroup", "LedgerPart", "LedgerSuite",
            "LedgerTable",
        ]
        return chosen.filter { path in !left.contains { path.hasSuffix("/\($0).swift") } }
    }

    private static func errors(changing change: (_ path: String, _ text: String) -> String = { $1 }) throws -> String {
        let root = RepositoryFiles.root
        return try SampleCompiler.withFolder { folder in
            var copies: [String] = []
            for path in paths {
                let copy = folder.appending(path: URL(filePath: path).lastPathComponent)
                let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
                try Data(change(path, text).utf8).write(to: copy)
                copies.append(copy.path)
            }
            let (status, said) = try SampleCompiler.run(
                ["-typecheck", "-suppress-warnings", "-parse-as-library", "-module-name", "PeerBenchmarks"] + copies,
                root: root)
            return status == 0 ? "" : said
        }
    }

    @Test func `what the table beside other stores asks of BookDB compiles`() throws {
        #expect(Self.paths.count >= 25)
        let said = try Self.errors()
        #expect(said.isEmpty, "\(said)")
    }

    /// What had happened: a list was named by a type that had got another parameter.
    @Test func `a call that there is not any more is found`() throws {
        let said = try Self.errors { path, text in
            path.hasSuffix("BookDBPeer+Sessions.swift")
                ? text.replacing("RecordOrderList<Session>", with: "OrderedRecords<Session>") : text
        }
        #expect(said.contains("BookDBPeer+Sessions.swift") && said.contains("too few type parameters"))
    }
}
