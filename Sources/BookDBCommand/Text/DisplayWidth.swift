/// How many columns of a terminal a text takes.
enum DisplayWidth {
    static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// 2 for Chinese, Japanese and Korean characters and emoji, 0 for invisible ones, 1 for the rest.
    static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: return 0
        case 0x300...0x36F, 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F, 0xFEFF: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The text with an ellipsis where it would take more than `width` columns, without control characters.
    static func fitted(_ text: String, to width: Int) -> String {
        let text = printable(text)
        guard of(text) > width else { return text }
        var kept = ""
        var columns = 1
        for character in text {
            columns += of(character)
            guard columns <= width else { break }
            kept.append(character)
        }
        while kept.last == " " { kept.removeLast() }
        return kept + "…"
    }

    /// Text from a library may hold line ends, and escape sequences that would reach the terminal.
    static func printable(_ text: String) -> String {
        let isClean = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard !isClean else { return text }
        let spaced = String(
            String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        return spaced.split(separator: " ").joined(separator: " ")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
    }
}
