import ArgumentParser

/// A `--where` as it was typed: a name, a comparison and a value.
struct ComparisonText {
    let name: String
    let comparison: String
    let value: String

    /// - Throws: `ValidationError` that names what cannot be read, and what could stand there.
    init(_ text: String, example: String) throws {
        guard let start = text.firstIndex(where: { "=!<>".contains($0) }) else {
            throw ValidationError(
                "'\(text)' compares nothing. Write a name, = != < <= > or >=, and a value: \(example).")
        }
        comparison = String(text[start...].prefix { "=!<>".contains($0) })
        guard ["=", "!=", "<", "<=", ">", ">="].contains(comparison) else {
            throw ValidationError("'\(comparison)' is no comparison: use = != < <= > or >=.")
        }
        name = Self.trimmed(text[..<start])
        value = Self.trimmed(text[start...].dropFirst(comparison.count))
    }

    /// Without blanks at its ends.
    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
