/// The name of a column, such that spellings that mean the same are equal: `Read_Status`, `read-status `, `Read Status?`.
struct HeaderName: Hashable, Sendable {
    let text: String

    init(_ text: some StringProtocol) {
        let words = text.lowercased().split { $0.isWhitespace || "_-?:\"\u{FEFF}".contains($0) }
        self.text = words.joined(separator: " ")
    }
}
