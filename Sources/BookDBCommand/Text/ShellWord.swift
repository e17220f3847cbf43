/// A word of a command line that people copy: `\(word: library)`.
extension String.StringInterpolation {
    /// Quoted where a shell would take it for something else, such as two words.
    mutating func appendInterpolation(word: String) { appendLiteral(ShellWord.quoted(word)) }
}

enum ShellWord {
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || plain.contains($0) }
        guard !isPlain else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// An option with its value, with `=` between them where the value would be taken for an option itself.
    static func option(_ name: String, _ value: String) -> String {
        name + (value.hasPrefix("-") ? "=" : " ") + quoted(value)
    }

    private static let plain = Set("0123456789_-+=:,./@%".unicodeScalars)
}
