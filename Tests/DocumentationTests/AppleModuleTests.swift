import Testing

/// What only Apple's systems run is compiled here at least, against the declarations of theirs that it uses.
@Suite(.enabled(if: SampleCompiler.isHere, "the modules of this build were not found beside the tests"))
struct AppleModuleTests {
    @Test func `the views compile against the declarations of SwiftUI, without a warning`() throws {
        let said = try SampleCompiler.withFolder { try AppleModules.makeViews(in: $0) }
        #expect(said.isEmpty, "\(said)")
    }

    @Test func `log and signposts compile against the declarations of os, without a warning`() throws {
        let said = try SampleCompiler.withFolder { try AppleModules.makeLogs(in: $0) }
        #expect(said.isEmpty, "\(said)")
    }

    @Test(arguments: AppleModules.targets)
    func `what asks for the system compiles against the declarations of Darwin, without a warning`(target: String)
        throws
    {
        let said = try SampleCompiler.withFolder { try AppleModules.check(target, in: $0) }
        #expect(said.isEmpty, "\(said)")
    }

    /// A mistake, and what the compiler has to say.
    struct Mistake: CustomTestStringConvertible {
        let name: String
        var file = "StoreStatusView.swift"
        /// Of which `AppleModules.check` looks at the file; `nil` where it belongs to the views or the log.
        var target: String?
        let original: String
        let replacement: String
        let finding: String
        var testDescription: String { name }
    }

    static let mistakes = [
        Mistake(
            name: "a value of another type", original: "Text(verbatim: words.title)",
            replacement: "Text(verbatim: words)", finding: "cannot convert value of type 'LibraryStatus.Words'"),
        Mistake(
            name: "a case that nobody shows", original: "case .nothing: EmptyView()", replacement: "",
            finding: "switch must be exhaustive"),
        Mistake(
            name: "a state that another thread changes", original: "for await status in store.statuses(texts)",
            replacement: "Task.detached { status = .nothing }\nfor await status in store.statuses(texts)",
            finding: "main actor-isolated property 'status'"),
        Mistake(
            name: "a modifier that there is not", original: ".accessibilityElement(children: .ignore)",
            replacement: ".accessibilityElement(.ignore)", finding: "children"),
        Mistake(
            name: "a phase without a signpost", file: "OSSignposts.swift", original: "case .backup: \"backup\"",
            replacement: "", finding: "switch must be exhaustive"),
        Mistake(
            name: "a request that no system has", file: "PosixFile.swift", target: "StorageEngine",
            original: "F_BARRIERFSYNC", replacement: "F_BARRIERSYNC", finding: "cannot find 'F_BARRIERSYNC'"),
        Mistake(
            name: "another codec", file: "LZ4Block.swift", target: "StorageEngine", original: "COMPRESSION_LZ4_RAW",
            replacement: "COMPRESSION_LZ5_RAW", finding: "cannot find 'COMPRESSION_LZ5_RAW'"),
        Mistake(
            name: "a launch that its observer does not have", file: "Launch+Application.swift", target: "RecordStore",
            original: "if let self { body(self) }", replacement: "body(self)", finding: "must be unwrapped"),
    ]

    @Test(arguments: mistakes) func `a mistake is found`(_ mistake: Mistake) throws {
        let said = try SampleCompiler.withFolder { folder in
            let change: AppleModules.Change = { name, text in
                guard name == mistake.file else { return text }
                let changed = text.replacing(mistake.original, with: mistake.replacement)
                #expect(changed != text)
                return changed
            }
            if let target = mistake.target { return try AppleModules.check(target, in: folder, changing: change) }
            return try mistake.file.hasPrefix("OS")
                ? AppleModules.makeLogs(in: folder, changing: change)
                : AppleModules.makeViews(in: folder, changing: change)
        }
        #expect(said.contains(mistake.file) && said.contains(mistake.finding), "\(said)")
    }
}
