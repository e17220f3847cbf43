import Foundation
import TestSupport

/// What only Apple's systems run, as they compile it: here against stand-ins of the modules of theirs that it uses (`Tests/AppleStubs`).
enum AppleModules {
    /// Makes another text of the source of a name.
    typealias Change = (_ name: String, _ text: String) -> String

    /// Writes the modules `SwiftUI` and `BookDBUI` into a folder; a compiler that looks there can import them.
    ///
    /// - Returns: all that the compiler says, warnings too; nothing when it has nothing to say.
    static func makeViews(in folder: URL, changing change: Change = { $1 }) throws -> String {
        let said = try stub("SwiftUI", folder)
        guard said.isEmpty else { return said }
        return try make("BookDBUI", SampleCode.paths(below: "Sources/BookDBUI", suffix: ".swift"), folder, change)
    }

    /// Compiles what shows a library to the system's log and to Instruments.
    static func makeLogs(in folder: URL, changing change: Change = { $1 }) throws -> String {
        let said = try stub("os", folder)
        guard said.isEmpty else { return said }
        let names = ["DiagnosticLog", "DiagnosticTrace", "OSLog", "OSSignposts"]
        return try make("Logs", names.map { "Sources/RecordStore/Diagnostics/\($0).swift" }, folder, change)
    }

    /// The targets of which some files differ on Apple's systems.
    static let targets = ["StorageEngine", "RecordStore", "BookImport", "BookDBCommand"]

    /// Compiles those files of a target, as these systems have them: with Darwin, and without `liblz4`.
    static func check(_ target: String, in folder: URL, changing change: Change = { $1 }) throws -> String {
        for module in ["Darwin", "Compression", "os"] {
            let said = try stub(module, folder)
            guard said.isEmpty else { return said }
        }
        let root = RepositoryFiles.root
        var (own, others): ([String], [String]) = ([], [])
        for path in SampleCode.paths(below: "Sources/\(target)", suffix: ".swift") {
            let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
            guard ["Darwin", "Compression", "os"].contains(where: { text.contains("canImport(\($0))") }) else {
                others.append("\(root)/\(path)")
                continue
            }
            let name = URL(filePath: path).lastPathComponent
            let copy = folder.appending(path: name)
            try Data(change(name, text).utf8).write(to: copy)
            own += ["-primary-file", copy.path]
        }
        guard !own.isEmpty else { return "no file of \(target) asks for the system" }
        let options = [
            "-typecheck", "-parse-as-library", "-module-name", target, "-package-name", packageName, "-D", "OSLog",
            // What Apple's Foundation has and this one lacks is declared there.
            "-import-module", "Darwin", "-strict-memory-safety", "-I", folder.path,
        ]
        return try SampleCompiler.run(
            options + own + others, root: root, isFrontend: true, knowsLZ4: target != "StorageEngine"
        ).said
    }

    private static func stub(_ module: String, _ folder: URL) throws -> String {
        let path = "\(RepositoryFiles.root)/Tests/AppleStubs/\(module).swift"
        return try SampleCompiler.run(arguments(module, folder) + [path], root: RepositoryFiles.root).said
    }

    private static func make(
        _ module: String, _ sources: [String], _ folder: URL, _ change: Change
    ) throws -> String {
        let root = RepositoryFiles.root
        var paths: [String] = []
        for path in sources {
            let name = URL(filePath: path).lastPathComponent
            let copy = folder.appending(path: name)
            let text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
            try Data(change(name, text).utf8).write(to: copy)
            paths.append(copy.path)
        }
        let options = ["-package-name", packageName, "-I", folder.path, "-D", "OSLog"]
        return try SampleCompiler.run(arguments(module, folder) + options + paths, root: root).said
    }

    private static func arguments(_ module: String, _ folder: URL) -> [String] {
        [
            "-emit-module", "-parse-as-library", "-module-name", module,
            "-emit-module-path", folder.appending(path: "\(module).swiftmodule").path,
        ]
    }

    /// What a build calls the package: after its folder, in letters of a name.
    private static var packageName: String {
        String(
            URL(filePath: RepositoryFiles.root).lastPathComponent.lowercased().map {
                $0.isLetter || $0.isNumber ? $0 : "_"
            })
    }
}
