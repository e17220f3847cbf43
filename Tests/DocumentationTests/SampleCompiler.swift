import Foundation
import Testing

/// Compiles what a reader would paste into an app, against the modules that were built with the tests.
struct SampleCompiler {
    /// How new projects of an app are set up.
    enum Project: CaseIterable {
        case plain
        /// Everything is the main actor's unless it says otherwise: what Xcode gives new apps.
        case mainActor

        fileprivate var arguments: [String] {
            switch self {
            case .plain: []
            case .mainActor:
                [
                    "-default-isolation", "MainActor", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
                    "-enable-upcoming-feature", "InferIsolatedConformances",
                ]
            }
        }
    }

    /// The folder of the build that this process is of; `nil` where it is laid out differently.
    private static let build: String? = {
        let starts = [Bundle.main.executablePath].compactMap { $0 } + CommandLine.arguments
        for start in starts + Bundle.allBundles.map(\.bundlePath) {
            var folder = URL(filePath: start)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                let module = folder.appending(path: "Modules/BookDB.swiftmodule").path
                if FileManager.default.fileExists(atPath: module) { return folder.path }
            }
        }
        return nil
    }()

    static var isHere: Bool { build != nil }

    /// - Parameters:
    ///   - files: names and texts; a `main.swift` is a script.
    ///   - modules: a folder of modules that are looked for before those of the build.
    /// - Returns: what the compiler says of errors, nothing when there are none.
    static func errors(
        in files: [(name: String, text: String)], _ project: Project, root: String, modules: String? = nil
    ) throws -> String {
        try withFolder { folder in
            var paths: [String] = []
            for file in files {
                let path = folder.appending(path: file.name)
                try Data(file.text.utf8).write(to: path)
                paths.append(path.path)
            }
            let ownModules = modules.map { ["-I", $0] } ?? []
            let (status, said) = try run(
                ["-typecheck", "-suppress-warnings", "-module-name", "Samples"] + ownModules + project.arguments
                    + paths,
                root: root)
            return status == 0 ? "" : said
        }
    }

    /// Runs the compiler as the modules of the build are found.
    ///
    /// - Parameters:
    ///   - isFrontend: whether it is the compiler itself, which takes some files of a module to be checked, and not its driver, which takes all.
    ///   - knowsLZ4: whether `liblz4` can be imported.
    /// - Returns: how it ended, and what it said.
    static func run(
        _ arguments: [String], root: String, isFrontend: Bool = false, knowsLZ4: Bool = true
    ) throws -> (status: Int32, said: String) {
        let build = try #require(build)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let command = ["swiftc"] + (isFrontend ? ["-frontend"] : []) + ["-swift-version", "6"] + arguments
        let lz4 = knowsLZ4 ? ["-Xcc", "-fmodule-map-file=\(root)/Sources/CLZ4/module.modulemap"] : []
        let ownC = ["CCRC32C", "CFiles"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(build)/\($0).build/module.modulemap"]
        }
        process.arguments = command + ["-I", "\(build)/Modules"] + lz4 + ownC
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// Gives a folder that is removed afterwards.
    static func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bookdb-samples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
