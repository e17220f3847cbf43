/// What people and programs write where nothing is known.
enum Placeholder {
    /// Whether a text says nothing: `0`, `-`, `n/a`, `???`.
    static func isOne(_ text: some StringProtocol) -> Bool {
        let word = text.trimmingBlanks().lowercased()
        if words.contains(word) { return true }
        return !word.contains { $0.isLetter || ($0.isNumber && $0 != "0") }
    }

    private static let words: Set = [
        "", "n/a", "na", "n.a.", "none", "null", "nil", "nan", "unknown", "undefined", "tbd",
    ]
}
