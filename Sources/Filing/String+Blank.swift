extension String {
    /// Whether there is nothing but white space. As a rule the first byte tells.
    ///
    /// A visible character of ASCII stands for itself, or follows one that is no white space either: of a text that has one, no characters need to
    /// be put together.
    package var isBlank: Bool { !utf8.contains { (0x21...0x7E).contains($0) } && allSatisfy(\.isWhitespace) }
}
