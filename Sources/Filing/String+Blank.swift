extension String {
    /// Whether there is nothing but white space. As a rule the first byte tells.
    ///
    /// A text with a visible ASCII character is not blank. Only where there is none are its characters looked at.
    package var isBlank: Bool { !utf8.contains { (0x21...0x7E).contains($0) } && allSatisfy(\.isWhitespace) }
}
