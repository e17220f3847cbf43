import TestSupport
import Testing

/// Every piece of Swift in the README, the documents and the comments of the products compiles, in an app as it comes.
@Suite(.enabled(if: SampleCompiler.isHere, "the modules of this build were not found beside the tests"))
struct SampleCodeTests {
    @Test(arguments: SampleCompiler.Project.allCases)
    func `what the README shows compiles, one piece behind the other`(_ project: SampleCompiler.Project) throws {
        let samples = try SampleCode.all(in: "README.md")
        let code = samples.filter { !$0.text.hasPrefix(".package(") }
        #expect(code.count == samples.count - 1 && code.count >= 2)
        let script = code.map(\.located).joined()
        let errors = try SampleCompiler.errors(in: [("main.swift", script)], project, root: RepositoryFiles.root)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test(arguments: SampleCompiler.Project.allCases)
    func `what the documents and comments show compiles`(_ project: SampleCompiler.Project) throws {
        let paths =
            SampleCode.paths(below: "docs", suffix: ".md")
            + ["RecordStore", "BookDB", "BookImport", "BookDBUI"].flatMap {
                SampleCode.paths(below: "Sources/\($0)", suffix: ".swift")
            }
        let samples = try paths.flatMap(SampleCode.all)
        #expect(samples.count >= 30)
        let errors = try SampleCompiler.withFolder { folder in
            // Views compile, too, where there is no SwiftUI.
            #expect(try AppleModules.makeViews(in: folder) == "")
            return try SampleCompiler.errors(
                in: [("Given.swift", Self.given)] + samples.enumerated().map(Self.file), project,
                root: RepositoryFiles.root, modules: folder.path)
        }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `an error in a sample is found and names the document's line`() throws {
        let sample = SampleCode(path: "docs/INVENTED.md", line: 7, text: "let count: Int = store.snapshot")
        let errors = try SampleCompiler.errors(
            in: [("Given.swift", Self.given), Self.file(0, sample)], .plain, root: RepositoryFiles.root)
        #expect(errors.contains("docs/INVENTED.md:7:"), "\(errors)")
    }

    // MARK: Pieces

    /// A declaration as it stands; statements in a function of the main actor, as in a view, which is given what they name.
    private static func file(_ number: Int, _ sample: SampleCode) -> (name: String, text: String) {
        let imports = "import BookDB\nimport BookImport\nimport Foundation\n"
        let code =
            sample.isDeclaration
            ? sample.located
            : """
            @MainActor func sample\(number)(
                store: BookStore, snapshot: Snapshot, works: Snapshot.Works, list: WorkItems, search: WorkSearch,
                hobbit: ID<Work>, savings: ID<Account>, drill: ID<Item>, path: String, bar: ProgressBar, index: OtherIndex,
                library: RecordLibrary
            ) async throws {
            \(sample.located)
            }
            """
        guard sample.text.contains(": View") else { return ("Sample\(number).swift", imports + code) }
        return (
            "Sample\(number).swift",
            "#if canImport(SwiftUI)\nimport BookDBUI\nimport SwiftUI\n\(imports)\(code)\n#endif\n"
        )
    }

    /// What an app has of its own in these samples.
    private static let given = """
        import BookDB

        enum Item {}
        enum Category {}

        struct Cell {
            var id: ID<Work>
            var title: String
            var isGuess = false
        }

        nonisolated struct Thumbnail: Sendable {
            var byteCount: Int
            nonisolated init(decoding bytes: [UInt8]) throws { byteCount = bytes.count }
        }

        nonisolated func downscaledCover(of work: ID<Work>, width: Int) async throws -> [UInt8] { [] }

        @MainActor final class ProgressBar { var value = 0.0 }

        @MainActor final class OtherIndex {
            func remove<Value>(_ ids: some Sequence<ID<Value>>) {}
        }
        """
}
