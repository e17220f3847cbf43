import BookDB

extension LanguageCode {
    /// Brings the language codes of catalogues to one spelling: `eng` → `en`, `en_us` → `en-US`, `English` → `en`. What is not all of one language
    /// that is known, such as `de/en`, stays as it is.
    static func normalised(_ text: String) -> String? {
        guard let text = CleanText.line(text) else { return nil }
        let parts = text.split { $0 == "-" || $0 == "_" }
        guard let primary = parts.first, let language = LanguageCode(exactly: primary) else { return text }
        let others = parts.dropFirst().map { $0.count == 2 ? $0.uppercased() : String($0) }
        return ([language.description] + others).joined(separator: "-")
    }
}
