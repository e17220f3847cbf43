/// One top-level declaration of a Swift source file, with the comments before and within it.
///
/// Told apart by braces: a declaration reaches from where the one before ended to where its own braces are closed again
/// or, if it has none, to the next line without code. Enough for sources that `swift format` has laid out.
struct SourceDeclaration {
    /// Where its code begins, from 1.
    private(set) var line = 0
    private var comments = ""
    private var words: [Substring] = []

    /// Words by which it takes the memory's safety on itself.
    var unsafeWordCount: Int {
        words.indices.count { index in
            words[index] == "@safe" || words[index] == "unsafe" && (index == 0 || words[index - 1] != "nonisolated")
        }
    }

    /// Words by which it takes the safety of sharing on itself.
    var uncheckedWordCount: Int {
        words.indices.count { index in
            words[index] == "@unchecked" || words[index] == "unsafe" && index > 0 && words[index - 1] == "nonisolated"
        }
    }

    /// The reasons its comments should give and do not.
    var missingReasons: [String] {
        var missing: [String] = []
        if unsafeWordCount > 0, !comments.contains("Safe because") { missing.append("Safe because") }
        if uncheckedWordCount > 0, !comments.contains("Safe to share because"),
            !comments.contains("Safe to hand over because")
        {
            missing.append("Safe to share because")
        }
        return missing
    }

    static func all(in source: String) -> [SourceDeclaration] {
        var declarations: [SourceDeclaration] = []
        var current = SourceDeclaration()
        var depth = 0
        var isInText = false
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let opensOrClosesText = line.contains("\"\"\"")
            let isText = isInText && !opensOrClosesText
            isInText = isInText != opensOrClosesText
            if isText { continue }
            let (code, comment) = parts(of: line)
            // A condition stands around declarations and is part of none.
            let isEmpty = code.allSatisfy(\.isWhitespace) || depth == 0 && code.first { $0 != " " } == "#"
            if depth == 0, isEmpty {
                if current.line > 0 { declarations.append(current) }
                if current.line > 0 || comment.isEmpty { current = SourceDeclaration() }
            }
            current.comments += comment + "\n"
            guard !isEmpty else { continue }
            if current.line == 0 { current.line = index + 1 }
            current.words += code.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
            let opened = code.count { $0 == "{" }
            let closed = code.count { $0 == "}" }
            depth += opened - closed
            if depth == 0, opened > 0 || closed > 0 {
                declarations.append(current)
                current = SourceDeclaration()
            }
        }
        if current.line > 0 { declarations.append(current) }
        return declarations
    }

    /// A line's code, without what its strings say, and its comment.
    private static func parts(of line: Substring) -> (code: Substring, comment: Substring) {
        var code = Substring()
        var rest = line
        var isInString = false
        while let character = rest.first {
            if !isInString, rest.hasPrefix("//") { return (code, rest) }
            if isInString, character == "\\" {
                rest = rest.dropFirst(2)
                continue
            }
            if character == "\"" {
                isInString.toggle()
            } else if !isInString {
                code.append(character)
            }
            rest = rest.dropFirst()
        }
        return (code, "")
    }
}
