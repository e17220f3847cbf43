import Foundation
import Testing

/// One finished run of the built `bookdb`.
struct CommandRun {
    let status: Int32
    /// Whether a signal ended it; `status` is then the signal's number.
    let wasKilled: Bool
    let output: String
    let talk: String

    /// Runs `bookdb` with these arguments and waits for it.
    init(
        _ arguments: String..., input: Data? = nil, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try self.init(arguments: arguments, input: input, environment: environment, sourceLocation: sourceLocation)
    }

    init(
        arguments: [String], input: Data? = nil, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        // Files take any amount of output; a pipe would fill and stop the command.
        let folder = try TemporaryFolder()
        let outputPath = folder.path("output")
        let talkPath = folder.path("talk")
        for path in [outputPath, talkPath] { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
        let process = Process()
        process.executableURL = BuiltCommand.url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle(forWritingAtPath: talkPath)
        if let input {
            let inputPath = folder.path("input")
            try input.write(to: URL(fileURLWithPath: inputPath))
            process.standardInput = FileHandle(forReadingAtPath: inputPath)
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        wasKilled = process.terminationReason == .uncaughtSignal
        output = try String(contentsOfFile: outputPath, encoding: .utf8)
        talk = try String(contentsOfFile: talkPath, encoding: .utf8)
    }

    /// The one JSON document on standard output.
    func document(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any], sourceLocation: sourceLocation)
    }

    /// The JSON documents on the lines of standard output.
    func documents() throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}

/// Where the build put `bookdb`: beside the tests.
enum BuiltCommand {
    static let url = folder.appendingPathComponent("bookdb")

    private static var folder: URL {
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            return bundle.bundleURL.deletingLastPathComponent()
        }
        return URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }
}

/// A folder that goes away with the value.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("bookdb-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Writes a text file and gives its path.
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
