import ArgumentParser

/// When to colour.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never
}

/// Colours for a terminal. They only repeat what the words say.
struct Style: Sendable {
    let isColoured: Bool

    /// - Parameter descriptor: where the text goes: 1 for the answer, 2 for the talk.
    init(_ choice: ColourChoice, descriptor: Int32 = SystemCalls.standardOutput) {
        isColoured = Self.isColoured(
            choice, isTerminal: SystemCalls.isTerminal(descriptor), environment: SystemCalls.environment)
    }

    func bold(_ text: String) -> String { dressed(text, "1") }
    func faint(_ text: String) -> String { dressed(text, "2") }
    func red(_ text: String) -> String { dressed(text, "31") }
    func green(_ text: String) -> String { dressed(text, "32") }

    /// The text with some of it bold.
    func bold(_ text: String, at ranges: [Range<String.Index>]) -> String {
        var dressed = ""
        var end = text.startIndex
        for range in ranges {
            dressed += text[end..<range.lowerBound] + bold(String(text[range]))
            end = range.upperBound
        }
        return dressed + text[end...]
    }

    /// `--color` beats all; then NO_COLOR, TERM=dumb, FORCE_COLOR and CLICOLOR_FORCE; then whether it is a terminal.
    static func isColoured(
        _ choice: ColourChoice, isTerminal: Bool, environment: (String) -> String?
    ) -> Bool {
        func isSet(_ name: String) -> Bool {
            environment(name).map { !$0.isEmpty } ?? false
        }
        switch choice {
        case .always: return true
        case .never: return false
        case .auto:
            if isSet("NO_COLOR") || environment("TERM") == "dumb" { return false }
            if isSet("FORCE_COLOR") || isSet("CLICOLOR_FORCE") { return true }
            return isTerminal
        }
    }

    private func dressed(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
