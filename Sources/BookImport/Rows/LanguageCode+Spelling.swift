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

    /// Whether two texts are of one language, whatever its region: as lists have it, or letter by letter where no code is known.
    static func isSame(_ one: String, _ other: String) -> Bool {
        if let one = LanguageCode(one), let other = LanguageCode(other) { return one == other }
        return one.lowercased() == other.lowercased()
    }
}
