extension String {
    /// Whether there is nothing but white space and what shows nothing, such as a control character. As a rule the first byte tells.
    ///
    /// A text with a visible ASCII character is not blank. Only where there is none are its characters looked at.
    package var isBlank: Bool {
        guard !utf8.contains(where: { (0x21...0x7E).contains($0) }) else { return false }
        return allSatisfy { $0.isWhitespace || $0.unicodeScalars.allSatisfy(\.showsNothing) }
    }
}

extension Unicode.Scalar {
    fileprivate var showsNothing: Bool {
        switch properties.generalCategory {
        case .control, .format: true
        default: false
        }
    }
}
