import Foundation
import TestSupport

/// A piece of Swift that a document shows.
struct SampleCode {
    /// From the repository's folder.
    let path: String
    /// Of the first line of code, from 1.
    let line: Int
    let text: String

    /// Whether it declares something, and is not a row of statements.
    var isDeclaration: Bool {
        ["struct ", "enum ", "final class ", "actor ", "extension "].contains { text.hasPrefix($0) }
    }

    /// Reported errors name the document's own line.
    var located: String { "#sourceLocation(file: \"\(path)\", line: \(line))\n\(text)\n#sourceLocation()\n" }

    /// Those of a document, or of the comments of a source file, between ```` ```swift ```` and ```` ``` ````.
    static func all(in path: String) throws -> [SampleCode] {
        let text = try String(contentsOfFile: RepositoryFiles.root + "/" + path, encoding: .utf8)
        var samples: [SampleCode] = []
        var open: (line: Int, lines: [String])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let content = content(of: line, in: path) else { continue }
            switch (open, content) {
            case (nil, "```swift"): open = (index + 2, [])
            case (nil, _): break
            case (let sample?, "```"):
                samples.append(
                    SampleCode(path: path, line: sample.line, text: sample.lines.joined(separator: "\n")))
                open = nil
            case (_?, _): open?.lines.append(String(content))
            }
        }
        return samples
    }

    /// What a line says, without the sign of a comment; `nil` for code.
    private static func content(of line: Substring, in path: String) -> Substring? {
        guard path.hasSuffix(".swift") else { return line }
        let line = line.drop { $0 == " " }
        guard line.hasPrefix("///") else { return nil }
        return line.dropFirst(3).hasPrefix(" ") ? line.dropFirst(4) : line.dropFirst(3)
    }

    /// The paths of files below a folder whose names end so.
    static func paths(below folder: String, suffix: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: RepositoryFiles.root + "/" + folder)?.allObjects ?? []
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}
